/** The services that executing a read needs. */
import type { Log } from "../../../ground/log.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import type { OperationLedger } from "../../operations/operation-ledger.ts";
import type { ReadPageCommit } from "../../store/reads/read-pages.ts";
import type { CallBudgets } from "./call-budgets.ts";
import type { ReadPaces } from "../records/paced-fetch.ts";
import type { ScanMemory } from "./scan-memory.ts";
import type { WaitingMessages } from "./waiting-messages.ts";

/** Counts what reads do. */
export interface ReadMeter {
  pageRead(records: { delivered: number; unchanged: number; deleted: number }): void;
  waited(reason: "destination" | "provider" | "budget" | "credentials"): void;
  ended(status: "success" | "failure"): void;
}

export interface RunReadServices extends CallServices {
  log: Log;
  installations: InstallationCache;
  metadata: MetadataMemory;
  paces: ReadPaces;
  budgets: CallBudgets;
  /** Absent if metrics are off. */
  readMeter?: ReadMeter;
  waiting: WaitingMessages;
  /** Positions at which the runs of this process have been. */
  scans: ScanMemory;
  ledger: Pick<OperationLedger, "idleMs">;
  workerId: () => number;
  /** Commits a page; false if the run was stopped or another process has it. */
  commit(page: ReadPageCommit): Promise<boolean>;
  retryBaseMs: number;
  /** Length of a minute of schedules, and of the hours after which a read is given up. */
  minuteMs: number;
}

/** What processing events needs. */
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import type { ReadPaces } from "../../read/records/paced-fetch.ts";

/** Counts what subscriptions do. */
export interface SubscribeMeter {
  received(events: { stored: number; duplicates: number; unmatched: number }): void;
  refused(reason: "signature" | "form" | "unavailable" | "full"): void;
  ended(events: { inMessage: number; coalesced: number; filtered: number; repeated: number }): void;
  /** A page of a scan brought so many changes. */
  found(events: number): void;
}

export interface SubscribeServices extends CallServices {
  log: Log;
  sealer: Sealer;
  installations: InstallationCache;
  metadata: MetadataMemory;
  paces: ReadPaces;
  retryBaseMs: number;
  /** How long changes of a record are collected; 0: each event is an entry. */
  windowMs: number;
  /** From one turn of polling to the next. */
  pollMs: number;
  /** Absent if metrics are off. */
  subscribeMeter?: SubscribeMeter | undefined;
}

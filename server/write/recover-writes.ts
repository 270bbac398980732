/** Looks after what processes that died had under way, so that every operation ends. */
import { ProviderError } from "../../connector-kit/provider-error.ts";
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import type { Log } from "../ground/log.ts";
import type { Database } from "../store/database.ts";
import {
  listClaimers,
  listOrphanedOperations,
  takeOverWrites,
  type OrphanedWrite,
} from "../store/write-queue.ts";
import type { InstallationCache } from "../operations/installation-cache.ts";
import type { OperationLedger } from "../operations/operation-ledger.ts";
import { readOutcome, readRecords, readSendOptions } from "./queued-write.ts";
import { outcomeEntries, summarize, unknownOutcome } from "./operation-log.ts";
import { writeDone } from "./write-done.ts";

const ROUND_MS = 1_000;

export interface RecoverWritesServices {
  database: Database;
  ledger: OperationLedger;
  installations: InstallationCache;
  log: Log;
  workerId: () => number;
  dead(ids: number[]): Promise<number[]>;
}

/** Rounds until the returned function is called. `onWork` is told when something went back into the queue. */
export function recoverWrites(deps: RecoverWritesServices, onWork: () => void): () => void {
  // A worker whose connection is being made again looks dead for a moment: only the second round believes it.
  let suspects = new Set<number>();
  let timer: NodeJS.Timeout;
  let stopped = false;
  const round = async (): Promise<void> => {
    const claimers = (await listClaimers(deps.database.queries)).filter((id) => id !== deps.workerId());
    const dead = await deps.dead(claimers);
    for (const worker of dead.filter((id) => suspects.has(id))) {
      deps.log.warn({ worker }, "taking over from a worker that is gone");
      await takeOverFrom(deps, worker);
      onWork();
    }
    suspects = new Set(dead);
  };
  const schedule = (): void => {
    timer = setTimeout(() => {
      round()
        .catch((error: unknown) => deps.log.warn({ error: String(error) }, "cannot look for dead workers"))
        .finally(() => {
          if (!stopped) schedule();
        });
    }, ROUND_MS);
  };
  schedule();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** What a worker has claimed beside `held` goes back into the queue, or ends if nobody can know what became of it. */
export async function recoverQueuedWrites(
  deps: Pick<RecoverWritesServices, "database" | "ledger" | "installations">,
  worker: number,
  held: string[] = [],
): Promise<void> {
  for (const write of await takeOverWrites(deps.database.queries, worker, held))
    await endUnknown(deps, write);
}

async function takeOverFrom(deps: RecoverWritesServices, worker: number): Promise<void> {
  await recoverQueuedWrites(deps, worker);
  for (const { id, objectName } of await listOrphanedOperations(deps.database.queries, worker)) {
    await deps.ledger.end({
      id,
      status: "failure",
      result: `[${objectName}] ${unknownOutcome(CUT_OFF)}`,
      metadata: {},
      log: [
        { severity: "ERROR", msg: "The process that carried it out is gone", error: unknownOutcome(CUT_OFF) },
      ],
    });
  }
}

const CUT_OFF = "Busbar stopped after the write may have been sent.";

/** A create that may have been sent: what has an outcome keeps it, the rest is said to be unknown. */
async function endUnknown(
  deps: Pick<RecoverWritesServices, "ledger" | "installations">,
  write: OrphanedWrite,
): Promise<void> {
  const { batch } = readSendOptions(write.sendOptions);
  const error = new ProviderError({ kind: "unknown_outcome", message: CUT_OFF });
  const outcomes = readRecords(write.records).map(({ outcome }): RecordOutcome =>
    outcome ? readOutcome(outcome) : { success: false, error },
  );
  const { operationId, installationId, objectName, writeType } = write;
  await deps.ledger.end({
    id: operationId,
    ...summarize({ type: writeType, objectName, batch }, outcomes),
    log: outcomeEntries(outcomes, [], batch),
    event: writeDone(await deps.installations.fields(installationId), write, outcomes),
  });
}

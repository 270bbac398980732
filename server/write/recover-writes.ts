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
import type { Installations } from "../operations/installation-cache.ts";
import type { Ledger } from "../operations/operation-ledger.ts";
import { readOutcome, readRecords, readTerms } from "./queued-write.ts";
import { outcomeEntries, summarize, unknownOutcome } from "./operation-log.ts";
import { writeDone } from "./write-done.ts";

const ROUND_MS = 1_000;

export interface TakeOverServices {
  database: Database;
  ledger: Ledger;
  installations: Installations;
  log: Log;
  workerId: () => number;
  dead(ids: number[]): Promise<number[]>;
}

/** Rounds until the returned function is called. `onWork` is told when something went back into the queue. */
export function takeOver(on: TakeOverServices, onWork: () => void): () => void {
  // A worker whose connection is being made again looks dead for a moment: only the second round believes it.
  let suspects = new Set<number>();
  let timer: NodeJS.Timeout;
  let stopped = false;
  const round = async (): Promise<void> => {
    const claimers = (await listClaimers(on.database.queries)).filter((id) => id !== on.workerId());
    const dead = await on.dead(claimers);
    for (const worker of dead.filter((id) => suspects.has(id))) {
      on.log.warn({ worker }, "taking over from a worker that is gone");
      await takeOverFrom(on, worker);
      onWork();
    }
    suspects = new Set(dead);
  };
  const schedule = (): void => {
    timer = setTimeout(() => {
      round()
        .catch((error: unknown) => on.log.warn({ error: String(error) }, "cannot look for dead workers"))
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
export async function takeOverQueued(
  on: Pick<TakeOverServices, "database" | "ledger" | "installations">,
  worker: number,
  held: string[] = [],
): Promise<void> {
  for (const write of await takeOverWrites(on.database.queries, worker, held)) await endUnknown(on, write);
}

async function takeOverFrom(on: TakeOverServices, worker: number): Promise<void> {
  await takeOverQueued(on, worker);
  for (const { id, objectName } of await listOrphanedOperations(on.database.queries, worker)) {
    await on.ledger.end({
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
  on: Pick<TakeOverServices, "ledger" | "installations">,
  write: OrphanedWrite,
): Promise<void> {
  const { batch } = readTerms(write.terms);
  const error = new ProviderError({ kind: "unknown_outcome", message: CUT_OFF });
  const outcomes = readRecords(write.records).map(({ outcome }): RecordOutcome =>
    outcome ? readOutcome(outcome) : { success: false, error },
  );
  const { operationId, installationId, objectName, writeType } = write;
  await on.ledger.end({
    id: operationId,
    ...summarize({ type: writeType, objectName, batch }, outcomes),
    log: outcomeEntries(outcomes, [], batch),
    event: writeDone(await on.installations.fields(installationId), write, outcomes),
  });
}

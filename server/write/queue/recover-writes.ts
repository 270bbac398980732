/** Ends or requeues the writes that a dead process had under way, so that every operation ends. */
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { Database } from "../../store/database/database.ts";
import {
  listOrphanedOperations,
  takeOverWrites,
  type OrphanedWrite,
} from "../../store/operations/write-queue.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import type { OperationLedger } from "../../operations/operation-ledger.ts";
import { listOutcomes, readQueuedWrite, summarizeQueued } from "./queued-write.ts";
import { buildOutcomeEntries, explainUnknownOutcome } from "../operation-log.ts";
import { writeDone } from "../write-done.ts";

interface RecoverWritesServices {
  database: Database;
  ledger: OperationLedger;
  installations: InstallationCache;
}

/** Recovers the queued writes and the synchronous operations of a dead process. */
export async function recoverWrites(deps: RecoverWritesServices, deadProcess: number): Promise<void> {
  await recoverQueuedWrites(deps, deadProcess);
  for (const { id, messageName } of await listOrphanedOperations(deps.database.data, deadProcess)) {
    await deps.ledger.end({
      id,
      status: "failure",
      result: `[${messageName}] ${explainUnknownOutcome(CUT_OFF)}`,
      metadata: {},
      log: [
        {
          severity: "ERROR",
          msg: "The process that carried out the operation is gone",
          error: explainUnknownOutcome(CUT_OFF),
        },
      ],
    });
  }
}

/**
 * Requeues the writes that a process has claimed, except for `held`. Creates that may have been sent end with an unknown
 * outcome instead.
 */
export async function recoverQueuedWrites(
  deps: RecoverWritesServices,
  processId: number,
  held: string[] = [],
): Promise<void> {
  for (const write of await takeOverWrites(deps.database.data, processId, held))
    await endUnknown(deps, write);
}

const CUT_OFF = "Busbar stopped after the write may have been sent.";

/** Ends a create that may have been sent; records whose outcome is stored keep it. */
async function endUnknown(deps: RecoverWritesServices, write: OrphanedWrite): Promise<void> {
  const queued = readQueuedWrite(write);
  const error = new ProviderError({ kind: "unknown_outcome", message: CUT_OFF });
  const outcomes = listOutcomes(queued.records, () => ({ success: false, error }));
  await deps.ledger.end({
    id: write.operationId,
    ...summarizeQueued(write, queued, outcomes),
    log: buildOutcomeEntries(outcomes, [], queued.sendOptions.batch),
    event: writeDone(await deps.installations.findFields(write.installationId), write, outcomes),
  });
}

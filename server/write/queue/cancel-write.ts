/** Cancels an asynchronous write that waits in the queue: for its turn, its group, or its next attempt. */
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import { transactData, type Database } from "../../store/database/database.ts";
import { endOperations } from "../../store/operations/operations.ts";
import { lockWaitingWrite } from "../../store/operations/write-queue.ts";
import { explainUnknownOutcome } from "../operation-log.ts";
import { chooseMessageName, listOutcomes, readQueuedWrite, summarizeQueued } from "./queued-write.ts";
import { writeDone } from "../write-done.ts";

const CANCELLED = "Cancelled before it was sent";
const LOST = "Cancelled after an attempt whose answer was lost";

/**
 * Ends the write as failed, with its event; records that earlier attempts have written keep their outcome. Returns false
 * if it does not wait: it has ended, or it is being sent at this moment.
 */
export function cancelWrite(
  deps: { database: Database; installations: InstallationCache },
  projectId: string,
  operationId: string,
): Promise<boolean> {
  return transactData(deps.database, async (queries) => {
    const write = await lockWaitingWrite(queries, projectId, operationId);
    if (!write) return false;
    const queued = readQueuedWrite(write);
    const error = write.repeatableUntil
      ? new ProviderError({ kind: "unknown_outcome", message: LOST })
      : new ProviderError({ kind: "forbidden", message: CANCELLED });
    const outcomes = listOutcomes(queued.records, () => ({ success: false, error }));
    const { metadata } = summarizeQueued(write, queued, outcomes);
    const written = outcomes.filter(({ success }) => success).length;
    const open = write.repeatableUntil ? `. ${explainUnknownOutcome(LOST)}` : "";
    const before = written > 0 ? `; ${written} of ${outcomes.length} records had been written` : "";
    const msg = write.attempts > 0 ? `Cancelled after ${write.attempts} attempts` : CANCELLED;
    await endOperations(queries, [
      {
        id: operationId,
        status: "failure",
        result: `[${chooseMessageName(write, queued.sendOptions)}] Cancelled${before}${open}`,
        metadata,
        log: [{ severity: "WARNING", msg }],
        event: writeDone(await deps.installations.findFields(write.installationId), write, outcomes),
      },
    ]);
    return true;
  });
}

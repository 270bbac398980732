/**
 * Executes asynchronous writes. A write is in one of these states, all of them rows of `writes`:
 *
 *     waiting    claimed by nobody and not due yet: backoff, or a group that still takes records
 *     due        claimed by nobody, its time has come
 *     claimed    a process holds it and sends it when its installation has a free slot
 *     sending    claimed, and marked `may_have_been_sent`: a create that is about to be sent or was
 *     gone       its operation has ended
 *
 * Claimed writes of a dead process become due again; its creates in `sending` end with an unknown outcome, unless the provider
 * knows them by a key, until `repeatable_until`. The same happens to writes that this process has lost (`jobs/claim-loop.ts`).
 */
import { computeBackoffMs } from "../../jobs/backoff.ts";
import { startClaimLoop, type ClaimLoop } from "../../jobs/claim-loop.ts";
import type { Log } from "../../../ground/log.ts";
import type { Tracer } from "../../../ground/tracer.ts";
import type { ProcessIdentity } from "../../jobs/process-identity.ts";
import { withOrphanRecovery } from "../../jobs/recovering-loop.ts";
import { openSharedCommit } from "../../jobs/shared-commit.ts";
import type { Changes } from "../../store/database/changes.ts";
import {
  claimSuccessors,
  listClaimers,
  findNextDueMs,
  postponeWrite,
  releaseWrites,
  WRITES_CHANGE,
  type ClaimedWrite,
} from "../../store/operations/write-queue.ts";
import { attemptWrite, type AttemptWriteServices } from "./attempt-write.ts";
import { recoverQueuedWrites, recoverWrites } from "./recover-writes.ts";
import { describeAttemptWork } from "../write-span.ts";
import { WriteTurns } from "./write-turns.ts";

interface WriteWorkerServices extends AttemptWriteServices {
  log: Log;
  identity: ProcessIdentity;
  changes: Changes;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
}

/** Records whose update has ended, and the writes that were claimed for it. */
interface Handover {
  recordKeys: string[];
  successors: ClaimedWrite[];
}

/** Starts at once and runs until it is stopped. */
export function startWriteWorker(deps: WriteWorkerServices): ClaimLoop {
  const { log, identity, retryBaseMs } = deps;
  const { data } = deps.database;
  const turns = new WriteTurns(data, () => identity.id);
  const handovers = openSharedCommit<Handover>(async (ended) => {
    const keys = new Set(ended.flatMap(({ recordKeys }) => recordKeys));
    const successors = await claimSuccessors(data, identity.id, [...keys]);
    // Whichever of them gets a write, it runs at once.
    ended[0]?.successors.push(...successors);
  });
  const loop = startClaimLoop<ClaimedWrite>({
    what: "writes",
    log,
    source: {
      claim: (limit, capacity) => turns.claim(limit, capacity),
      claimSuccessors: async ({ recordKeys }) => {
        const handover: Handover = { recordKeys, successors: [] };
        await handovers.add(handover);
        return handover.successors;
      },
      release: (writes) => releaseWrites(data, identity.id, listIds(writes)),
      postpone: ({ operationId, attempts }) => {
        const delayMs = computeBackoffMs({ attempts: attempts + 1, baseMs: retryBaseMs });
        return postponeWrite(data, { operationId, workerId: identity.id, delayMs });
      },
      recover: (held) => recoverQueuedWrites(deps, identity.id, listIds(held)),
      nextDueMs: () => findNextDueMs(data),
    },
    run: (write, onAnswer) => attemptWrite(deps, write, onAnswer),
    work: (write) => describeAttemptWork(deps.tracer, write),
    getId: ({ operationId }) => operationId,
    getKey: ({ installationId }) => installationId,
    getGroup: ({ projectId }) => projectId,
    // The next update of the same record may go ahead; nothing waits for a create.
    unblocksOthers: ({ writeType }) => writeType !== "create",
  });
  // From processes without this work, or missed while the connection was lost.
  deps.changes.subscribe((change) => {
    if (!change || change.table === WRITES_CHANGE) loop.wake();
  });
  return withOrphanRecovery(loop, {
    log,
    identity,
    listClaimers: () => listClaimers(data),
    recover: (deadProcess) => recoverWrites(deps, deadProcess),
  });
}

const listIds = (writes: ClaimedWrite[]): string[] => writes.map(({ operationId }) => operationId);

/**
 * Executes asynchronous writes. A write is in one of these states, all of them rows of `writes`:
 *
 *     waiting    nobody has it, not due yet (backoff, or a group that still takes records)
 *     due        nobody has it, its time has come
 *     claimed    a worker has it and will begin it when its installation's turn comes
 *     called     … and, for a create, is about to send it or has
 *     gone       its operation has ended
 *
 * A dead worker's claimed writes are due again; its called creates end with an unknown outcome.
 */
import type { Log } from "../ground/log.ts";
import { claimWrites, nextDueMs, releaseWrites, type ClaimedWrite } from "../store/write-queue.ts";
import { attempt, type AttemptResult, type AttemptServices } from "./attempt.ts";
import { Shares } from "./shares.ts";
import { takeOver } from "./take-over.ts";

export interface WriteWorker {
  /** Something may be due: look now rather than at the next round. */
  wake(): void;
  readonly running: boolean;
  /** Stops claiming and waits for what is under way; what was not begun goes back. */
  stop(): Promise<void>;
}

/** Writes claimed in one statement. */
const CLAIM_SIZE = 64;
/** Claimed, begun or not; bounds memory and what a crash gives back. */
const MOST_CLAIMED = 512;
/** Other processes accept writes too, and do not tell us. */
const POLL_MS = 250;
/** Lets a few writes end before the next claim, which then is worth its statement. */
const GATHER_MS = 2;
const FAULT_PAUSE_MS = 250;
const DRAIN_MS = 30_000;

export interface WorkerServices extends AttemptServices {
  log: Log;
  dead(ids: number[]): Promise<number[]>;
}

/** Starts at once and runs until it is stopped. */
export function startWriteWorker(on: WorkerServices): WriteWorker {
  const shares = new Shares();
  const underWay = new Set<Promise<void>>();
  const state = { running: true };
  let wake = () => {};

  const release = (ids: string[]) => releaseWrites(on.database.queries, on.workerId(), ids);
  const track = (work: Promise<void>): void => {
    const done = work.finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const learn = (write: ClaimedWrite, result: AttemptResult): void => {
    shares.learn(write.installationId, result);
    shares.end(write.installationId);
    // What waits here for a provider that said wait waits in the queue instead, behind its gate.
    const withdrawn = result === "sent" ? [] : shares.withdraw(write.installationId);
    if (withdrawn.length > 0) track(release(withdrawn.map((other) => other.operationId)).catch(() => {}));
    beginNext();
    wake();
  };
  const begin = (write: ClaimedWrite): void => {
    let answered = false;
    const onAnswer = (result: AttemptResult) => {
      answered = true;
      learn(write, result);
    };
    const ended = attempt(on, write, onAnswer).catch(async (error: unknown) => {
      await putBack(on, write, error);
      if (!answered) learn(write, "sent");
    });
    // An update that waits for this one may go ahead now.
    track(ended.finally(() => wake()));
  };
  const beginNext = (): void => {
    if (state.running) for (const write of shares.take()) begin(write);
  };
  const claim = async (): Promise<number> => {
    if (shares.size >= MOST_CLAIMED) return 0;
    const claimed = await claimWrites(on.database.queries, on.workerId(), CLAIM_SIZE, shares.supplied());
    for (const write of claimed) shares.add(write);
    beginNext();
    return claimed.length;
  };

  const loop = async (): Promise<void> => {
    while (state.running) {
      const found = await claim().catch((error: unknown) => {
        on.log.warn({ error: String(error) }, "cannot claim writes; trying again");
        return 0;
      });
      if (!state.running || found === CLAIM_SIZE) continue;
      await pause(await restMs(on, underWay.size), (wakeUp) => (wake = wakeUp));
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  };

  const stopTakingOver = takeOver(on, () => wake());
  const looping = loop();
  return {
    wake: () => wake(),
    get running() {
      return state.running;
    },
    async stop() {
      state.running = false;
      wake();
      stopTakingOver();
      await looping;
      await release(shares.withdrawAll().map((write) => write.operationId));
      await Promise.race([
        Promise.all(underWay),
        new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref()),
      ]);
    },
  };
}

/** A fault of ours, or the database is away: back into the queue as it was, since nothing is known to have happened. */
async function putBack(on: WorkerServices, write: ClaimedWrite, error: unknown): Promise<void> {
  on.log.error({ operationId: write.operationId, err: error }, "an attempt at a write failed on our side");
  await new Promise((resolve) => setTimeout(resolve, FAULT_PAUSE_MS));
  await releaseWrites(on.database.queries, on.workerId(), [write.operationId]).catch(() => {});
}

/** Until the next thing is due, at most one poll. */
async function restMs(on: WorkerServices, underWay: number): Promise<number> {
  if (underWay > 0) return POLL_MS;
  const due = await nextDueMs(on.database.queries).catch(() => undefined);
  return Math.max(5, Math.min(POLL_MS, due ?? POLL_MS));
}

/** Waits, or until somebody wakes us. */
function pause(ms: number, onWait: (wake: () => void) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  onWait(() => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/**
 * Executes asynchronous writes. A write is in one of these states, all of them rows of `writes`:
 *
 *     waiting    nobody has it, not due yet (backoff, or a group that still takes records)
 *     due        nobody has it, its time has come
 *     claimed    a worker has it
 *     called     … and, for a create, is about to send it or has
 *     gone       its operation has ended
 *
 * A dead worker's claimed writes are due again; its called creates end with an unknown outcome.
 */
import type { Log } from "../ground/log.ts";
import { claimWrites, nextDueMs, releaseWrites, type ClaimedWrite } from "../store/write-queue.ts";
import { attempt, type AttemptServices } from "./attempt.ts";
import { Shares } from "./shares.ts";
import { takeOver } from "./take-over.ts";

export interface WriteWorker {
  /** Something may be due: look now rather than at the next round. */
  wake(): void;
  readonly running: boolean;
  /** Stops claiming and waits for what is under way; what was not begun goes back. */
  stop(): Promise<void>;
}

const CONCURRENCY = 32;
/** Other processes accept writes too, and do not tell us. */
const POLL_MS = 250;
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

  const run = (write: ClaimedWrite): void => {
    shares.begin(write.installationId);
    const done = attempt(on, write)
      .then((result) => shares.learn(write.installationId, result))
      .catch(async (error: unknown) => {
        on.log.error(
          { operationId: write.operationId, err: error },
          "an attempt at a write failed on our side",
        );
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        // Back into the queue as it was: nothing is known to have happened, or the database is away.
        await releaseWrites(on.database.queries, on.workerId(), [write.operationId]).catch(() => {});
      })
      .finally(() => {
        shares.end(write.installationId);
        underWay.delete(done);
        wake();
      });
    underWay.add(done);
  };

  const claim = async (): Promise<number> => {
    const free = CONCURRENCY - underWay.size;
    if (free < CONCURRENCY / 4) return 0;
    const claimed = await claimWrites(on.database.queries, on.workerId(), free, shares.exhausted());
    const excess: string[] = [];
    for (const write of claimed) {
      if (shares.hasRoom(write.installationId)) run(write);
      else excess.push(write.operationId);
    }
    await releaseWrites(on.database.queries, on.workerId(), excess);
    return claimed.length - excess.length;
  };

  const loop = async (): Promise<void> => {
    while (state.running) {
      const found = await claim().catch((error: unknown) => {
        on.log.warn({ error: String(error) }, "cannot claim writes; trying again");
        return 0;
      });
      if (!state.running || (found > 0 && underWay.size < CONCURRENCY)) continue;
      await pause(await restMs(on, underWay.size), (wakeUp) => (wake = wakeUp));
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
      await Promise.race([
        Promise.all(underWay),
        new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref()),
      ]);
    },
  };
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

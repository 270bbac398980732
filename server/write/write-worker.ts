/**
 * Executes asynchronous writes. A write is in one of these states, all of them rows of `writes`:
 *
 *     waiting    nobody has it, not due yet (backoff, or a group that still takes records)
 *     due        nobody has it, its time has come
 *     claimed    a worker has it and will begin it when its installation's turn comes
 *     called     … and, for a create, is about to send it or has
 *     gone       its operation has ended
 *
 * A dead worker's claimed writes are due again; its called creates end with an unknown outcome. The same happens to what
 * a worker has in the database but not in its hands: the answer to a claim was lost, or a write could not be given back.
 */
import type { Log } from "../ground/log.ts";
import { isDatabaseAway } from "../store/database-outage.ts";
import {
  claimWrites,
  nextDueMs,
  postponeWrite,
  releaseWrites,
  type ClaimedWrite,
} from "../store/write-queue.ts";
import { attemptWrite, type WriteAttemptResult, type AttemptWriteServices } from "./attempt-write.ts";
import { backoffMs } from "./retry.ts";
import { InstallationSlots } from "./shares.ts";
import { recoverWrites, recoverQueuedWrites } from "./recover-writes.ts";

/** Writes claimed in one statement. */
const CLAIM_SIZE = 128;
/** Claimed, begun or not; bounds memory and what a crash gives back. */
const MOST_CLAIMED = 512;
/** Other processes accept writes too, and do not tell us. */
const POLL_MS = 250;
/** Lets a few writes end before the next claim, which then is worth its statement. */
const GATHER_MS = 2;
const FAULT_PAUSE_MS = 250;
const DRAIN_MS = 30_000;

export interface WriteWorkerServices extends AttemptWriteServices {
  log: Log;
  dead(ids: number[]): Promise<number[]>;
}

/** Starts at once and runs until it is stopped. */
export const startWriteWorker = (deps: WriteWorkerServices): WriteWorker => new WriteWorker(deps);

class WriteWorker {
  readonly #deps: WriteWorkerServices;
  readonly #shares = new InstallationSlots();
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopTakingOver: () => void;
  readonly #looping: Promise<void>;
  /** Writes that are claimed here, until it is noted what became of them. */
  readonly #held = new Map<string, ClaimedWrite>();
  /** The database may have writes claimed for us that are not held. */
  #isUnsure = false;
  #running = true;
  #wake = () => {};

  constructor(deps: WriteWorkerServices) {
    this.#deps = deps;
    this.#stopTakingOver = recoverWrites(deps, () => this.wake());
    this.#looping = this.#loop();
  }

  /** Something may be due: look now rather than at the next round. */
  wake(): void {
    this.#wake();
  }

  get running(): boolean {
    return this.#running;
  }

  /** Stops claiming and waits for what is under way, 30 s at most; what was not begun goes back. */
  async stop(): Promise<void> {
    this.#running = false;
    this.wake();
    this.#stopTakingOver();
    await this.#looping;
    await this.#release(this.#shares.withdrawAll());
    const late = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref());
    await Promise.race([Promise.all(this.#underWay), late]);
  }

  async #loop(): Promise<void> {
    while (this.#running) {
      const found = await this.#claim().catch((error: unknown) => {
        this.#deps.log.warn({ error: String(error) }, "cannot claim writes; trying again");
        this.#isUnsure = true;
        return 0;
      });
      if (!this.#running || found === CLAIM_SIZE) continue;
      await pause(await restMs(this.#deps, this.#underWay.size), (wake) => (this.#wake = wake));
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  }

  async #claim(): Promise<number> {
    if (this.#shares.size >= MOST_CLAIMED) return 0;
    const { database, workerId } = this.#deps;
    // Here, where no claim is under way, what is not held is nobody's.
    if (this.#isUnsure) {
      this.#isUnsure = false;
      await recoverQueuedWrites(this.#deps, workerId(), [...this.#held.keys()]);
    }
    const claimed = await claimWrites(database.queries, workerId(), CLAIM_SIZE, this.#shares.supplied());
    for (const write of claimed) {
      this.#held.set(write.operationId, write);
      this.#shares.add(write);
    }
    this.#beginNext();
    return claimed.length;
  }

  #beginNext(): void {
    if (this.#running) for (const write of this.#shares.take()) this.#begin(write);
  }

  #begin(write: ClaimedWrite): void {
    let answered = false;
    const onAnswer = (result: WriteAttemptResult) => {
      answered = true;
      this.#answered(write, result);
    };
    const ended = attemptWrite(this.#deps, write, onAnswer)
      .catch(async (error: unknown) => {
        await this.#putBack(write, error);
        if (!answered) this.#answered(write, "sent");
      })
      .finally(() => this.#letGo(write));
    // An update that waits for this one may go ahead now; nothing waits for a create.
    this.#track(write.writeType === "update" ? ended.finally(() => this.wake()) : ended);
  }

  #answered(write: ClaimedWrite, result: WriteAttemptResult): void {
    this.#shares.learn(write.installationId, result);
    this.#shares.end(write.installationId);
    // What waits here for a provider that said wait waits in the queue instead, behind its gate.
    if (result === "told-to-wait" || result === "not-sent")
      this.#track(this.#release(this.#shares.withdraw(write.installationId)));
    this.#beginNext();
    // A claim that finds only what it must leave out reads the whole queue for nothing.
    if (this.#shares.needsMore(write.installationId)) this.wake();
  }

  #track(work: Promise<void>): void {
    const done = work.finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  /** A fault of ours, or the database is away: back into the queue as it was, if it cannot have been sent. */
  async #putBack(write: ClaimedWrite, error: unknown): Promise<void> {
    const { operationId } = write;
    this.#deps.log.error({ operationId, err: error }, "an attempt at a write failed on our side");
    await new Promise((resolve) => setTimeout(resolve, FAULT_PAUSE_MS));
    if (isDatabaseAway(error)) await this.#release([write]);
    else await this.#postpone(write);
    // A create that may have been sent is still claimed.
    this.#isUnsure = true;
  }

  async #postpone({ operationId, attempts }: ClaimedWrite): Promise<void> {
    const { database, workerId, retryBaseMs } = this.#deps;
    const delayMs = backoffMs({ attempts: attempts + 1, baseMs: retryBaseMs });
    // What fails here is still claimed, and found like a create that may have been sent.
    await postponeWrite(database.queries, { operationId, workerId: workerId(), delayMs }).catch(() => {});
  }

  /** Never throws: what could not be given back is found when the database is. */
  async #release(writes: ClaimedWrite[]): Promise<void> {
    const { database, workerId } = this.#deps;
    const ids = writes.map((write) => write.operationId);
    try {
      await releaseWrites(database.queries, workerId(), ids);
    } catch {
      this.#isUnsure = true;
    }
    for (const write of writes) this.#letGo(write);
  }

  /** Unless it has been claimed anew meanwhile. */
  #letGo(write: ClaimedWrite): void {
    if (this.#held.get(write.operationId) === write) this.#held.delete(write.operationId);
  }
}

/** Until the next thing is due, at most one poll. */
async function restMs(deps: WriteWorkerServices, underWay: number): Promise<number> {
  if (underWay > 0) return POLL_MS;
  const due = await nextDueMs(deps.database.queries).catch(() => undefined);
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

/** Removes what is old in the background, some at a time, so that no lock is held for long. */
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../ground/log.ts";

/** One kind of thing that gets old. */
export interface RetentionRule {
  what: string;
  /** Removes at most so many and says how many it removed. */
  remove(most: number): Promise<number>;
}

const BATCH = 1_000;
/** Between batches, so that other work is not held up. */
const REST_MS = 50;
const FIRST_MS = 60_000;
const EVERY_MS = 10 * 60_000;

export interface Retention {
  stop(): Promise<void>;
}

/** Does the chores one after the other every ten minutes, until it is stopped. A chore that fails waits for the next round. */
export function startRetention(deps: { log: Log; rules: RetentionRule[] }): Retention {
  let stopped = false;
  let sweeping: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const schedule = (afterMs: number): void => {
    if (!stopped) timer = setTimeout(round, afterMs).unref();
  };
  const round = (): void => {
    sweeping = sweep(deps.log, deps.rules, () => stopped).then(() => schedule(EVERY_MS));
  };
  schedule(FIRST_MS);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await sweeping;
    },
  };
}

/** One round over all chores; never rejects. */
export async function sweep(log: Log, chores: RetentionRule[], stopped: () => boolean): Promise<void> {
  for (const { what, remove } of chores) {
    try {
      while (!stopped() && (await remove(BATCH)) === BATCH) await wait(REST_MS);
    } catch (error) {
      log.warn({ what, error: String(error) }, "what is old cannot be removed yet");
    }
  }
}

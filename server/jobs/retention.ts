/** Removes old rows in the background, in batches, so that no lock is held for long. */
import { setTimeout as wait } from "node:timers/promises";
import { elapsedMs } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";

/** One kind of rows that get old. */
export interface RetentionRule {
  what: string;
  /** Removes up to `max` rows and returns their number. */
  remove(max: number): Promise<number>;
}

const BATCH = 1_000;
/**
 * After a batch, a pause as long as the batch took, so that other work is not delayed, but no longer than this: where batches are
 * quick, a fixed pause was most of the time that the removal took.
 */
const MAX_REST_MS = 50;
const FIRST_MS = 60_000;
const EVERY_MS = 10 * 60_000;

interface Retention {
  stop(): Promise<void>;
}

/** Applies the rules one after the other every ten minutes, until stopped. A rule that fails is tried again in the next round. */
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

/** Applies all rules once; never rejects. */
export async function sweep(log: Log, rules: RetentionRule[], stopped: () => boolean): Promise<void> {
  for (const { what, remove } of rules) {
    try {
      for (;;) {
        const fromMs = elapsedMs();
        if (stopped() || (await remove(BATCH)) !== BATCH) break;
        const tookMs = elapsedMs() - fromMs;
        await wait(Math.min(MAX_REST_MS, tookMs));
      }
    } catch (error) {
      log.warn({ what, error: String(error) }, "cannot remove old rows; trying again in the next round");
    }
  }
}

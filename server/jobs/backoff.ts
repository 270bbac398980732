/** Computes how long to wait before the next attempt: exponential backoff with full jitter. */

const LONGEST_WAIT_MS = 10 * 60_000;

/** Computes the wait before the next attempt: at least a quarter of `baseMs`, at most ten minutes. `attempts` counts those made so far. */
export function computeBackoffMs(
  { attempts, baseMs }: { attempts: number; baseMs: number },
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(LONGEST_WAIT_MS, baseMs * 2 ** (attempts - 1));
  // Never zero: repeating at once what has just failed is of no use.
  return Math.max(baseMs / 4, random() * ceiling);
}

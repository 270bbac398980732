/** Waits for a condition instead of a time. */

const STEP_MS = 10;
/**
 * For a machine that has many times as much to do as it can: there, starting a process takes a minute. A condition that holds
 * sooner costs nothing of it.
 */
const LIMIT_MS = 300_000;
/** A check that takes longer counts as this long: the machine may have stood still. */
const MAX_COUNTED_MS = 2_000;

/** Calls `check` until its result is neither false nor undefined, and returns it; fails after `limitMs`. */
export async function until<T>(
  check: () => T | false | undefined | Promise<T | false | undefined>,
  limitMs = LIMIT_MS,
): Promise<T> {
  let leftMs = limitMs;
  for (let checkedMs = Date.now(); ;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (leftMs <= 0) throw new Error(`nothing within ${limitMs} ms: ${check.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    const nowMs = Date.now();
    leftMs -= Math.min(nowMs - checkedMs, MAX_COUNTED_MS);
    checkedMs = nowMs;
  }
}

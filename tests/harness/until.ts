/** Waits for a condition instead of a time. */

const STEP_MS = 10;

/** Calls `look` until its result is neither false nor undefined, and returns it; fails after `limitMs`. */
export async function until<T>(
  look: () => T | false | undefined | Promise<T | false | undefined>,
  limitMs = 60_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`nothing within ${limitMs} ms: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

/** Waits for something to become true, not for a time. */

const STEP_MS = 10;

/** The first defined answer of `look`; fails after `limitMs`. */
export async function until<T>(look: () => Promise<T | undefined>, limitMs = 10_000): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`nothing within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

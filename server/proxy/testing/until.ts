/** Waits for a condition of a test, and says which one did not come true. */
import { setTimeout as wait } from "node:timers/promises";

export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  mostMs = 5_000,
): Promise<void> {
  const rounds = mostMs / 5;
  for (let round = 0; round < rounds; round++) {
    if (await holds()) return;
    await wait(5);
  }
  throw new Error(`did not happen within ${mostMs} ms: ${what}`);
}

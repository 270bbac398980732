/** Waits for a condition instead of a time. */
import { setTimeout as wait } from "node:timers/promises";
import { nowMs } from "../../ground/clock.ts";

/** Resolves with the first value that is not false or undefined; throws after so many milliseconds. */
export async function until<Value>(
  what: string,
  look: () => Value | false | undefined | Promise<Value | false | undefined>,
  timeoutMs = 15_000,
): Promise<Value> {
  const deadline = nowMs() + timeoutMs;
  for (;;) {
    const value = await look();
    if (value !== false && value !== undefined) return value;
    if (nowMs() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await wait(10);
  }
}

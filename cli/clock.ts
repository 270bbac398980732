/** The time, and waiting for it. */
import { setTimeout as sleep } from "node:timers/promises";

export const nowMs = (): number => Date.now();

/** Waits, at most until the signal; says whether the whole time went by. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await sleep(milliseconds, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** The time, and waiting for it. */
import { setTimeout as sleep } from "node:timers/promises";

export const nowMs = (): number => Date.now();

/** Waits until the time is over or the signal aborts. Returns whether the time is over. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await sleep(milliseconds, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** Waits until what was pushed before is taken apart, so that a look at subscriptions shows every push that was answered. */
import { setTimeout as wait } from "node:timers/promises";
import { elapsedMs } from "../ground/clock.ts";
import type { Database } from "../store/database.ts";
import { findLastPush, hasPushUntil } from "../store/received-pushes.ts";

const STEP_MS = 10;
/** A list shows what is there after this time. */
export const LIST_WAIT_MS = 1_000;

/** Returns false if pushes of the project still wait after this time. Ignores those that an attempt failed to take apart. */
export async function awaitPushes(
  { database: { queries } }: { database: Database },
  projectId: string,
  withinMs: number,
): Promise<boolean> {
  const last = await findLastPush(queries, projectId);
  if (last === undefined) return true;
  const endMs = elapsedMs() + withinMs;
  while (await hasPushUntil(queries, projectId, last)) {
    if (elapsedMs() > endMs) return false;
    await wait(STEP_MS);
  }
  return true;
}

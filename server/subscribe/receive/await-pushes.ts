/** Waits until what was pushed before is taken apart, so that a list of subscriptions shows every push that was answered. */
import { setTimeout as wait } from "node:timers/promises";
import { elapsedMs } from "../../../ground/clock.ts";
import type { Database } from "../../store/database/database.ts";
import { findLastPush, isPushWaiting } from "../../store/subscriptions/received-pushes.ts";

const STEP_MS = 10;
/** A list shows what is there after this time. */
export const LIST_WAIT_MS = 1_000;

/** Returns false if pushes of the project still wait after this time. Ignores those that an attempt failed to take apart. */
export async function awaitPushes(
  { database: { control } }: { database: Database },
  projectId: string,
  withinMs: number,
): Promise<boolean> {
  const position = await findLastPush(control, projectId);
  return position === undefined || waitWhile(() => isPushWaiting(control, { projectId, position }), withinMs);
}

/** Does the same for the pushes of all projects, without looking for the last one. */
export const awaitAllPushes = (
  { database: { control } }: { database: Database },
  withinMs: number,
): Promise<boolean> => waitWhile(() => isPushWaiting(control), withinMs);

async function waitWhile(isWaiting: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const endMs = elapsedMs() + withinMs;
  while (await isWaiting()) {
    if (elapsedMs() > endMs) return false;
    await wait(STEP_MS);
  }
  return true;
}

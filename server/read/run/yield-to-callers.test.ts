import assert from "node:assert/strict";
import { test } from "node:test";
import { elapsedMs } from "../../../ground/clock.ts";
import { yieldToCallers } from "./yield-to-callers.ts";

/** Works as a page does, then yields; returns whether a timer of 1 ms fired before the next page. */
async function othersCome(idleMs: number): Promise<boolean> {
  const yieldTurn = yieldToCallers({ idleMs: () => idleMs });
  // The event loop counts its work from the end of the last wait, so this begins after one.
  await new Promise((resolve) => setTimeout(resolve, 1));
  const startedMs = elapsedMs();
  while (elapsedMs() - startedMs < 20);
  let came = false;
  setTimeout(() => (came = true), 1);
  await yieldTurn();
  return came;
}

test("a backfill rests after its work while callers write synchronously, and only then", async () => {
  assert.equal(await othersCome(0), true);
  assert.equal(await othersCome(60_000), false);
  assert.equal(await othersCome(Number.POSITIVE_INFINITY), false);
});

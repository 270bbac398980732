/** The drill of subscriptions in its short form: the whole one is scripts/drill-subscribe.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, subscribeDrill } from "../../scripts/drill-subscribe.ts";

test("a receiver of changes ends equal to the accounts, although a process is killed and events are lost", async () => {
  const report = await subscribeDrill({
    changes: 500,
    kills: 1,
    seconds: 4,
    refusedSeconds: 1,
    restartsDatabase: false,
  });
  assert.deepEqual(faultsOf(report), []);
});

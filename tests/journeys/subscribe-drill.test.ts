/** The drill of subscriptions in its short form: the whole one is scripts/drill-subscribe.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, subscribeDrill } from "../../scripts/drill-subscribe.ts";

test("a receiver ends equal to the account, although a process is killed, and pushes are lost and come twice", async () => {
  const report = await subscribeDrill({
    records: 60,
    kills: 1,
    seconds: 3,
    refusedSeconds: 1,
    restartsDatabase: false,
  });
  assert.deepEqual(faultsOf(report), []);
});

/** The drill of subscriptions in its short form: the whole one is tests/drills/subscribe-drill.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listFaults, subscribeDrill } from "./subscribe-drill.ts";

test("a receiver of changes ends equal to the accounts, and gets the messages in order, although a process is killed", async () => {
  const report = await subscribeDrill({
    changes: 400,
    kills: 1,
    suspensions: 0,
    seconds: 4,
    refusedSeconds: 0,
    providersFail: false,
    restartsDatabase: false,
  });
  assert.deepEqual(listFaults(report), []);
  for (const { received, subscription } of Object.values(report.objects)) {
    assert.ok(received.entries > 0);
    assert.equal(received.reconciled, 0);
    // HubSpot's pushes and Salesforce's events all came twice.
    assert.ok(Number(subscription.counts["duplicates"]) > 100);
  }
});

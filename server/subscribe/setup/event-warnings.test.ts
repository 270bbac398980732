/** Guards that the status of a subscription names the events that will never come. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findEventWarnings } from "./describe-subscriptions.ts";

const of = (source: "webhook" | "pubsub" | "polling", reportsAssociations: boolean, other: string[] = []) =>
  findEventWarnings({ associationChange: true, other }, { reportsAssociations }, { provider: "crm", source });

test("events that provider or source do not report are named in the status, others are not", () => {
  assert.deepEqual(of("webhook", true, ["contact.merge"]), []);
  assert.match(of("pubsub", false).join(), /`associationChangeEvent` has no effect: crm does not report it/);
  assert.deepEqual(of("polling", true, ["contact.merge"]), [
    "`associationChangeEvent` and `otherEvents` have no effect: polling finds only changed and deleted records.",
  ]);
  assert.equal(of("polling", false, ["UNDELETE"]).length, 2);
  const wanted = { associationChange: false, other: [] };
  const polled = { provider: "crm", source: "polling" as const };
  assert.deepEqual(findEventWarnings(wanted, { reportsAssociations: false }, polled), []);
});

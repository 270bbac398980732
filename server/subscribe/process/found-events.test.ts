/** Changes that a scan found: which of them a later scan recognises. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { subscribe } from "../../../connectors/salesforce/subscribe.ts";
import { read } from "../../../connectors/salesforce/read.ts";
import { newId } from "../../../ground/ids.ts";
import type { SubscriptionScan } from "../../store/subscriptions/subscription-scans.ts";
import { listFoundRecords } from "./found-events.ts";

/** Returns the key of a change that a turn of polling found. */
function getKey(changeTime: string, until: string): string {
  const scan: SubscriptionScan = {
    kind: "polling",
    id: newId(),
    reason: null,
    since: "2026-09-14T07:59:00Z",
    until,
    stage: "records",
    checkpoint: null,
    found: 0,
  };
  const record = { id: "003Sb0000000001IAA", changeTime: new Date(changeTime), raw: {}, values: {} };
  const [event] = listFoundRecords(
    { scan, subscription: { objectName: "Contact" }, target: { connector: { subscribe, read } } },
    { page: { records: [record] }, until: new Date(until), known: new Map() },
  );
  return event?.dedupeKey.toString("hex") ?? "";
}

test("a record that changes twice in a second is found twice, where the provider's times are whole seconds", () => {
  const time = "2026-09-14T08:00:05Z";
  const inThatSecond = getKey(time, "2026-09-14T08:00:05Z");
  const later = getKey(time, "2026-09-14T08:01:05Z");
  assert.notEqual(inThatSecond, later);
  assert.equal(getKey(time, "2026-09-14T08:02:05Z"), later);
});

test("a change with an exact time is found once", () => {
  const time = "2026-09-14T08:00:05.123Z";
  assert.equal(getKey(time, "2026-09-14T08:00:05.200Z"), getKey(time, "2026-09-14T08:01:05.200Z"));
});

/** Guards which objects of an installation are shown as read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Content } from "./configuration/config-content.ts";
import { listReadObjects } from "./read-objects.ts";

const HOURLY = "0 * * * *";
const ALL = { defaultPeriod: { fullHistory: true } };

test("objects of the configuration come first, with their own schedule or the manifest's, then those that are always read", () => {
  const content = {
    provider: "hubspot",
    read: { objects: { contacts: { objectName: "contacts", schedule: "" }, deals: { disabled: true } } },
  } as unknown as Content;
  const declared = [
    { objectName: "companies", schedule: HOURLY, enabled: "always" as const, backfill: ALL },
    { objectName: "contacts", schedule: HOURLY, backfill: ALL },
    { objectName: "deals", schedule: HOURLY, backfill: { defaultPeriod: { days: 0 } } },
    { objectName: "tickets", schedule: HOURLY },
  ];
  assert.deepEqual(listReadObjects(content, declared), [
    { objectName: "contacts", schedule: "", hasBackfill: true, isOff: false },
    { objectName: "deals", schedule: HOURLY, hasBackfill: false, isOff: true },
    { objectName: "companies", schedule: HOURLY, hasBackfill: true, isOff: false },
  ]);
});

test("the manifest's `always` holds against a configuration that switches the object off", () => {
  const content = {
    read: { objects: { deals: { objectName: "deals", disabled: true } } },
  } as unknown as Content;
  const declared = [{ objectName: "deals", enabled: "always" as const }];
  assert.deepEqual(listReadObjects(content, declared), [
    { objectName: "deals", schedule: undefined, hasBackfill: false, isOff: false },
  ]);
});

/** Guards which objects of an installation are shown as read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Content } from "./config-content.ts";
import { readObjectsOf } from "./read-objects.ts";

const HOURLY = "0 * * * *";

test("objects of the configuration come first, with their own schedule or the manifest's, then those that are always read", () => {
  const content = {
    provider: "hubspot",
    read: { objects: { contacts: { objectName: "contacts", schedule: "" }, deals: { disabled: true } } },
  } as unknown as Content;
  const declared = [
    { objectName: "companies", schedule: HOURLY, enabled: "always" as const },
    { objectName: "contacts", schedule: HOURLY },
    { objectName: "deals", schedule: HOURLY },
    { objectName: "tickets", schedule: HOURLY },
  ];
  assert.deepEqual(readObjectsOf(content, declared), [
    { objectName: "contacts", schedule: "", isOff: false },
    { objectName: "deals", schedule: HOURLY, isOff: true },
    { objectName: "companies", schedule: HOURLY, isOff: false },
  ]);
});

test("the manifest's `always` holds against a configuration that switches the object off", () => {
  const content = {
    read: { objects: { deals: { objectName: "deals", disabled: true } } },
  } as unknown as Content;
  const declared = [{ objectName: "deals", enabled: "always" as const }];
  assert.deepEqual(readObjectsOf(content, declared), [
    { objectName: "deals", schedule: undefined, isOff: false },
  ]);
});

/** Read objects that a deployment would no longer read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../http/json.ts";
import { findVanishedObjects } from "./find-vanished-objects.ts";

const objects = (...names: string[]): Json => names.map((objectName) => ({ objectName }));

test("read objects that a manifest no longer contains are found in any case; a new integration loses none", () => {
  const content = { read: { objects: objects("Contacts", "deals") } };
  const before = [{ id: "1", name: "crm", latestRevision: { content } }];
  const manifest = (...names: string[]): Json => ({
    integrations: [
      { name: "crm", read: { objects: objects(...names) } },
      { name: "new", read: { objects: objects("x") } },
    ],
  });
  assert.deepEqual(findVanishedObjects(before, manifest("contacts", "DEALS")), []);
  assert.deepEqual(findVanishedObjects(before, manifest("contacts")), [
    { integration: "crm", integrationId: "1", objects: ["deals"] },
  ]);
  assert.deepEqual(findVanishedObjects(before, "no manifest"), []);
});

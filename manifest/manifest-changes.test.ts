/** The comparison of two revisions of a manifest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../ground/json.ts";
import { compareManifests } from "./manifest-changes.ts";

const shown = (before: Json, after: Json) =>
  compareManifests(before, after).map(({ kind, path, before: was, after: is }) =>
    [kind, path, ...(was === undefined ? [] : [was]), ...(is === undefined ? [] : [is])].join(" "),
  );
const objects = (...names: string[]): Json => names.map((objectName) => ({ objectName }));

test("a different order of objects and fields is no change, and an empty list equals a missing one", () => {
  assert.deepEqual(
    shown({ write: { objects: objects("a", "b") } }, { write: { objects: objects("b", "a") } }),
    [],
  );
  assert.deepEqual(shown({ name: "x", module: "" }, { name: "x", write: null, objects: [] }), []);
});

test("a new block, a removed object and a changed value are reported with their paths", () => {
  assert.deepEqual(
    shown(
      { read: { objects: [{ objectName: "contacts", schedule: "0 * * * *" }, { objectName: "deals" }] } },
      { read: { objects: [{ objectName: "contacts", schedule: "*/30 * * * *" }] }, proxy: { enabled: true } },
    ),
    [
      "changed read.objects.contacts.schedule 0 * * * * */30 * * * *",
      "removed read.objects.deals",
      "added proxy",
    ],
  );
});

test("fields that have no provider name are compared by the builder's names", () => {
  const fields = (...names: string[]): Json => names.map((mapToName) => ({ mapToName }));
  assert.deepEqual(shown({ f: fields("notes", "size") }, { f: fields("size", "notes", "more") }), [
    "added f.more",
  ]);
});

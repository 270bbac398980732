/** Guards the recognition of unchanged records, and that an entry is written the same with and without it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResultEntry } from "../../events/read-message-schema.ts";
import { writeContent, writeEntry } from "./entry-text.ts";
import { recordFingerprint } from "./record-fingerprint.ts";

const entry: ResultEntry = { id: "1", fields: { a: "ü" }, mappedFields: { b: null }, raw: { A: "ü" } };
const time = new Date(5);
const fingerprint = (changed: Partial<ResultEntry>, changeTime: Date | undefined = time) =>
  recordFingerprint(writeContent({ ...entry, ...changed }), changeTime).toString("hex");

test("a fingerprint has 16 bytes and is the same for the same content and change time", () => {
  assert.equal(fingerprint({}), fingerprint({ raw: { B: 1 } }));
  assert.equal(Buffer.from(fingerprint({}), "hex").length, 16);
});

test("another value, mapped value, association or change time makes another fingerprint", () => {
  const all = [
    fingerprint({}),
    fingerprint({ fields: { a: "u" } }),
    fingerprint({ mappedFields: {} }),
    fingerprint({ associations: { deals: [{ id: "7" }] } }),
    fingerprint({}, new Date(6)),
    recordFingerprint(writeContent(entry), undefined).toString("hex"),
  ];
  assert.equal(new Set(all).size, all.length);
});

test("the text of an entry is its JSON", () => {
  const associations = { deals: [{ id: "7" }] };
  const deletion = { deleted: true as const, deletedTime: "1970-01-01T00:00:00.000Z" };
  for (const one of [entry, { ...entry, associations }, { ...entry, ...deletion }]) {
    assert.deepEqual(JSON.parse(writeEntry(one)), one);
    assert.equal(writeEntry(one, writeContent(one)), writeEntry(one));
  }
});

// Salesforce ids.

import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeId, toRecordId, addChecksum } from "./ids.ts";

test("the checksum is Salesforce's own", () => {
  assert.equal(addChecksum("001ak00000OKNPH"), "001ak00000OKNPHAA5");
  assert.equal(addChecksum("003ak000003dQCG"), "003ak000003dQCGAA2");
});

test("both forms of an id are the same id, case counts in the short one", () => {
  const id = toRecordId("003", 1234);
  assert.equal(id.length, 18);
  assert.equal(normalizeId(id.slice(0, 15)), id);
  assert.equal(normalizeId(id), id);
  assert.notEqual(normalizeId(id.slice(0, 15).toLowerCase()), id);
});

test("anything else is no id", () => {
  for (const text of ["", "003", "003Sb00000000G8IAB", "003-b00000000G8", `${toRecordId("003", 1)}x`]) {
    assert.equal(normalizeId(text), undefined);
  }
});

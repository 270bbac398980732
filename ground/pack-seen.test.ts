/** Which records were seen, in 16 bytes each. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { packSeen, encodeSeenId, unpackSeen } from "./pack-seen.ts";

test("a record costs 16 bytes, and comes back with its change time and the reason why it was left out", () => {
  const changeTime = new Date("2026-11-26T17:00:00.123Z");
  const packed = packSeen([
    { id: "501", changeTime },
    { id: "502", leftOut: "unchanged", changeTime },
    { id: "501" },
    { id: "003Ø000001", leftOut: "overtaken" },
    { id: "504", deleted: true },
    { id: "505", leftOut: "unchanged", deleted: true },
  ]);
  assert.equal(packed.length, 96);
  assert.deepEqual(unpackSeen(packed, "504"), [{ id: "504", deleted: true }]);
  assert.deepEqual(unpackSeen(packed, "505"), [{ id: "505", leftOut: "unchanged", deleted: true }]);
  assert.deepEqual(unpackSeen(packed, "501"), [{ id: "501", changeTime }, { id: "501" }]);
  assert.deepEqual(unpackSeen(packed, "502"), [{ id: "502", changeTime, leftOut: "unchanged" }]);
  assert.deepEqual(unpackSeen(packed, "003Ø000001"), [{ id: "003Ø000001", leftOut: "overtaken" }]);
  assert.deepEqual(unpackSeen(packed, "503"), []);
});

test("bytes of a key that lie across two entries are no record", () => {
  const key = encodeSeenId("501");
  const packed = packSeen([{ id: "1" }, { id: "2" }]);
  key.copy(packed, 11);
  assert.deepEqual(unpackSeen(packed, "501"), []);
});

test("ids as providers count them, and as they differ in case, have different keys", () => {
  const keys = new Set<string>();
  for (let number = 0; number < 50_000; number++) {
    keys.add(encodeSeenId(String(28_000_000_000 + number)).toString("latin1"));
    keys.add(encodeSeenId(`003Hs${number.toString(36).padStart(10, "0")}AAA`).toString("latin1"));
  }
  for (const id of ["003hs", "003HS", "003Hs", "", "0", "00", "000"])
    keys.add(encodeSeenId(id).toString("latin1"));
  assert.equal(keys.size, 100_007);
});

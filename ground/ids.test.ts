/** Identifiers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildFirstId, isUuid, newId, readTimeOfId, isMistypedApiKey, newApiKey } from "./ids.ts";

test("ids are different, sort in the order they were made, and tell the time they were made at", (t) => {
  const before = buildFirstId(Date.now());
  const ids = Array.from({ length: 10_000 }, newId);
  assert.ok(ids.every((id) => isUuid(id) && id[14] === "7" && /[89ab]/.test(id[19] ?? "")));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(before <= (ids[0] ?? ""));
  assert.ok((ids.at(-1) ?? "") < buildFirstId(Date.now() + 1));
  assert.deepEqual(readTimeOfId(buildFirstId(1_795_000_000_123)), new Date(1_795_000_000_123));
  const ends = new Set(ids.map((id) => id.slice(24)));
  assert.ok(ends.size > 9_990, "the part that is drawn is never used twice");
  t.mock.method(Date, "now", () => 1_000);
  assert.ok(newId() > (ids.at(-1) ?? ""), "a clock that is set back");
});

test("a new API key carries a checksum that shows a mistyped character; keys without one are not judged", () => {
  const key = newApiKey();
  assert.match(key, /^bb_[\w-]{43}[0-9a-z]{7}$/);
  assert.equal(isMistypedApiKey(key), false);
  const other = key[10] === "a" ? "b" : "a";
  assert.equal(isMistypedApiKey(`${key.slice(0, 10)}${other}${key.slice(11)}`), true);
  assert.equal(isMistypedApiKey(key.slice(0, 46)), false);
});

/** Texts that anybody may have written, as they are stored. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isStorable, shorten } from "./storable-text.ts";

test("a cut body holds no half character", () => {
  assert.equal(shorten("ab😀", 3), "ab\ufffd…");
});

test("an error of any length and any characters is text that the database takes", () => {
  assert.equal(shorten("a\0b\ud83d", 1_000), "a\ufffdb\ufffd");
  const cut = shorten(`${"x".repeat(999)}\u{1f680}`, 1_000);
  assert.equal(cut.length, 1_001);
  assert.ok(cut.isWellFormed());
});

test("a NUL or half a character cannot be stored, whole characters can", () => {
  for (const text of ["a\0", "\ud83d", "\udc00x"]) assert.ok(!isStorable(text));
  for (const text of ["", "plain", "😀"]) assert.ok(isStorable(text));
});

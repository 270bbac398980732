import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCompactly } from "./compact-json.ts";

test("what fits on a line stands on one line, and the text is the same JSON", () => {
  const value = { short: [1, { a: "x\ny" }], long: { text: "a".repeat(100), more: ["b".repeat(30)] } };
  const text = formatCompactly(value);
  assert.deepEqual(JSON.parse(text), value);
  assert.deepEqual(text.split("\n").slice(0, 3), ["{", ' "short": [ 1, { "a": "x\\ny" } ],', ' "long": {']);
});

/** A batch is cut so that no request is too large or names a record twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { splitBatch } from "./split-batch.ts";

test("records without a repeated key go together up to the limit", () => {
  assert.deepEqual(splitBatch(["a", "b", "c"], 100), [[0, 1, 2]]);
  assert.deepEqual(splitBatch([undefined, undefined, undefined], 2), [[0, 1], [2]]);
  assert.deepEqual(splitBatch([], 2), []);
});

test("a repeated key goes later than its predecessor, so the last value wins", () => {
  assert.deepEqual(splitBatch(["a", "b", "a", "a", "c"], 100), [[0, 1, 4], [2], [3]]);
  assert.deepEqual(splitBatch(["a", "a", "b", "c", "a"], 2), [[0, 2], [1, 3], [4]]);
});

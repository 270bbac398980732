import assert from "node:assert/strict";
import { test } from "node:test";
import { openDependents } from "./dependents.ts";

test("values are found by every row that they depend on until they are unlinked", () => {
  const dependents = openDependents();
  dependents.link("a", ["row 1", "row 2"]);
  dependents.link("b", ["row 1"]);
  dependents.link("b", ["row 1"]);
  assert.deepEqual(dependents.of("row 1").toSorted(), ["a", "b"]);
  assert.deepEqual(dependents.of("row 2"), ["a"]);
  dependents.unlink("a", ["row 1", "row 2"]);
  assert.deepEqual(dependents.of("row 1"), ["b"]);
  assert.deepEqual(dependents.of("row 2"), []);
  dependents.unlink("b", ["row 1"]);
  assert.deepEqual(dependents.of("row 1"), []);
  dependents.link("a", ["row 1"]);
  dependents.unlink("b", ["row 1"]);
  assert.deepEqual(dependents.of("row 1"), ["a"]);
});

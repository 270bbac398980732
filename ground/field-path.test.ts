/** Guards the reading of nested field names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldPath, parseFieldPath } from "./field-path.ts";

test("a plain name is one step, whatever it contains", () => {
  for (const name of ["email", "a.b", "a[0]", "$browser", "$", "with space"]) {
    assert.deepEqual(parseFieldPath(name), { steps: [name] });
  }
});

test("bracket paths are read into their steps", () => {
  assert.deepEqual(parseFieldPath("$['a']['b.c']"), { steps: ["a", "b.c"] });
  assert.deepEqual(parseFieldPath(`$["a"]['b"c']`), { steps: ["a", 'b"c'] });
  assert.deepEqual(parseFieldPath(String.raw`$['it\'s']['back\\slash']`), { steps: ["it's", "back\\slash"] });
});

test("malformed paths say what is wrong", () => {
  for (const [name, fault] of [
    ["$['a'", /not closed/],
    ["$['a]", /not closed/],
    ["$[a]", /not in quotes/],
    ["$[0]", /not in quotes/],
    ["$.a", /dots/],
    ["$['a'].b", /dots/],
    ["$['a']b", /outside/],
    ["$['']", /empty/],
    ["", /empty/],
    ["$[", /not in quotes/],
  ] as const) {
    const parsed = parseFieldPath(name);
    assert.match("fault" in parsed ? parsed.fault : "none", fault, name);
  }
});

test("steps survive being written and read again", () => {
  for (const steps of [
    ["a", "b"],
    ["it's", "\\"],
    ["]['", "x", "y"],
  ]) {
    assert.deepEqual(parseFieldPath(formatFieldPath(steps)), { steps });
  }
});

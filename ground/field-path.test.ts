/** Guards the reading of nested field names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldPath, parseFieldPath, parseValuePath, type PathStep } from "./field-path.ts";

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
    ["$[0]", /begins with \[0\]/],
    ["$[?primary]", /begins with \[\?primary\]/],
    ["$['a'][*]['b']", /all entries of a list: choose one by \[0\]/],
    ["$['a'][0]", /\[0\] chooses an entry of a list/],
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

test("steps into lists are read: positions, and conditions on a member", () => {
  for (const [name, steps] of [
    ["$['emails'][0]['value']", ["emails", { at: 0 }, "value"]],
    ["$['phones'][12]", ["phones", { at: 12 }]],
    ["$['emails'][?primary]['value']", ["emails", { member: ["primary"], is: true }, "value"]],
    ["$['emails'][?label='work']['value']", ["emails", { member: ["label"], is: "work" }, "value"]],
    ["$['a'][?metadata.primary]['b']", ["a", { member: ["metadata", "primary"], is: true }, "b"]],
    ["$['a'][?n=-1.5]", ["a", { member: ["n"], is: -1.5 }]],
    ["$['a'][?n=false]", ["a", { member: ["n"], is: false }]],
    ["$['a'][?n='true']", ["a", { member: ["n"], is: "true" }]],
    [String.raw`$['a'][?n='it\'s ] "\\"']['b']`, ["a", { member: ["n"], is: String.raw`it's ] "\"` }, "b"]],
  ] satisfies [string, PathStep[]][]) {
    assert.deepEqual(parseValuePath(name), { steps }, name);
    assert.equal(formatFieldPath(steps), name);
  }
  assert.deepEqual(parseValuePath(`$['a'][?n="x"]`), { steps: ["a", { member: ["n"], is: "x" }] });
});

test("a malformed step into a list says which forms there are", () => {
  for (const step of [
    "[-1]",
    "[01]",
    "[1e3]",
    "[?]",
    "[?primary",
    "[?a==1]",
    "[?a=b]",
    "[?a='x]",
    "[?@.a]",
    "[?a.]",
  ]) {
    const parsed = parseValuePath(`$['emails']${step}['value']`);
    assert.match(
      "fault" in parsed ? parsed.fault : "none",
      /character 12 is no entry of a list such as \[0\]/,
      step,
    );
  }
});

/** Patterns of builders: what they capture, and that none of them holds the process. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { captureText } from "./provider-metadata.ts";
import { PatternBudget } from "./pattern-budget.ts";

test("the group `result` is captured, else the first group, else the match", () => {
  const budget = new PatternBudget();
  const text = "https://acme.example/eu";
  assert.equal(captureText(text, String.raw`^https://(\w+)\.(?<result>\w+)`, budget), "example");
  assert.equal(captureText(text, String.raw`^https://(\w+)`, budget), "acme");
  assert.equal(captureText(text, "eu$", budget), "eu");
  assert.equal(captureText(text, "us$", budget), undefined);
  assert.equal(captureText(text, "(", budget), undefined);
  assert.equal(captureText(text, undefined, budget), text);
});

// Each of these would take minutes or longer.
for (const pattern of ["^(a+)+$", String.raw`^(.*)(.*)(.*)(.*)\1\2x$`, "(a|a)*$", "^(.*)(.*)(.*)(.*)(.*)b$"])
  test(`a pattern that takes for ever captures nothing, and those after it get what is left: ${pattern}`, () => {
    const budget = new PatternBudget();
    for (let times = 0; times < 50; times++)
      assert.equal(captureText(`${"a".repeat(900)}!`, pattern, budget), undefined);
    assert.equal(captureText("abc", "b", budget), undefined);
    assert.equal(captureText("abc", "b", new PatternBudget()), "b");
  });

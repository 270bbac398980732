import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "./find-examples.ts";
import type { ResourceExamples } from "./recording.ts";

const recording = (...after: string[]): ResourceExamples => ({ after, run: async () => {} });
const examples = (named: Record<string, ResourceExamples>) => new Map(Object.entries(named));

test("the examples of a resource come after those that they depend on", () => {
  const [a, b, c] = [recording("b", "c"), recording("c"), recording()];
  assert.deepEqual(inOrder(examples({ a, b, c })), [c, b, a]);
});

test("an unknown dependency and a circle of dependencies are named", () => {
  assert.throws(
    () => inOrder(examples({ a: recording("b") })),
    /a\.examples\.ts comes after b, which has no examples/,
  );
  assert.throws(() => inOrder(examples({ a: recording("b"), b: recording("a") })), /a → b → a/);
});

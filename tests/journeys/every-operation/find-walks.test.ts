import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "./find-walks.ts";
import type { ResourceWalk } from "./walk.ts";

const walk = (...after: string[]): ResourceWalk => ({ after, run: async () => {} });
const walks = (named: Record<string, ResourceWalk>) => new Map(Object.entries(named));

test("a walk comes after the walks that it depends on", () => {
  const [a, b, c] = [walk("b", "c"), walk("c"), walk()];
  assert.deepEqual(inOrder(walks({ a, b, c })), [c, b, a]);
});

test("an unknown dependency and a circle of dependencies are named", () => {
  assert.throws(() => inOrder(walks({ a: walk("b") })), /a\.walk\.ts comes after b, which has no walk/);
  assert.throws(() => inOrder(walks({ a: walk("b"), b: walk("a") })), /a → b → a/);
});

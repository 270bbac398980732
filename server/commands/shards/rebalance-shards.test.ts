/** What `busbar shards rebalance` moves, by arithmetic. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planMoves } from "./rebalance-shards.ts";

const shard = (name: string, customers: number, weight = 1, state = "active") => ({
  name,
  state,
  weight,
  customers,
});

test("customers are divided by weight, and as few as possible move", () => {
  assert.deepEqual(planMoves([shard("main", 12), shard("a", 0), shard("b", 0, 2)]), [
    { from: "main", to: "a", customers: 3 },
    { from: "main", to: "b", customers: 6 },
  ]);
  assert.deepEqual(planMoves([shard("main", 5), shard("a", 5)]), []);
  // Whoever has one of two halves keeps it.
  assert.deepEqual(planMoves([shard("main", 1), shard("a", 2)]), []);
  assert.deepEqual(planMoves([shard("main", 2), shard("a", 1)]), []);
  assert.deepEqual(planMoves([shard("main", 3), shard("a", 0)]), [{ from: "main", to: "a", customers: 1 }]);
});

test("a shard without weight, or that gets no customers, is left by all", () => {
  assert.deepEqual(planMoves([shard("main", 1), shard("a", 4, 1, "draining"), shard("b", 1)]), [
    { from: "a", to: "main", customers: 2 },
    { from: "a", to: "b", customers: 2 },
  ]);
  assert.deepEqual(planMoves([shard("main", 4, 0), shard("a", 0)]), [
    { from: "main", to: "a", customers: 4 },
  ]);
  assert.throws(() => planMoves([shard("main", 4, 0)]), {
    name: "StartError",
    message: /no shard is active/,
  });
});

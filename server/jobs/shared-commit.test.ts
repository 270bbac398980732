import assert from "node:assert/strict";
import { test } from "node:test";
import { openSharedCommit } from "./shared-commit.ts";

test("callers that arrive together share a commit, later ones are gathered while it is under way", async () => {
  const batches: number[][] = [];
  const commit = openSharedCommit<number>(async (items) => {
    batches.push(items);
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  await Promise.all(Array.from({ length: 50 }, (_, index) => commit.add(index)));
  assert.equal(batches.length, 1);
  assert.deepEqual(
    batches[0]?.toSorted((a, b) => a - b),
    Array.from({ length: 50 }, (_, index) => index),
  );
});

test("one bad item fails alone", async () => {
  const commit = openSharedCommit<number>(async (items) => {
    if (items.includes(3)) throw new Error("three");
  });
  const results = await Promise.allSettled([1, 2, 3, 4].map((item) => commit.add(item)));
  assert.deepEqual(
    results.map((result) => result.status),
    ["fulfilled", "fulfilled", "rejected", "fulfilled"],
  );
});

test("no batch is larger than the limit and nothing is forgotten", async () => {
  const sizes: number[] = [];
  const commit = openSharedCommit<number>(async (items) => void sizes.push(items.length), { maxItems: 10 });
  await Promise.all(Array.from({ length: 95 }, (_, index) => commit.add(index)));
  assert.ok(sizes.every((size) => size <= 10));
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    95,
  );
});

test("a batch is bounded by the sizes of its items, and one that is larger comes alone", async () => {
  const batches: number[][] = [];
  const commit = openSharedCommit<number>(async (items) => void batches.push(items), {
    maxItems: 10,
    measureSize: (item) => item,
  });
  await Promise.all([4, 6, 1, 30, 2, 2].map((item) => commit.add(item)));
  assert.deepEqual(batches, [[4, 6], [1], [30], [2, 2]]);
});

test("items that come one after the other are committed at once, without waiting for more", async () => {
  const never = 2 ** 30;
  const commit = openSharedCommit<number>(async () => {}, { gather: { items: 10, ms: never } });
  for (let item = 0; item < 3; item++) await commit.add(item);
});

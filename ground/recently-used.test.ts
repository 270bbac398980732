/** The map of recently used entries. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "../tests/harness/processor-ms.ts";
import { keepRecentlyUsed } from "./recently-used.ts";

test("of more entries than it may keep, the least recently used are dropped, and told", () => {
  const dropped: string[] = [];
  const known = keepRecentlyUsed<number>(3, { dispose: (_value, key) => dropped.push(key) });
  for (const [value, key] of ["a", "b", "c"].entries()) known.set(key, value);
  known.get("a");
  known.set("d", 3);
  known.set("c", 4);
  known.set("e", 5);
  assert.deepEqual([...known.keys()].toSorted(), ["c", "d", "e"]);
  assert.deepEqual(dropped, ["b", "c", "a"]);
  for (let value = 0; value < 1_000; value++) known.set(`k${value}`, value);
  assert.equal(known.size, 3);
});

test("an empty one for a million entries takes neither time nor memory", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const made: unknown[] = [];
  const tookMs = await processorMs(() => {
    for (let count = 0; count < 100; count++) made.push(keepRecentlyUsed<number>(1_000_000));
  });
  assert.ok(tookMs < 500, `${tookMs} ms`);
  assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000);
});

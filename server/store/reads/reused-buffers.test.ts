/** A buffer is used again only after it was given back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReusedBuffers } from "./reused-buffers.ts";

test("two that are in use share nothing; one that was given back is used again, at any size", () => {
  const buffers = new ReusedBuffers();
  const first = buffers.take(10);
  const second = buffers.take(1_000_000);
  assert.deepEqual([first.length, second.length], [10, 1_000_000]);
  assert.notEqual(first.buffer, second.buffer);
  buffers.giveBack(first);
  const third = buffers.take(2_000_000);
  assert.equal(third.length, 2_000_000);
  assert.equal(third.buffer, first.buffer);
});

test("large ones are not kept", () => {
  const buffers = new ReusedBuffers();
  const large = buffers.take(10_000_000);
  assert.equal(large.length, 10_000_000);
  buffers.giveBack(large);
  assert.notEqual(buffers.take(10).buffer, large.buffer);
});

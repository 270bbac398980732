/** Fair slots: how many items of a key run at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FairSlots } from "./fair-slots.ts";

interface Item {
  key: string;
  nth: number;
}

function slotsWith(...keys: [key: string, count: number][]): FairSlots<Item> {
  const slots = new FairSlots<Item>(({ key }) => key);
  for (const [key, count] of keys) for (let nth = 0; nth < count; nth++) slots.add({ key, nth });
  return slots;
}

test("each key has sixteen slots, whatever the others hold", () => {
  const slots = slotsWith(["a", 100], ["b", 3]);
  const taken = slots.take();
  assert.equal(taken.filter(({ key }) => key === "a").length, 16);
  assert.equal(taken.filter(({ key }) => key === "b").length, 3);
  assert.deepEqual(slots.take(), []);
  assert.equal(slots.size, 103);
});

test("items of a key get their slots in the order in which they were added", () => {
  const slots = slotsWith(["a", 20]);
  const first = slots.take();
  first.forEach(() => slots.end("a", "sent"));
  assert.deepEqual(
    [...first, ...slots.take()].map(({ nth }) => nth),
    Array.from({ length: 20 }, (_, nth) => nth),
  );
});

test("a rate limited key gets one slot, and each item that gets through doubles it", () => {
  const slots = slotsWith(["a", 16]);
  slots.take();
  for (let left = 16; left > 0; left--) slots.end("a", "rate-limited");
  for (let nth = 0; nth < 60; nth++) slots.add({ key: "a", nth });
  for (const atOnce of [1, 2, 4, 8, 16]) {
    const taken = slots.take();
    assert.equal(taken.length, atOnce);
    // Only the first answer is counted here; the others end without having taught anything.
    taken.forEach((_, index) => slots.end("a", index === 0 ? "sent" : "given-up"));
  }
});

test("a key stays reduced while nothing of it is here", () => {
  const slots = slotsWith(["a", 1]);
  slots.take();
  slots.end("a", "rate-limited");
  assert.equal(slots.size, 0);
  for (let nth = 0; nth < 5; nth++) slots.add({ key: "a", nth });
  assert.equal(slots.take().length, 1);
});

test("withdrawing returns what has no slot and keeps what has one", () => {
  const slots = slotsWith(["a", 20], ["b", 17]);
  slots.take();
  assert.equal(slots.withdraw("a").length, 4);
  assert.equal(slots.withdrawAll().length, 1);
  assert.equal(slots.size, 32);
});

test("a key with enough waiting items, or with its one slot taken, asks the queue for no more", () => {
  const slots = slotsWith(["large", 48], ["small", 2], ["limited", 1]);
  slots.take();
  slots.end("limited", "rate-limited");
  slots.add({ key: "limited", nth: 1 });
  slots.take();
  assert.deepEqual(slots.keysWithEnough(), ["large", "limited"]);
  assert.equal(slots.needsMore("small"), true);
  assert.equal(slots.needsMore("unknown"), true);
  assert.equal(slots.needsMore("limited"), false);
});

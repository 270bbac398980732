/** Fair slots: how many items of a key run at once, and how many places keys and groups may hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FairSlots } from "./fair-slots.ts";

interface Item {
  key: string;
  nth: number;
}

/** `group/key`, or a group of its own for each key. */
const toGroup = (key: string): string => key.split("/")[0] ?? key;
const newSlots = () =>
  new FairSlots<Item>({ getKey: ({ key }) => key, getGroup: ({ key }) => toGroup(key), places: 1_024 });

/** Claims for this key all that there is capacity for, and gives slots to what was claimed. */
function fill(slots: FairSlots<Item>, key: string): number {
  const capacity = slots.capacity(key, toGroup(key));
  for (let nth = 0; nth < capacity; nth++) slots.add({ key, nth });
  return slots.take().length;
}

function slotsWith(...keys: [key: string, count: number][]): FairSlots<Item> {
  const slots = newSlots();
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

test("a key with its one slot taken has no capacity for more until it gets through", () => {
  const slots = slotsWith(["limited", 1]);
  slots.take();
  slots.end("limited", "rate-limited");
  assert.equal(fill(slots, "limited"), 1);
  assert.equal(slots.capacity("limited", "limited"), 0);
  assert.equal(slots.needsMore("limited", "limited"), false);
  slots.end("limited", "sent", 5);
  assert.equal(slots.capacity("limited", "limited"), 2);
});

test("only a key with quick answers has capacity for items that wait here", () => {
  const slots = slotsWith(["slow", 16], ["quick", 16]);
  slots.take();
  slots.end("slow", "sent", 50_000);
  slots.end("quick", "sent", 5);
  assert.equal(slots.capacity("slow", "slow"), 1);
  assert.ok(slots.capacity("quick", "quick") > 16);
  assert.equal(slots.capacity("unknown", "unknown"), 16);
});

test("waiting items of a key that stops answering give their places back", (t) => {
  let nowMs = performance.now();
  t.mock.method(performance, "now", () => nowMs);
  const slots = slotsWith(["a", 16], ["quick", 1]);
  slots.take();
  slots.end("a", "sent", 5);
  fill(slots, "a");
  const held = slots.size;
  assert.ok(held > 40);
  assert.deepEqual(slots.withdrawStalled(), []);
  nowMs += 1_100;
  assert.equal(slots.withdrawStalled().length, held - 17);
  assert.equal(slots.capacity("a", "a"), 0);
});

test("slow keys of one group, however many, leave half of the places to other groups", () => {
  const slots = newSlots();
  for (let nth = 0; nth < 200; nth++) fill(slots, `slow/${nth}`);
  assert.ok(slots.size <= 512, String(slots.size));
  assert.equal(fill(slots, "other/1"), 16);
});

test("each further group with slow keys leaves half of the rest", () => {
  const slots = newSlots();
  for (const group of ["a", "b", "c", "d"])
    for (let nth = 0; nth < 200; nth++) fill(slots, `${group}/${nth}`);
  assert.ok(fill(slots, "other/1") >= 1);
  assert.ok(slots.free > 16, String(slots.free));
});

test("24 slow keys leave slots to the other keys of their group, and 200 that end in turns do too", () => {
  const slots = newSlots();
  for (let nth = 0; nth < 24; nth++) fill(slots, `p/slow ${nth}`);
  assert.equal(fill(slots, "p/healthy"), 16);
  for (let left = 16; left > 0; left--) slots.end("p/healthy", "sent", 5);
  // The first keys have taken most; as their items end, the others get their turn and the first get less.
  const running: string[] = [];
  for (let nth = 0; nth < 24; nth++) running.push(...Array.from({ length: 16 }, () => `p/slow ${nth}`));
  for (let round = 0; round < 20; round++) {
    for (let nth = 0; nth < 200; nth++) {
      const key = `p/slow ${nth}`;
      running.push(...Array.from({ length: fill(slots, key) }, () => key));
    }
    for (const key of running.splice(0, 100)) slots.end(key, "sent", 50_000);
  }
  assert.ok(slots.capacity("p/healthy", "p") >= 1);
});

test("a key asks at once only when half of its slots are idle", () => {
  const slots = slotsWith(["a", 16]);
  slots.take();
  const isShort: boolean[] = [];
  for (let ended = 0; ended < 9; ended++) {
    slots.end("a", "sent", 50_000);
    isShort.push(slots.isShort("a", "a"));
    assert.equal(slots.needsMore("a", "a"), true);
  }
  assert.deepEqual(isShort, [...Array.from({ length: 8 }, () => false), true]);
});

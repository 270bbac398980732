/** Lanes: how much each receiver takes, and that slow ones do not hold up the others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Lanes } from "./lanes.ts";
import { until } from "../../tests/harness/until.ts";

const SLOW_MS = 500;

/** Lanes whose items end when they are told to. */
function openLanes() {
  const running: { item: string; end: () => void }[] = [];
  const spaces = { count: 0 };
  const lanes = new Lanes<string>(
    (item) => new Promise((resolve) => running.push({ item, end: resolve })),
    () => void (spaces.count += 1),
  );
  const add = (id: string, count: number, failing = false): void => {
    for (let nth = 0; nth < count; nth++) lanes.add(id, `${id} ${nth}`, failing);
  };
  const end = async (count: number): Promise<void> => {
    for (const { end } of running.splice(0, count)) end();
    await wait(0);
  };
  return { lanes, running, spaces, add, end };
}

test("a receiver gets 64 messages at once, in order, and one that fails gets four", async () => {
  const { running, add, end } = openLanes();
  add("works", 100);
  add("fails", 100, true);
  const started = (id: string) => running.filter(({ item }) => item.startsWith(id)).map(({ item }) => item);
  assert.equal(started("fails").length, 4);
  assert.deepEqual(
    started("works"),
    Array.from({ length: 64 }, (_, nth) => `works ${nth}`),
  );
  await end(1);
  assert.equal(started("works").at(-1), "works 64");
});

test("a lane narrows when its receiver fails and widens when it works again", async () => {
  const { lanes, running, add, end } = openLanes();
  add("a", 200);
  lanes.judge("a", true);
  await end(63);
  assert.equal(running.length, 4);
  lanes.judge("a", false);
  await end(1);
  assert.equal(running.length, 64);
});

test("a full lane takes more when half of its line is gone, and reports that once", async () => {
  const { lanes, spaces, add, end } = openLanes();
  add("a", 1_024);
  assert.equal(lanes.space("a"), 0);
  assert.equal(lanes.space("b"), 1_024);
  assert.equal(lanes.fits, 0, "an event to all would find no room");
  for (let gone = 0; gone < 511; gone++) await end(1);
  assert.equal(lanes.space("a"), 0);
  assert.equal(spaces.count, 0);
  await end(1);
  assert.equal(lanes.space("a"), 512);
  assert.equal(spaces.count, 1);
  assert.equal(lanes.fits, 512);
});

test("a drain drops what is in line and waits for what is under way", async () => {
  const { lanes, running, add, end } = openLanes();
  add("a", 70);
  let drained = false;
  const draining = lanes.drain().then(() => (drained = true));
  await end(63);
  assert.equal(drained, false);
  await end(1);
  await draining;
  assert.equal(running.length, 0);
});

test("slow receivers that have taken all room give up their lines; one that keeps up does not", async () => {
  const lanes = new Lanes<string>(
    async (id) => {
      if (id !== "quick") await new Promise(() => {});
    },
    () => {},
    SLOW_MS,
  );
  const slow = Array.from({ length: 8 }, (_, index) => `slow ${index}`);
  for (const id of [...slow, "quick"]) {
    for (let taken = 0; taken < 450; taken++) lanes.add(id, id, false);
  }
  assert.equal(lanes.isFull, true);
  assert.deepEqual(lanes.shed(), [], "no receiver is slow at once");
  const shed = await until(() => {
    const given = lanes.shed();
    return given.length > 0 && given;
  });
  assert.deepEqual([...new Set(shed)].toSorted(), slow);
  assert.equal(lanes.isFull, false);
  assert.equal(lanes.space("slow 0"), 0, "what is under way is enough for it");
  assert.ok(lanes.space("quick") > 0);
  assert.ok(lanes.space("new") > 0);
});

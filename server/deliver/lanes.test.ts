/** Lanes: how much each receiver takes, and that slow ones do not hold up the others. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Lanes } from "./lanes.ts";
import { until } from "../../tests/harness/until.ts";

const SLOW_MS = 200;
const PROJECT = "project";
const DEPTH = 1_024;

/** Stops the clock of a test. Returns a function that lets a time pass. */
function stopClock(t: TestContext): (ms: number) => void {
  // Whole milliseconds: with fractions, a time that has passed exactly may be reported as a little less.
  let nowMs = Math.round(performance.now());
  t.mock.method(performance, "now", () => nowMs);
  return (ms) => void (nowMs += ms);
}

/** Lanes whose items end when they are told to. */
function openLanes({ measureCost = () => 1 }: { measureCost?: (item: string) => number } = {}) {
  const running: { item: string; end: () => void }[] = [];
  const spaces = { count: 0 };
  const lanes = new Lanes<string>({
    run: (item, begun) => {
      begun();
      return new Promise<void>((resolve) => running.push({ item, end: resolve }));
    },
    onSpace: () => void (spaces.count += 1),
    measureCost,
    slowMs: SLOW_MS,
  });
  const owner = (id: string, projectId = PROJECT, failing = false) => ({ id, projectId, failing });
  const add = (id: string, count: number, failing = false, projectId = PROJECT): void => {
    for (let nth = 0; nth < count; nth++) lanes.add(owner(id, projectId, failing), `${id} ${nth}`);
  };
  const space = (id: string, projectId = PROJECT): number => lanes.space(owner(id, projectId));
  /** Adds what the lanes have capacity for, as routing does. */
  const fill = (id: string, count: number, projectId = PROJECT): void =>
    add(id, Math.min(count, space(id, projectId)), false, projectId);
  const started = (id: string): string[] =>
    running.filter(({ item }) => item.startsWith(`${id} `)).map(({ item }) => item);
  const end = async (count: number): Promise<void> => {
    for (const { end } of running.splice(0, count)) end();
    await wait(0);
  };
  return { lanes, running, spaces, add, space, fill, started, end };
}

test("a receiver gets 64 messages at once, in order, and one that fails gets four", async () => {
  const { started, add, end } = openLanes();
  add("works", 100);
  add("fails", 100, true);
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

test("a full lane takes more when half of its line is gone, and reports that once", async (t) => {
  // On a busy machine the many steps take so long that the lane would count as slow.
  stopClock(t);
  const { lanes, spaces, add, space, end } = openLanes();
  add("a", 1_024);
  assert.equal(space("a"), 0);
  assert.equal(space("b"), 1_024);
  assert.equal(lanes.fits, 0, "an event to all would find no capacity");
  for (let gone = 0; gone < 511; gone++) await end(1);
  assert.equal(space("a"), 0);
  assert.equal(spaces.count, 0);
  await end(1);
  assert.equal(space("a"), 512);
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

test("slow receivers that have taken their project's capacity give up their lines; one that keeps up does not", async (t) => {
  const pass = stopClock(t);
  const { lanes, running, add, space } = openLanes();
  for (let nth = 0; nth < 7; nth++) add(`slow${nth}`, 450);
  add("quick", 200);
  assert.deepEqual(lanes.shed(), [], "no receiver is slow at once");
  const shed = await until(() => {
    pass(SLOW_MS / 20);
    for (const { item, end } of running) if (item.startsWith("quick")) end();
    const lines = lanes.shed();
    return lines.length > 0 && lines;
  });
  assert.ok(shed.length >= 450 - 64);
  assert.ok(shed.every((item) => item.startsWith("slow")));
  assert.equal(space("slow0"), 0, "what is under way is enough for it");
  assert.ok(space("quick") > 0);
});

test("one slow receiver keeps its 64 messages at once; of many, each keeps a part, and widens when the others are done", async (t) => {
  const pass = stopClock(t);
  const { lanes, running, add, started, end } = openLanes();
  const ids = Array.from({ length: 100 }, (_, nth) => `slow${nth}`);
  for (const id of ids) add(id, 5);
  add("alone", 64, false, "other");
  pass(SLOW_MS);
  lanes.shed();
  for (const id of ids) add(id, 60);
  assert.equal(started("alone").length, 64);
  // Half of the capacity for slow receivers is this project's: 1,024 of 2,048.
  for (const id of ids) assert.equal(started(id).length, 10);
  while (running.some(({ item }) => item.startsWith("slow"))) await end(running.length);
  add("slow0", 64);
  assert.equal(started("slow0").length, 64);
});

test("a project alone takes most of the capacity; its slow receivers leave enough for other projects, and for its own others", () => {
  const { lanes, space, fill, started } = openLanes();
  for (let nth = 0; nth < 72; nth++) fill(`slow${nth}`, 110);
  const taken = 4_096 - lanes.capacity;
  assert.ok(taken > 2_800 && taken <= 3_072, `${taken} of 4,096`);
  assert.ok(space("own") > 0);
  assert.ok(space("other", "other") >= 200);
  fill("other", 64, "other");
  assert.equal(started("other").length, 64);
});

test("four projects that take all they can leave capacity for one more", () => {
  const { space, fill } = openLanes();
  for (let project = 0; project < 4; project++) {
    for (let nth = 0; nth < 72; nth++) fill(`slow${nth} of ${project}`, 110, `project${project}`);
  }
  assert.ok(space("one more", "one more") > 0);
});

test("routing waits for a project that has just become full, and not for one that stays full", (t) => {
  const pass = stopClock(t);
  const { lanes, fill } = openLanes();
  for (let nth = 0; nth < 10; nth++) fill(`a${nth}`, DEPTH / 2);
  for (let nth = 0; nth < 20; nth++) fill(`b${nth}`, DEPTH / 2);
  while (lanes.fullProjects().length === 0) lanes.add({ id: "c", projectId: PROJECT, failing: false }, "c");
  assert.equal(lanes.fits, 0);
  assert.deepEqual(lanes.fullProjects(), [PROJECT]);
  pass(60);
  assert.ok(lanes.fits > 0);
});

test("a large message takes more capacity", () => {
  const { lanes, add } = openLanes({ measureCost: () => 5 });
  add("a", 100);
  assert.equal(lanes.capacity, 4_096 - 500);
});

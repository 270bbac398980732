import assert from "node:assert/strict";
import { test } from "node:test";
import { openRefreshSlots, SlotGivenUp, type RefreshSlots } from "./refresh-turns.ts";

const always = () => true;
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for turns that end when they are told to. */
function slow(turns: RefreshSlots, projectId: string, provider: string, count: number) {
  const state = { running: 0, ends: new Array<() => void>() };
  for (let index = 0; index < count; index += 1) {
    void turns.run({ projectId, provider }, always, async () => {
      state.running += 1;
      await new Promise<void>((resolve) => state.ends.push(resolve));
      state.running -= 1;
    });
  }
  return state;
}

test("one project takes about half of a provider's places and no more", async () => {
  const turns = openRefreshSlots({ max: 100, maxPerProvider: 30 });
  const one = slow(turns, "one", "acme", 100);
  await tick();
  assert.equal(one.running, 16);
  assert.deepEqual(turns.waiting(), [{ projectId: "one", provider: "acme" }]);
});

test("a further project starts at once, however many projects are slow at the same provider", async () => {
  const turns = openRefreshSlots({ max: 100, maxPerProvider: 30 });
  for (let index = 0; index < 8; index += 1) {
    const next = slow(turns, `project-${index}`, "acme", 50);
    await tick();
    assert.ok(next.running >= 1, `project ${index}`);
  }
});

test("no provider takes all places: refreshes at another one start at once", async () => {
  const turns = openRefreshSlots({ max: 10, maxPerProvider: 10 });
  const projects = ["a", "b", "c", "d"].map((project) => slow(turns, project, "acme", 50));
  await tick();
  const running = projects.reduce((sum, project) => sum + project.running, 0);
  assert.ok(running <= 8, `${running} of 10`);
  const other = slow(turns, "z", "other", 1);
  await tick();
  assert.equal(other.running, 1);
});

test("projects take turns: one that comes later does not wait for the whole queue of an earlier one", async () => {
  const turns = openRefreshSlots({ max: 3, maxPerProvider: 3 });
  const early = slow(turns, "early", "acme", 20);
  const late = slow(turns, "late", "acme", 20);
  await tick();
  for (let ended = 0; ended < 4; ended += 1) {
    early.ends.shift()?.();
    await tick();
    await tick();
  }
  assert.ok(late.ends.length >= 1, `${late.ends.length} of the later project`);
});

test("a turn that nobody waits for any more is given up, and the next one starts", async () => {
  const turns = openRefreshSlots({ max: 2, maxPerProvider: 2 });
  const first = slow(turns, "one", "acme", 2);
  let wanted = true;
  const unwanted = turns.run(
    { projectId: "one", provider: "acme" },
    () => wanted,
    async () => "ran",
  );
  const last = turns.run({ projectId: "one", provider: "acme" }, always, async () => "ran");
  await tick();
  wanted = false;
  for (const end of first.ends) end();
  await assert.rejects(unwanted, SlotGivenUp);
  await tick();
  for (const end of first.ends) end();
  assert.equal(await last, "ran");
});

test("a place is free again after work that failed", async () => {
  const turns = openRefreshSlots({ max: 2, maxPerProvider: 2 });
  const queue = { projectId: "one", provider: "acme" };
  for (let tries = 0; tries < 5; tries += 1) {
    await assert.rejects(
      turns.run(queue, always, async () => Promise.reject(new Error("no"))),
      /no/,
    );
  }
  assert.deepEqual(turns.waiting(), []);
});

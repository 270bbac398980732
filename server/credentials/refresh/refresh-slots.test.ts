import assert from "node:assert/strict";
import { test } from "node:test";
import { openRefreshSlots, SlotGivenUp, type RefreshSlots } from "./refresh-slots.ts";

const always = () => true;
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for turns that end when they are told to. */
function slow(slots: RefreshSlots, projectId: string, provider: string, count: number) {
  const state = { running: 0, ends: new Array<() => void>() };
  for (let index = 0; index < count; index += 1) {
    void slots.run({ projectId, provider }, always, async () => {
      state.running += 1;
      await new Promise<void>((resolve) => state.ends.push(resolve));
      state.running -= 1;
    });
  }
  return state;
}

test("one project takes about half of a provider's slots and no more", async () => {
  const slots = openRefreshSlots({ max: 100, maxPerProvider: 30 });
  const one = slow(slots, "one", "acme", 100);
  await tick();
  assert.equal(one.running, 16);
  assert.deepEqual(slots.waiting(), [{ projectId: "one", provider: "acme" }]);
});

test("a further project starts at once, however many projects are slow at the same provider", async () => {
  const slots = openRefreshSlots({ max: 100, maxPerProvider: 30 });
  for (let index = 0; index < 8; index += 1) {
    const next = slow(slots, `project-${index}`, "acme", 50);
    await tick();
    assert.ok(next.running >= 1, `project ${index}`);
  }
});

test("no provider takes all slots: refreshes at another one start at once", async () => {
  const slots = openRefreshSlots({ max: 10, maxPerProvider: 10 });
  const projects = ["a", "b", "c", "d"].map((project) => slow(slots, project, "acme", 50));
  await tick();
  const running = projects.reduce((sum, project) => sum + project.running, 0);
  assert.ok(running <= 8, `${running} of 10`);
  const other = slow(slots, "z", "other", 1);
  await tick();
  assert.equal(other.running, 1);
});

test("projects take turns: one that comes later does not wait for the whole queue of an earlier one", async () => {
  const slots = openRefreshSlots({ max: 3, maxPerProvider: 3 });
  const early = slow(slots, "early", "acme", 20);
  const late = slow(slots, "late", "acme", 20);
  await tick();
  for (let ended = 0; ended < 4; ended += 1) {
    early.ends.shift()?.();
    await tick();
    await tick();
  }
  assert.ok(late.ends.length >= 1, `${late.ends.length} of the later project`);
});

test("a turn that nobody waits for any more is given up, and the next one starts", async () => {
  const slots = openRefreshSlots({ max: 2, maxPerProvider: 2 });
  const first = slow(slots, "one", "acme", 2);
  let wanted = true;
  const unwanted = slots.run(
    { projectId: "one", provider: "acme" },
    () => wanted,
    async () => "ran",
  );
  const last = slots.run({ projectId: "one", provider: "acme" }, always, async () => "ran");
  await tick();
  wanted = false;
  for (const end of first.ends) end();
  await assert.rejects(unwanted, SlotGivenUp);
  await tick();
  for (const end of first.ends) end();
  assert.equal(await last, "ran");
});

test("a place is free again after work that failed", async () => {
  const slots = openRefreshSlots({ max: 2, maxPerProvider: 2 });
  const queue = { projectId: "one", provider: "acme" };
  for (let tries = 0; tries < 5; tries += 1) {
    await assert.rejects(
      slots.run(queue, always, async () => Promise.reject(new Error("no"))),
      /no/,
    );
  }
  assert.deepEqual(slots.waiting(), []);
});

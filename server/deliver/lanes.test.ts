/** Lanes: what receivers hold, and whom they cannot hold up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Lanes } from "./lanes.ts";
import { until } from "../../tests/harness/until.ts";

const SLOW_MS = 50;

test("slow receivers that have taken all room give up their lines; one that keeps up does not", async () => {
  const started = new Set<string>();
  const lanes = new Lanes<string>(
    async (id) => {
      started.add(id);
      if (id === "quick") await wait(1);
      else await new Promise(() => {});
    },
    () => {},
    SLOW_MS,
  );
  const slow = Array.from({ length: 8 }, (_, index) => `slow ${index}`);
  for (const id of [...slow, "quick"]) {
    for (let taken = 0; taken < 450; taken++) lanes.add(id, id, false);
  }
  assert.equal(lanes.isFull, true);
  assert.deepEqual(lanes.shed(), [], "nobody is slow at once");
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

import assert from "node:assert/strict";
import { test } from "node:test";
import { computeHeadroom, computeTakeable } from "./fair-share.ts";

const CAPACITY = 4_096;

test("an owner that is alone gets half, two thirds or three quarters of all, however it takes them", () => {
  for (const [times, part] of [
    [1, 1 / 2],
    [2, 2 / 3],
    [3, 3 / 4],
  ] as const) {
    assert.equal(computeTakeable({ own: 0, free: CAPACITY, times }), Math.floor(CAPACITY * part));
    let own = 0;
    while (computeHeadroom({ own, free: CAPACITY - own, times }) > 0) own += 1;
    assert.ok(Math.abs(own - CAPACITY * part) <= 1, `one by one: ${own}`);
  }
});

test("each owner that comes later finds the same part of what is left, and nobody takes beyond the share", () => {
  for (const times of [1, 2, 3]) {
    let free = CAPACITY;
    while (free >= 2 * (times + 1)) {
      const taken = computeTakeable({ own: 0, free, times });
      assert.ok(taken >= 1 && taken < free, `${taken} of ${free}`);
      free -= taken;
      const after = { own: taken, free, times };
      assert.ok(computeHeadroom(after) >= 0);
      assert.equal(computeTakeable(after), 0, "another turn brings nothing");
    }
  }
});

test("an owner above its share, because others came, takes nothing until it has given back", () => {
  assert.equal(computeTakeable({ own: 300, free: 50, times: 3 }), 0);
  assert.ok(computeHeadroom({ own: 300, free: 50, times: 3 }) < 0);
  assert.equal(computeTakeable({ own: 100, free: 250, times: 3 }), 162);
});

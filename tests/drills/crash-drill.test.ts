/** The crash drill in its short form: the whole one is tests/drills/crash-drill.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crashDrill, listFaults } from "./crash-drill.ts";

test("writes accepted while the worker is killed all end, in order, and no create is repeated blindly", async () => {
  const report = await crashDrill({ writes: 240, kills: 2 });
  assert.deepEqual(listFaults(report), []);
  assert.equal(report.accepted, 240);
});

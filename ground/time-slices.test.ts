import assert from "node:assert/strict";
import { test } from "node:test";
import { startTimeSlices } from "./time-slices.ts";

test("between two slices the process does what waits for the event loop", async () => {
  const slices = startTimeSlices();
  const served: string[] = [];
  setImmediate(() => served.push("request"));
  while (!slices.isOver()) assert.equal(served.length, 0);
  await slices.next();
  assert.deepEqual(served, ["request"]);
});

/** The reading drill in its short form: the whole one is tests/drills/read-drill.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listFaults, readDrill } from "./read-drill.ts";

test("a receiver that upserts and deletes ends equal to the accounts, although a process is killed and records change", async () => {
  const report = await readDrill({
    records: 1_000,
    kills: 1,
    seconds: 6,
    // A read is given up after an hour, half a minute here, and a kill takes its time on a busy machine.
    minuteMs: 500,
    restartsDatabase: false,
  });
  assert.deepEqual(listFaults(report), []);
});

/** Processes that deliver may be killed at any moment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { drillDeliveries } from "./deliveries-drill.ts";
import { createTestDatabase } from "../harness/database.ts";

test("after kill -9 in the middle every message arrives at least once, under its one id", async () => {
  const { connectionString, drop } = await createTestDatabase();
  try {
    const report = await drillDeliveries({ connectionString, deliveries: 1_000, kills: 2 });
    assert.deepEqual(report.missing, []);
    assert.deepEqual(report.strange, []);
    assert.equal(report.deliveries, 1_000);
  } finally {
    await drop();
  }
});

/** The refresh drill in its short form: the whole one is tests/drills/refresh-drill.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listFaults, refreshDrill } from "./refresh-drill.ts";

test("no refresh token is lost or sent twice while the database is killed and started again", async () => {
  const report = await refreshDrill({ connections: 24, restarts: 1 });
  assert.deepEqual(listFaults(report), []);
  assert.ok(report.refreshed >= 24);
});

/** The first answer about the time counts however late it comes: until then, a wrong clock of this machine would be stored. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pool } from "pg";
import { leaveClock, nowMs } from "../../../ground/clock.ts";
import { createTestDatabase } from "../../../tests/harness/database.ts";
import { askDatabaseClock } from "./database-clock.ts";

const HOUR_MS = 3_600_000;

test("a process whose first question for the time is answered late follows the database's clock at once", async (t) => {
  const database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.connectionString, max: 1 });
  // The end of a pool does not wait until its connections are closed, and the database is dropped at once.
  pool.on("error", () => {});
  const trueNow = Date.now;
  t.after(async () => {
    leaveClock();
    await pool.end();
    await database.drop();
  });
  leaveClock();
  t.mock.method(Date, "now", () => trueNow() + HOUR_MS);
  const slow = pool.query("select pg_sleep(0.8)");
  await askDatabaseClock(pool);
  await slow;
  assert.ok(Math.abs(nowMs() - trueNow()) < HOUR_MS / 2, new Date(nowMs()).toISOString());
});

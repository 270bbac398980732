/** The state of the database, as health checks ask for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type Pool } from "pg";
import { testDatabase } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { listMigrationNames } from "./migrate.ts";
import { readDatabaseState } from "./readiness.ts";

const untilReady = (pool: Pool) => until(async () => (await readDatabaseState(pool)) === "ready");

test("somebody who holds the lock of a table for seconds makes the database unwritable, until it is given back", async (t) => {
  const { pool, connectionString } = await testDatabase(t, { isDivided: false });
  const holder = new Client({ connectionString });
  await holder.connect();
  await holder.query("begin; lock table operations in share mode");
  // Nobody waits yet. A busy machine may take longer for an answer than it is given.
  await untilReady(pool);
  const waiting = pool.query("delete from operations");
  await until(async () => (await readDatabaseState(pool)) === "unwritable");
  await holder.query("rollback");
  await waiting;
  await untilReady(pool);
  await holder.end();
});

test("while no write ends, health checks leave the connections to others, and are ready after it", async (t) => {
  const { pool, connectionString } = await testDatabase(t, { isDivided: false });
  const blocker = new Client({ connectionString });
  await blocker.connect();
  await blocker.query("begin; select from readiness for update");
  const states = await Promise.all(Array.from({ length: 20 }, () => readDatabaseState(pool)));
  assert.deepEqual(new Set(states), new Set(["away"]));
  assert.equal(pool.waitingCount, 0);
  assert.ok(pool.totalCount - pool.idleCount <= 2, `${pool.totalCount - pool.idleCount} are busy`);
  await blocker.query("rollback");
  await blocker.end();
  await untilReady(pool);
});

test("files of a later version, put into place while this process works, do not make it unready: its migrations are listed once", async () => {
  assert.equal(await listMigrationNames(), await listMigrationNames());
});

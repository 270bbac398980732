/** Erasing a group whose control and data tables are two commits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { openSides, reopenDatabase } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import { eraseGroup } from "./erasing.ts";

test("an erasure that breaks off between the commits of the two sides goes on, and leaves nothing", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  const watcher = await reopenDatabase(t, busbar);
  const database = await openSides(t, busbar);
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: "acme",
  });
  const request = { type: "create", record: { name: "one" } };
  const written = await customer.write("companies", request, { "idempotency-key": "k" });
  assert.equal(written.status, 200, written.text);
  const erase = () =>
    eraseGroup({ database }, { projectId: busbar.projectId, groupRef: "acme", withinMs: 20_000 });
  const count = async (table: string) =>
    (await watcher.pool.query<{ n: number }>(`select count(*)::integer as n from ${table}`)).rows[0]?.n;
  /** Breaks the erasure's connection at the first statement that waits for this lock. */
  const breakAt = async (lock: string) => {
    const pool = watcher.dataPool ?? watcher.pool;
    const blocking = await pool.connect();
    await blocking.query(`begin; ${lock}`);
    const broken = erase();
    await until(async () => {
      const { rows } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query ~ 'delete from|update groups'`,
      );
      return rows.length > 0;
    });
    assert.equal((await broken).done, false);
    await blocking.query("rollback");
    blocking.release();
  };
  // The accounts and answers are gone, the operation is not.
  await breakAt("select from operations for update");
  assert.deepEqual(
    [await count("connections"), await count("idempotency_keys"), await count("operations")],
    [0, 0, 1],
  );
  // The pool may not know yet that its connection is gone.
  await until(async () => (await retryWhileDatabaseIsDown(erase)).done);
  const tables = ["groups", "connections", "removed_connections", "idempotency_keys", "operations"];
  assert.deepEqual(await Promise.all(tables.map(count)), [0, 0, 0, 0, 0]);
});

/** Operations whose parts are commits of two sides. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openInstallations } from "../../tests/fixtures/installed-fixture.ts";
import { openSides } from "../../tests/harness/database.ts";
import { until } from "../../tests/harness/until.ts";
import { createLog } from "../../ground/log.ts";
import { newId } from "../../ground/ids.ts";
import { NewWork } from "../jobs/new-work.ts";
import { claimProcessIdentity } from "../jobs/process-identity.ts";
import { openOperationLedger } from "./operation-ledger.ts";

test("an act of an agent is counted once, before its operation, and also if that never begins", async (t) => {
  const { database, projectId, integrationId, install } = await openInstallations(t, {});
  const sides = await openSides(t, database);
  const log = createLog("silent");
  const identity = await claimProcessIdentity(database.connectionString, log);
  t.after(() => identity.close());
  const ledger = openOperationLedger({ database: sides, identity, log, newWrites: new NewWork() });
  const { id: installationId } = await install("acme");
  const begin = () => {
    const about = { projectId, integrationId, installationId, configId: newId() };
    const operation = { id: newId(), ...about, actionType: "write", objectName: "contacts" };
    return ledger.begin(operation, { groupRef: "acme" });
  };
  const count = async (table: string) =>
    (await database.pool.query<{ n: number }>(`select count(*)::integer as n from ${table}`)).rows[0]?.n;
  await begin();
  assert.deepEqual([await count("agent_acts"), await count("operations")], [1, 1]);

  const blocking = await database.pool.connect();
  await blocking.query("begin; lock table operations in share row exclusive mode");
  const broken = assert.rejects(begin(), /terminat/i);
  await until(async () => {
    const { rows } = await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  await broken;
  await blocking.query("rollback");
  blocking.release();
  assert.deepEqual([await count("agent_acts"), await count("operations")], [2, 1]);
});

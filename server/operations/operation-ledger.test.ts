/** Operations whose parts are commits of two sides. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openInstallations } from "../../tests/fixtures/installed-fixture.ts";
import { openSides } from "../../tests/harness/database.ts";
import { until } from "../../tests/harness/until.ts";
import { createLog } from "../../ground/log.ts";
import { newId } from "../../ground/ids.ts";
import { NewWork } from "../jobs/new-work.ts";
import { listenToDatabase } from "../store/database/changes.ts";
import { claimProcessIdentity } from "../jobs/process-identity.ts";
import { KeyTakenError, UsedUpError } from "./begin-acts.ts";
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
    return ledger.begin(operation, { groupRef: "acme", budgets: { windowMs: 3_600_000 } });
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

for (const [what, isDivided] of [
  ["in one commit", false],
  ["on both sides", true],
] as const) {
  test(`acts with the same key begin once, and others as often as a budget allows, ${what} and in two processes`, async (t) => {
    const { database, projectId, integrationId, install } = await openInstallations(t, {});
    const own = isDivided ? await openSides(t, database) : database;
    const log = createLog("silent");
    const identity = await claimProcessIdentity(database.connectionString, log);
    t.after(() => identity.close());
    const { id: installationId } = await install("acme");
    const ledgers = [1, 2].map(() =>
      openOperationLedger({ database: own, identity, log, newWrites: new NewWork() }),
    );
    const begin = async (index: number, key: string) => {
      const about = { projectId, integrationId, installationId, configId: newId() };
      const id = newId();
      const operation = { id, ...about, actionType: "write", objectName: "contacts" };
      const hash = { requestHash: Buffer.alloc(32, 1), keptHours: 1 };
      const claim = {
        projectId,
        key,
        operationId: id,
        firstOperationId: id,
        claimedBy: identity.id,
        ...hash,
      };
      const of = { type: "update", integration: "crm", objectName: "contacts", recordId: "1" } as const;
      const change = { ...of, before: { a: 1 }, after: { a: 2 } };
      const budgets = { perProject: 7, windowMs: 3_600_000 };
      const trace = { groupRef: "acme", budgets, claim, change };
      return ledgers[index % 2]?.begin(operation, trace).then(
        () => "begun" as const,
        (error: unknown) => error,
      );
    };
    const same = await Promise.all(Array.from({ length: 20 }, (_, index) => begin(index, "same")));
    assert.equal(same.filter((one) => one === "begun").length, 1);
    assert.equal(same.filter((one) => one instanceof KeyTakenError).length, 19);
    const others = await Promise.all(Array.from({ length: 50 }, (_, index) => begin(index, `own ${index}`)));
    assert.equal(others.filter((one) => one === "begun").length, 6);
    assert.equal(others.filter((one) => one instanceof UsedUpError && one.usedUp.freeInMs > 0).length, 44);
    for (const table of ["agent_acts", "operations", "agent_changes"]) {
      const { rows } = await database.pool.query(`select count(*)::integer as n from ${table}`);
      assert.deepEqual(rows, [{ n: 7 }], table);
    }
  });
}

test("an accepted write wakes the worker of its process, or where that has none, those of others", async (t) => {
  const { database, projectId, integrationId, install } = await openInstallations(t, {});
  const log = createLog("silent");
  const identity = await claimProcessIdentity(database.connectionString, log);
  t.after(() => identity.close());
  const changes = await listenToDatabase(database, log);
  t.after(() => changes.close());
  const heard: string[] = [];
  changes.subscribe((change) => void heard.push(change?.table ?? ""));
  const newWrites = new NewWork();
  const ledger = openOperationLedger({ database, identity, log, newWrites });
  const { id: installationId } = await install("acme");
  const about = { projectId, integrationId, installationId, configId: newId() };
  const accept = () =>
    ledger.accept({
      operation: { id: newId(), ...about, actionType: "write", objectName: "contacts" },
      writeType: "create",
      sendOptions: {},
      records: [{ email: "ada@example.com" }],
      recordKeys: [],
      dueMs: 0,
      retryMs: 60_000,
    });
  await accept();
  await until(() => heard.includes("writes"));
  let woken = 0;
  newWrites.wakes({ wake: () => (woken += 1) });
  await accept();
  assert.equal(woken, 1);
});

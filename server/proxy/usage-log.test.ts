/** Every call leaves a line, and the buffer is bounded. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createTestDatabase, testDatabase } from "../../tests/harness/database.ts";
import { createLog } from "../../ground/log.ts";
import type { Database } from "../store/database/database.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { removeProxyUsageBefore, type ProxyUse } from "../store/operations/proxy-usage.ts";
import { openUsageLog } from "./usage-log.ts";

const use = (more: Partial<ProxyUse> = {}): ProxyUse => ({
  timeMs: Date.parse("2026-03-06T22:09:49.123Z"),
  projectId: "01890000-0000-7000-8000-000000000001",
  installationId: "01890000-0000-7000-8000-000000000002",
  method: "GET",
  path: '/v1/"contacts"\\{1},(2)/%00',
  status: 200,
  durationMs: 12,
  bytesUp: 0,
  bytesDown: 5_000_000_000,
  apiKeyId: "01890000-0000-7000-8000-000000000003",
  requestId: "req-1",
  byBusbar: true,
  ...more,
});

const log = createLog("silent");

/** Opens a database that knows the installation of the lines. */
async function openUsageDatabase(t: TestContext): Promise<Database> {
  const database = await testDatabase(t);
  const { projectId, installationId } = use();
  await database.pool.query(`
    with organization as (
      insert into organizations (id, label, default_team_id) values (gen_random_uuid(), 'test', gen_random_uuid()) returning id
    ), project as (
      insert into projects (id, org_id, name, app_name) select '${projectId}', id, 'test', 'Test' from organization returning id
    ), customer as (
      insert into groups (id, project_id, group_ref, group_name)
      select gen_random_uuid(), id, 'acme', 'Acme' from project returning id
    )
    insert into removed_installations (id, project_id, integration_id, integration_name, group_id)
    select '${installationId}', '${projectId}', gen_random_uuid(), 'crm', id from customer`);
  return database;
}

describe("the usage log", () => {
  it("stores lines in order, also in several batches", async (t) => {
    const database = await openUsageDatabase(t);
    const usage = openUsageLog({ database, log });
    usage.add(use());
    for (let status = 0; status < 5_000; status++) usage.add(use({ status }));
    await usage.close();
    const lines = await database.queries.selectFrom("proxyUsage").selectAll().orderBy("id").execute();
    assert.equal(lines.length, 5_001);
    assert.deepEqual(
      lines.slice(1).map(({ status }) => status),
      Array.from({ length: 5_000 }, (_, status) => status),
    );
    const { id: _id, ...first } = lines[0] ?? {};
    const { timeMs, ...rest } = use();
    assert.deepEqual(first, { ...rest, time: new Date(timeMs), bytesUp: "0", bytesDown: "5000000000" });
    assert.equal(usage.dropped, 0);
  });

  it("cuts off a long path", async (t) => {
    const database = await openUsageDatabase(t);
    const usage = openUsageLog({ database, log });
    usage.add(use({ path: `/${"a".repeat(10_000)}` }));
    await usage.close();
    const line = await database.queries.selectFrom("proxyUsage").select("path").executeTakeFirstOrThrow();
    assert.equal(line.path.length, 1_024);
  });

  it("drops and counts lines when the database is unavailable and the buffer is full", async (t) => {
    const { connectionString, drop } = await createTestDatabase();
    t.after(drop);
    const database = await openDatabase({ connectionString, log, poolSize: 1 });
    await database.close();
    const usage = openUsageLog({ database, log });
    for (let count = 0; count < 50_003; count++) usage.add(use());
    assert.equal(usage.dropped, 3);
    await usage.close();
    assert.equal(usage.dropped, 3);
  });

  it("removes lines older than a time, in batches", async (t) => {
    const database = await openUsageDatabase(t);
    const usage = openUsageLog({ database, log });
    for (let day = 0; day < 10; day++) usage.add(use({ timeMs: Date.UTC(2026, 0, 1 + day) }));
    await usage.close();
    const before = new Date(Date.UTC(2026, 0, 6));
    assert.equal(await removeProxyUsageBefore(database.queries, before, 3), 3);
    assert.equal(await removeProxyUsageBefore(database.queries, before, 3), 2);
    assert.equal(await removeProxyUsageBefore(database.queries, before, 3), 0);
    const left = await database.queries.selectFrom("proxyUsage").select("id").execute();
    assert.equal(left.length, 5);
  });
});

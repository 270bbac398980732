/** Every call leaves a line, and the buffer is bounded. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Client } from "pg";
import { openCustomersInShards } from "../../tests/harness/customers-in-shards.ts";
import { until } from "../../tests/harness/until.ts";
import { createTestDatabase, OWN_LOCKS, testDatabase } from "../../tests/harness/database.ts";
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

it("keeps a line out of the shard that a customer has left, while the copy in its new shard is late", async (t) => {
  const { main, projectId, customers } = await openCustomersInShards(t);
  const { installationId = "" } = customers.find(({ shard }) => shard === "b") ?? {};
  const [, a, b] = main.shards;
  assert.ok(a && b);
  const place = (shard: string) =>
    b.dataPool?.query("update groups set shard = $1 where group_ref = 'customer-b'", [shard]);
  await place("a");
  const usage = openUsageLog({ database: main, log });
  t.after(() => usage.close());
  const blocking = new Client({ connectionString: a.dataUrl });
  await blocking.connect();
  await blocking.query("begin; lock table proxy_usage in access exclusive mode");
  usage.add(use({ projectId, installationId, shard: "b" }));
  // It has been passed on to the shard that was left.
  await until(
    async () =>
      (
        await blocking.query(
          `select from pg_locks where relation = 'proxy_usage'::regclass and not granted and ${OWN_LOCKS}`,
        )
      ).rowCount === 1,
  );
  await blocking.query("rollback");
  await blocking.end();
  await place("b");
  const count = async ({ data }: Database) =>
    (await data.selectFrom("proxyUsage").select("id").where("installationId", "=", installationId).execute())
      .length;
  await until(async () => (await count(a)) + (await count(b)) > 0);
  assert.deepEqual([await count(a), await count(b)], [0, 1]);
});

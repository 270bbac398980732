/** Partitions of history, and the migration that makes them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { until } from "../../../tests/harness/until.ts";
import { createEmptyDatabase, OWN_LOCKS, testDatabase } from "../../../tests/harness/database.ts";
import { nowMs } from "../../../ground/clock.ts";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import type { Database } from "../database/database.ts";
import { extendHistory } from "./history-ranges.ts";
import { migrate, listMigrationNames } from "../database/migrate.ts";
import { removeProjectProxyUsage, removeProxyUsageBefore } from "../operations/proxy-usage.ts";

const DAY_MS = 24 * 60 * 60_000;
const TODAY_MS = nowMs() - (nowMs() % DAY_MS);
const NOON = 0.5;
/** Midnight so many days from today; with a fraction, a time of that day. */
const day = (days: number) => new Date(TODAY_MS + days * DAY_MS);
const PROJECT = newId();
const LINE = `insert into proxy_usage (time, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down)
  values ($1, $2, $2, 'GET', $3, 200, 1, 0, 0)`;

const insertLines = async ({ pool }: Pick<Database, "pool">, days: number[]) => {
  for (const one of days) await pool.query(LINE, [day(one + NOON), PROJECT, `/${one}`]);
};

const listPaths = async ({ pool }: Pick<Database, "pool">): Promise<Record<string, string[]>> => {
  const { rows } = await pool.query<{ at: string; path: string }>(
    "select tableoid::regclass::text as at, path from proxy_usage order by time",
  );
  const found: Record<string, string[]> = {};
  for (const { at, path } of rows) (found[at] ??= []).push(path);
  return found;
};

const listRanges = async ({ pool }: Pick<Database, "pool">): Promise<string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    "select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = 'proxy_usage'::regclass order by 1",
  );
  return rows.map(({ name }) => name);
};

const rangeName = (days: number) => `proxy_usage_${day(days).toISOString().slice(0, 10).replaceAll("-", "")}`;

const addRange = ({ pool }: Pick<Database, "pool">, from: number, until: number) =>
  pool.query("select add_history_range('proxy_usage', $1, $2)", [day(from), day(until)]);

const dropFirst = ({ pool }: Pick<Database, "pool">) =>
  pool.query("select drop_history_range('proxy_usage', 'proxy_usage_first')");

test("a day whose last line is too old is dropped whole; lines outside of such days go one by one", async (t) => {
  const database = await testDatabase(t, { isDivided: false });
  await dropFirst(database);
  await addRange(database, -33, -32);
  // No range from -32 to -31: its lines are in the default partition.
  await addRange(database, -31, -30);
  await addRange(database, -30, 0);
  await insertLines(database, [-40, -33, -32, -31, -30, -29, -1]);
  const before = day(-30 + NOON / 2);
  assert.equal(await removeProxyUsageBefore(database.queries, before, 10), 2);
  assert.deepEqual(await listPaths(database), { [rangeName(-30)]: ["/-30", "/-29", "/-1"] });
  const left = await listRanges(database);
  assert.deepEqual(
    [-33, -31, -30].map((days) => left.includes(rangeName(days))),
    [false, false, true],
  );
  assert.equal(await removeProxyUsageBefore(database.queries, day(-29), 10), 1);
  assert.deepEqual(await listPaths(database), { [rangeName(-30)]: ["/-29", "/-1"] });
});

test("the lines of the day at the end of the retention stay until the day is over", async (t) => {
  const database = await testDatabase(t, { isDivided: false });
  await dropFirst(database);
  await addRange(database, -31, -30);
  await insertLines(database, [-31]);
  assert.equal(await removeProxyUsageBefore(database.queries, day(-30 - NOON / 4), 10), 0);
  assert.deepEqual(await listPaths(database), { [rangeName(-31)]: ["/-31"] });
});

test("a day that somebody reads is dropped later, and after a day its lines are removed one by one", async (t) => {
  const database = await testDatabase(t, { isDivided: false });
  await dropFirst(database);
  await addRange(database, -33, -32);
  await insertLines(database, [-33]);
  const reader = new Client({ connectionString: database.connectionString });
  await reader.connect();
  await reader.query("begin");
  await reader.query("select from proxy_usage");
  assert.equal(await removeProxyUsageBefore(database.queries, day(-32), 10), 0);
  assert.deepEqual(await listPaths(database), { [rangeName(-33)]: ["/-33"] });
  assert.equal(await removeProxyUsageBefore(database.queries, day(-31), 10), 1);
  await reader.query("rollback");
  assert.equal(await removeProxyUsageBefore(database.queries, day(-31), 10), 0);
  assert.ok(!(await listRanges(database)).includes(rangeName(-33)));
  await reader.end();
});

test("ranges are made ahead, behind lines that came without one, and once only", async (t) => {
  const database = await testDatabase(t, { isDivided: false });
  await dropFirst(database);
  await insertLines(database, [-1, 0, 1]);
  await Promise.all([1, 2, 3].map(() => extendHistory(database.queries, "proxy_usage")));
  await extendHistory(database.queries, "proxy_usage");
  assert.deepEqual(await listRanges(database), [rangeName(2), "proxy_usage_default"].toSorted());
  await insertLines(database, [2, 31]);
  assert.deepEqual(await listPaths(database), {
    proxy_usage_default: ["/-1", "/0", "/1"],
    [rangeName(2)]: ["/2", "/31"],
  });
  assert.equal(
    await removeProjectProxyUsage(database.queries, { projectId: PROJECT, time: day(3), id: "" }, 2),
    2,
  );
  assert.deepEqual(await listPaths(database), { proxy_usage_default: ["/1"], [rangeName(2)]: ["/2", "/31"] });
});

test("a range of another table, or the one for everything else, is never dropped", async (t) => {
  const { pool } = await testDatabase(t, { isDivided: false });
  for (const [history, range] of [
    ["proxy_usage", "proxy_usage_default"],
    ["proxy_usage", "operations"],
    ["proxy_usage", "proxy_usage"],
    ["operations", "operations"],
  ]) {
    const { rows } = await pool.query("select drop_history_range($1, $2) as done", [history, range]);
    assert.deepEqual(rows, [{ done: false }], `${history} ${range}`);
  }
  await assert.rejects(
    pool.query("select add_history_range('operations', now(), now() + interval '1 day')"),
    /no range/,
  );
});

/** A database as it was before the migration, with lines of the past, and one of a clock that was a month ahead. */
async function databaseBefore(t: Parameters<typeof createEmptyDatabase>[0]): Promise<Client> {
  const client = new Client({ connectionString: await createEmptyDatabase(t) });
  await client.connect();
  const earlier = (await listMigrationNames()).filter((name) => name < "0009");
  await migrate(client, createLog("silent"), { upTo: earlier });
  for (const days of [-40, -1, 0, 33]) await client.query(LINE, [day(days + NOON), PROJECT, `/${days}`]);
  return client;
}

test("the migration keeps lines, ids, indexes and rights", async (t) => {
  const client = await databaseBefore(t);
  await client.query("grant select, insert, delete on proxy_usage to pg_monitor");
  const files =
    "select oid::regclass::text as name, relfilenode from pg_class where relname like 'proxy_usage_%idx' order by 1";
  const indexes = (await client.query(files)).rows;
  await migrate(client, createLog("silent"));
  await client.query(LINE, [day(0), PROJECT, "/new"]);
  await client.query(LINE, [day(80), PROJECT, "/far"]);
  const { rows } = await client.query(
    "select id::int, path, tableoid::regclass::text as at from proxy_usage order by id",
  );
  const first = "proxy_usage_first";
  assert.deepEqual(rows, [
    { id: 1, path: "/-40", at: first },
    { id: 2, path: "/-1", at: first },
    { id: 3, path: "/0", at: first },
    { id: 4, path: "/33", at: first },
    { id: 5, path: "/new", at: first },
    { id: 6, path: "/far", at: "proxy_usage_default" },
  ]);
  const kept = await client.query(
    `select oid::regclass::text as name, relfilenode from pg_class join pg_index on indexrelid = oid
     where indrelid = 'proxy_usage_first'::regclass and not indisprimary order by 1`,
  );
  assert.deepEqual(kept.rows, indexes);
  const { rows: rights } = await client.query(
    `select has_table_privilege('pg_monitor', 'proxy_usage', 'select,insert,delete') as rows,
       has_table_privilege('pg_monitor', 'proxy_usage', 'update') as update,
       has_function_privilege('pg_monitor', 'drop_history_range(text, text)', 'execute') as drop`,
  );
  assert.deepEqual(rights, [{ rows: true, update: false, drop: true }]);
  await client.end();
});

test("a migration lets others go on while it waits for a lock", async (t) => {
  const client = await databaseBefore(t);
  const [reader, writer] = [await connectBeside(client), await connectBeside(client)];
  await reader.query("begin");
  await reader.query("select from proxy_usage");
  const migrated = migrate(client, createLog("silent"));
  // If the migration kept waiting for the reader, the writer would wait for it until the reader ends, which it does afterwards.
  for (let sent = 0; sent < 50; sent += 1) await writer.query(LINE, [day(0), PROJECT, "/meanwhile"]);
  await until(() => isLockTried(writer));
  await writer.query(LINE, [day(0), PROJECT, "/meanwhile"]);
  await reader.query("commit");
  await migrated;
  const { rows } = await writer.query(
    "select count(*)::int as count from proxy_usage where path = '/meanwhile'",
  );
  assert.deepEqual(rows, [{ count: 51 }]);
  for (const one of [client, reader, writer]) await one.end();
});

/** Whether the migration waits for the reader's lock. */
async function isLockTried(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_locks where relation = 'proxy_usage'::regclass and mode = 'AccessExclusiveLock' and not granted and ${OWN_LOCKS}`,
  );
  return rows.length > 0;
}

test("a migration that fails forbids no line", async (t) => {
  const client = await databaseBefore(t);
  await client.query("create table proxy_usage_default (id text)");
  await assert.rejects(migrate(client, createLog("silent")), {
    message: /0009_proxy.*"proxy_usage_default" already exists/,
  });
  await client.query(LINE, [day(300), PROJECT, "/far"]);
  await client.query("drop table proxy_usage_default");
  await migrate(client, createLog("silent"));
  const { rows } = await client.query(
    "select path, tableoid::regclass::text as at from proxy_usage order by time desc limit 1",
  );
  assert.deepEqual(rows, [{ path: "/far", at: "proxy_usage_first" }]);
  await client.end();
});

async function connectBeside({ host, port, database, user, password }: Client): Promise<Client> {
  const client = new Client({
    host,
    port,
    ...(user && { user }),
    ...(database && { database }),
    ...(password && { password }),
  });
  await client.connect();
  return client;
}

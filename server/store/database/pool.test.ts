/** Connections of the pool while the database is planned for, fails over, or hangs. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { Client } from "pg";
import { testDatabase } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { createLog } from "../../../ground/log.ts";
import { isDatabaseAway, mayBeCommitted, isTookTooLong } from "./database-outage.ts";
import type { Queries } from "./database.ts";
import { openPool } from "./pool.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Opens a pool of one connection, so that the next statement shows whether it is still the same one. */
async function open(
  t: TestContext,
  options: { statementTimeoutMs?: number; settings?: Record<string, string> } = {},
): Promise<Queries> {
  const { connectionString } = await testDatabase(t);
  const log = createLog("silent");
  const { queries } = openPool({ connectionString, applicationName: "test", log, size: 1, ...options });
  t.after(() => queries.destroy());
  return queries;
}

const backend = async (queries: Queries): Promise<number> =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(queries)).rows[0]?.pid ?? 0;

test("every session plans without bitmap scans and without JIT", async (t) => {
  const queries = await open(t);
  const { rows } = await sql`
    select current_setting('enable_bitmapscan') as bitmapscan, current_setting('jit') as jit
  `.execute(queries);
  assert.deepEqual(rows, [{ bitmapscan: "off", jit: "off" }]);
});

test("PostgreSQL is asked to notice within a minute that the machine of a session is gone", async (t) => {
  const queries = await open(t);
  // A session over a Unix socket shows 0: there is no machine that could be gone.
  const { rows } = await sql<{ isAsked: boolean }>`
    select bool_and(source = 'session') as is_asked from pg_settings where name like 'tcp_keepalives_%'
  `.execute(queries);
  assert.deepEqual(rows, [{ isAsked: true }]);
});

test("a standby that is not promoted yet counts as an outage, and its connection is not used again", async (t) => {
  const queries = await open(t);
  await sql`create table notes (note text)`.execute(queries);
  const before = await backend(queries);
  await sql`set session characteristics as transaction read only`.execute(queries);
  const write = () => sql`insert into notes values ('x')`.execute(queries);
  await assert.rejects(write(), isDatabaseAway);
  await write();
  assert.notEqual(await backend(queries), before);
});

test("a server that does not answer counts as an outage after the time-out, and its connection is not used again", async (t) => {
  // A server that hangs does not give a statement up itself.
  const queries = await open(t, { statementTimeoutMs: 2_000, settings: { statement_timeout: "0" } });
  // On a busy machine this may take longer, too.
  const patiently = () => until(() => backend(queries).catch(() => undefined));
  const before = await patiently();
  await assert.rejects(sql`select pg_sleep(30)`.execute(queries), isDatabaseAway);
  assert.notEqual(await patiently(), before);
});

test("a connection that cannot be set up is closed and leaves its place to the next one", async (t) => {
  const queries = await open(t, { settings: { no_such_setting: "on" } });
  // The pool has one place: if the first connection kept it, the second statement would wait for it.
  await assert.rejects(backend(queries), /no_such_setting/);
  await assert.rejects(backend(queries), /no_such_setting/);
});

/** Runs a prepared statement that finds one row, and returns which scan the plan of its connection has now. */
async function scanOfPrepared(queries: Queries): Promise<string | undefined> {
  for (let run = 0; run < 7; run++)
    await sql`/* prepare find-note */ select * from notes where id = ${run}::integer`.execute(queries);
  const { rows } = await sql<Record<string, string>>`explain execute "find-note"(1)`.execute(queries);
  return /(Seq|Index Only) Scan/.exec(Object.values(rows[0] ?? {})[0] ?? "")?.[0];
}

test("a prepared statement is parsed once for a connection, and planned again after a second", async (t) => {
  const queries = await open(t);
  // The age of the plan is the test's: on a busy machine, filling the table takes longer than a second.
  let nowMs = performance.now();
  t.mock.method(performance, "now", () => nowMs);
  await sql`create table notes (id integer primary key) with (autovacuum_enabled = off)`.execute(queries);
  await sql`vacuum analyze notes`.execute(queries);
  assert.equal(await scanOfPrepared(queries), "Seq Scan", "of an empty table");
  await sql`insert into notes select generate_series(1, 20000)`.execute(queries);
  assert.equal(await scanOfPrepared(queries), "Seq Scan", "PostgreSQL keeps the plan");
  nowMs += 1_100;
  assert.equal(await scanOfPrepared(queries), "Index Only Scan");
  const { rows } =
    await sql`select name, generic_plans > 0 as is_generic from pg_prepared_statements`.execute(queries);
  assert.deepEqual(rows, [{ name: "find-note", isGeneric: true }]);
});

test("two texts under one prepared name are refused, not mixed up", async (t) => {
  const queries = await open(t);
  await sql`/* prepare one */ select 1`.execute(queries);
  await assert.rejects(
    sql`/* prepare one */ select 2`.execute(queries),
    /'one' was used for a different statement/,
  );
});

test("a prepared statement whose result a migration has changed counts as an outage, and its connection is not used again", async (t) => {
  const queries = await open(t);
  await sql`create table notes (id integer)`.execute(queries);
  const list = () => sql`/* prepare list-notes */ select id from notes`.execute(queries);
  await list();
  await sql`alter table notes alter id type bigint`.execute(queries);
  await assert.rejects(list(), isDatabaseAway);
  assert.deepEqual((await list()).rows, []);
});

test("a name of a prepared statement is given once in the server", () => {
  const names = globSync("server/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts"] })
    .flatMap((file) => [...readFileSync(join(ROOT, file), "utf8").matchAll(/`\/\* prepare ([a-z-]+) \*\//g)])
    .map(([, name]) => name);
  assert.ok(names.length > 5, "the search finds them");
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

test("what is read and written depends on no setting of the database or its role", async (t) => {
  const { connectionString } = await testDatabase(t);
  const admin = new Client({ connectionString });
  await admin.connect();
  const name = new URL(connectionString).pathname.slice(1);
  const { rows: newer } = await admin.query(
    "select 'transaction_timeout = 200' as setting from pg_settings where name = 'transaction_timeout'",
  );
  for (const setting of [
    ...newer.map((row: { setting: string }) => row.setting),
    "datestyle = 'German'",
    "intervalstyle = 'sql_standard'",
    "timezone = 'Asia/Kolkata'",
    "bytea_output = 'escape'",
    "extra_float_digits = -10",
    "standard_conforming_strings = off",
    "default_transaction_isolation = 'serializable'",
    "default_transaction_deferrable = on",
    "transform_null_equals = on",
    "statement_timeout = 200",
    "lock_timeout = 200",
    "idle_session_timeout = 200",
    "idle_in_transaction_session_timeout = 200",
  ])
    await admin.query(`alter database "${name}" set ${setting}`);
  await admin.end();
  const { queries } = openPool({
    connectionString,
    applicationName: "test",
    log: createLog("silent"),
    size: 1,
  });
  t.after(() => queries.destroy());
  const { rows } = await sql`
    select timestamptz '2026-02-03 04:05:06.789+00' as at, '\\x00ff'::bytea as bytes, 0.1::float8 + 0.2 as sum,
      ${"a\\'b"} as text, '\\' as backslash, (null = null) is null as unknown, interval '1 day 2 hours'::text as span,
      current_setting('transaction_isolation') as isolation, pg_sleep(0.3)::text as slept
  `.execute(queries);
  assert.deepEqual(rows, [
    {
      at: new Date(Date.UTC(2026, 1, 3, 4, 5, 6, 789)),
      bytes: Buffer.from([0, 255]),
      sum: 0.30000000000000004,
      text: "a\\'b",
      backslash: "\\",
      unknown: true,
      span: "1 day 02:00:00",
      isolation: "read committed",
      slept: "",
    },
  ]);
  // A session that is ended while it is idle, or in a transaction that waits for a provider, is another one afterwards.
  const before = await backend(queries);
  await setTimeout(400);
  assert.equal(await backend(queries), before);
  await queries.transaction().execute(() => setTimeout(400));
});

test("a statement that waits too long for a lock is given up by the server, and nothing of it is done later", async (t) => {
  const { connectionString } = await testDatabase(t);
  const holder = new Client({ connectionString });
  await holder.connect();
  await holder.query("create table notes (note text)");
  await holder.query("begin; lock table notes");
  const { queries } = openPool({
    connectionString,
    applicationName: "test",
    log: createLog("silent"),
    size: 1,
    // The server gives it up after half of this, and its answer must come before the other half is over.
    statementTimeoutMs: 20_000,
  });
  t.after(() => queries.destroy());
  const refused = await sql`insert into notes values ('x')`.execute(queries).catch((error: unknown) => error);
  assert.ok(isDatabaseAway(refused) && isTookTooLong(refused) && !mayBeCommitted(refused), String(refused));
  await holder.query("commit");
  const { rows } = await holder.query("select count(*)::int as count from notes");
  await holder.end();
  assert.deepEqual(rows, [{ count: 0 }]);
});

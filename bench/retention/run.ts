/**
 * Measures history that is partitioned: how long writes wait while the table becomes partitioned, how long it takes to remove a
 * day, and what statements cost with many partitions. See bench/README.md.
 *
 *     node bench/retention/run.ts [--quick --rows 4000000 --day 400000 --url postgres://…/]
 *
 * `--url`: a server of your own, in which a database is made and dropped; otherwise an embedded one.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { createLog } from "../../ground/log.ts";
import { nowMs } from "../../ground/clock.ts";
import { newId } from "../../ground/ids.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import type { Database } from "../../server/store/database/database.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { migrate, listMigrationNames } from "../../server/store/database/migrate.ts";
import { listProjectProxyCalls } from "../../server/store/operations/proxy-call-lists.ts";
import {
  insertProxyUsage,
  listProxyUsage,
  removeProxyUsageBefore,
} from "../../server/store/operations/proxy-usage.ts";
import { withDatabase } from "../../tests/harness/postgres.ts";
import { stockDatabase } from "../../tests/harness/proxy/stock-database.ts";
import { computeMedian } from "../write/report.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string" },
    day: { type: "string" },
    url: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const ROWS = Number(values.rows ?? (values.quick ? 100_000 : 4_000_000));
const DAY_ROWS = Number(values.day ?? (values.quick ? 20_000 : 400_000));
const CALLS = values.quick ? 50 : 300;
const DAYS = 30;
const AHEAD_DAYS = 3;
const DAY_MS = 24 * 60 * 60_000;
const BATCH = 1_000;
const log = createLog("silent");
const projectId = newId();
const CUSTOMER = "00000000-0000-0000-0000-000000000001";
const today = nowMs() - (nowMs() % DAY_MS);

/** `rows` lines of a hundred customers, in the order of time. */
const FILL = `insert into proxy_usage (time, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down)
  select $2::timestamptz + n * ($3::timestamptz - $2::timestamptz) / $4::integer, $1, lpad((n % 100)::text, 32, '0')::uuid, 'GET',
    '/crm/v3/objects/contacts/' || n, 200, 130, 0, 2000
  from generate_series(0, $4::integer - 1) as n`;

const fill = (client: Client, fromMs: number, toMs: number, rows: number) =>
  client.query(FILL, [projectId, new Date(fromMs), new Date(toMs), rows]);

await withServer(async (url) => {
  await measureUpgrade(url);
  await measureStatements(url, DAYS + AHEAD_DAYS);
  await measureStatements(url, 1);
});

/** Four connections insert a line each, one after the other, while the table becomes partitioned. */
async function measureUpgrade(url: string): Promise<void> {
  await onDatabase(url, async (connectionString) => {
    const client = await connect(connectionString);
    await migrate(client, log, { upTo: (await listMigrationNames()).filter((name) => name < "0009") });
    await fill(client, today - DAYS * DAY_MS, today, ROWS);
    await client.query("vacuum analyze proxy_usage");
    const migrated = new AbortController();
    const delays = [1, 2, 3, 4].map(async () => {
      const writer = await connect(connectionString);
      const waits: number[] = [];
      while (!migrated.signal.aborted) {
        const fromMs = performance.now();
        await fill(writer, nowMs(), nowMs() + 1, 1);
        waits.push(performance.now() - fromMs);
        await wait(1);
      }
      await writer.end();
      return waits;
    });
    await wait(2_000);
    const fromMs = performance.now();
    await migrate(client, log);
    const tookMs = performance.now() - fromMs;
    await wait(500);
    migrated.abort();
    const waits = (await Promise.all(delays)).flat();
    console.log(
      `upgrade over ${ROWS.toLocaleString("en")} lines: ${Math.round(tookMs)} ms; of ${waits.length} writes meanwhile the longest took ` +
        `${Math.round(Math.max(...waits))} ms (goal < 1,000), the median ${computeMedian(waits).toFixed(1)} ms`,
    );
    await client.end();
  });
}

/** A day is removed whole and by rows, and statements run over days or one range. */
async function measureStatements(url: string, length: number): Promise<void> {
  await onDatabase(url, async (connectionString) => {
    const client = await connect(connectionString);
    await migrate(client, log);
    await client.query("select drop_history_range('proxy_usage', 'proxy_usage_first')");
    for (let day = -DAYS; day < AHEAD_DAYS; day += length)
      await client.query("select add_history_range('proxy_usage', $1, $2)", [
        new Date(today + day * DAY_MS),
        new Date(today + (day + length) * DAY_MS),
      ]);
    for (let day = -DAYS; day < 0; day += 1)
      await fill(client, today + day * DAY_MS, today + (day + 1) * DAY_MS, day === -DAYS ? DAY_ROWS : 10_000);
    await client.query("vacuum analyze");
    const database = await openDatabase({ connectionString, log, poolSize: 2 });
    console.log(`${length === 1 ? "a partition a day" : "one partition"}:`);
    await measureCalls(database);
    await measureRemoval(database, client);
    await database.close();
    await client.end();
  });
}

async function measureCalls({ queries }: Database): Promise<void> {
  const { installationId } = await stockDatabase(queries);
  const line = {
    projectId,
    installationId,
    method: "GET",
    path: "/",
    status: 200,
    durationMs: 1,
    bytesUp: 1,
    bytesDown: 1,
  };
  const calls: Record<string, () => Promise<unknown>> = {
    "insert 100 lines": () =>
      insertProxyUsage(
        queries,
        Array.from({ length: 100 }, () => ({ ...line, timeMs: nowMs() })),
      ),
    "list the newest 50 of a project": () => listProjectProxyCalls(queries, { projectId }, { limit: 50 }),
    "list the newest 50 of a customer": () =>
      listProxyUsage(queries, { projectId, installationId: CUSTOMER, limit: 50 }),
  };
  for (const [what, call] of Object.entries(calls)) {
    const times: number[] = [];
    for (let nth = 0; nth < CALLS; nth += 1) {
      const fromMs = performance.now();
      await call();
      times.push(performance.now() - fromMs);
    }
    console.log(`  ${what}: ${computeMedian(times).toFixed(2)} ms`);
  }
}

/** Without the pauses that Busbar makes between batches. */
async function measureRemoval({ queries }: Database, client: Client): Promise<void> {
  const before = new Date(today - (DAYS - 1) * DAY_MS);
  const position = async () =>
    (await client.query<{ at: string }>("select pg_current_wal_insert_lsn()::text as at")).rows[0]?.at;
  const from = await position();
  const fromMs = performance.now();
  while ((await removeProxyUsageBefore(queries, before, BATCH)) === BATCH);
  const tookMs = performance.now() - fromMs;
  const { rows } = await client.query<{ bytes: string }>("select pg_wal_lsn_diff($1, $2) as bytes", [
    await position(),
    from,
  ]);
  const { rows: left } = await client.query("select from proxy_usage where time < $1 limit 1", [before]);
  if (left.length > 0) throw new Error("old lines are left");
  console.log(
    `  remove a day of ${DAY_ROWS.toLocaleString("en")} lines: ${Math.round(tookMs)} ms, ${(Number(rows[0]?.bytes) / 1e6).toFixed(1)} MB of WAL`,
  );
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

async function withServer(run: (url: string) => Promise<void>): Promise<void> {
  if (values.url) return run(values.url);
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-retention-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await run(postgres.connectionString);
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Runs it on a database of its own. */
async function onDatabase(url: string, run: (connectionString: string) => Promise<void>): Promise<void> {
  const name = `busbar_retention_${process.pid}`;
  const client = await connect(url);
  await client.query(`create database ${name}`);
  try {
    await run(withDatabase(url, name));
  } finally {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.end();
  }
}

/**
 * Measures many objects that become due within one minute and of which nothing has changed: how late each read begins, and
 * its processor time against that of the same calls made directly. See bench/README.md.
 *
 *     node bench/read/due.ts [--quick] [--customers 10000] [--seconds 60]
 */
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { Pool } from "undici";
import {
  FIELDS,
  installMany,
  buildManifest,
  openReadBench,
  computeQuantile,
  type Account,
} from "./read-bench.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, customers: { type: "string" }, seconds: { type: "string" } },
});
const quick = values.quick === true;
const CUSTOMERS = Number(values.customers ?? (quick ? 200 : 10_000));
const SECONDS = Number(values.seconds ?? (quick ? 5 : 60));
const CONNECTIONS = 64;
const PATIENCE_MS = 10 * 60_000;

/** Makes the same calls directly, over as many connections as Busbar reads runs at once. */
async function direct({ url, accessToken }: Account): Promise<{ perSecond: number; cpuUs: number }> {
  const pool = new Pool(new URL(url).origin, { connections: CONNECTIONS });
  const base = new URL(url).pathname.replace(/\/$/, "");
  const since = new Date(Date.now() - 600_000).toISOString();
  const soql = `SELECT Id,SystemModstamp,${FIELDS.join(",")} FROM Contact WHERE SystemModstamp >= ${since} ORDER BY Id`;
  const path = `${base}/salesforce/services/data/v60.0/query?q=${encodeURIComponent(soql)}`;
  let left = CUSTOMERS;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await pool.request({
        method: "GET",
        path,
        headers: { authorization: `Bearer ${accessToken}` },
      });
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
      await answer.body.json();
    }
  };
  const startedMs = performance.now();
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const { user, system } = process.cpuUsage(before);
  const figures = {
    perSecond: (CUSTOMERS * 1_000) / (performance.now() - startedMs),
    cpuUs: (user + system) / CUSTOMERS,
  };
  await pool.close();
  return figures;
}

const bench = await openReadBench({ records: 1_000 });
const client = new Client({ connectionString: bench.databaseUrl });
try {
  await client.connect();
  await bench.deploy(buildManifest("incremental", "0 0 1 1 *", "days: 0"));
  await installMany(bench, "incremental", CUSTOMERS);
  const isReady = async () =>
    (await client.query("select count(*)::int as count from read_objects")).rows[0].count === CUSTOMERS;
  while (!(await isReady())) await wait(200);
  const called = await direct(bench.account);
  await client.query("create table ticks as select installation_id, next_tick as time from read_objects");
  const before = bench.processorMs();
  await client.query(
    "update read_objects set next_tick = now() + random() * make_interval(secs => $1::double precision)",
    [SECONDS],
  );
  await client.query(
    "update ticks set time = next_tick from read_objects where read_objects.installation_id = ticks.installation_id",
  );
  const ended = "select count(*)::int as count from operations where status <> 'in_progress'";
  const deadlineMs = performance.now() + PATIENCE_MS;
  while ((await client.query(ended)).rows[0].count < CUSTOMERS) {
    if (performance.now() > deadlineMs) throw new Error("not all reads have ended");
    await wait(250);
  }
  const after = bench.processorMs();
  const { rows } = await client.query(
    `select extract(epoch from create_time - time)::float8 * 1000 as begun,
       extract(epoch from update_time - time)::float8 * 1000 as done, status
     from operations join ticks using (installation_id)`,
  );
  const us = (ms: number): string => `${Math.round((ms * 1_000) / CUSTOMERS)} µs`;
  const late = (name: "begun" | "done"): string => {
    const all = rows.map((row) => Number(row[name]));
    return `p50 ${Math.round(computeQuantile(all, 0.5))} ms, p99 ${Math.round(computeQuantile(all, 0.99))} ms`;
  };
  console.log(
    `${CUSTOMERS} objects due within ${SECONDS} s, ${rows.filter(({ status }) => status === "success").length} succeeded`,
  );
  console.log(`begun after their tick: ${late("begun")}; ended: ${late("done")}`);
  console.log(
    `a read: ${us(after.node - before.node)} of Node, ${us(after.postgres - before.postgres)} of PostgreSQL, what an idle process needs included`,
  );
  console.log(
    `a direct call: ${Math.round(called.cpuUs)} µs of Node, ${Math.round(called.perSecond)} a second`,
  );
} finally {
  await client.end();
  await bench.close();
}

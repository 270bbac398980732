/**
 * Measures what wake-ups cost the commits that cause them: commits of one row over many connections, plain, with a wake-up after
 * the commit (as Busbar does) and with a NOTIFY in the transaction, in turns. One connection listens.
 */
import { sql } from "kysely";
import { Client } from "pg";
import { createLog } from "../../ground/log.ts";
import type { Queries } from "../../server/store/database/database.ts";
import { openPool } from "../../server/store/database/pool.ts";
import { buildWakeColumn } from "../../server/store/database/wake-ups.ts";
import { computeMedian, formatPer, formatRatio, tell } from "./report.ts";
import { quick, ROUND_MS } from "./write-bench.ts";

const CONNECTIONS = 32;

const insert = sql`insert into bench_commits default values returning 1`;
const KINDS = {
  plain: insert,
  woken: sql`with done as (${insert}) select ${buildWakeColumn("bench_commits")} from done`,
  notifying: sql`with done as (${insert}) select pg_notify('busbar_changes', '{"table":"bench_commits","id":""}')::text from done`,
};

export async function measureCommits({ databaseUrl }: { databaseUrl: string }): Promise<void> {
  const listener = new Client({ connectionString: databaseUrl });
  listener.on("error", () => {});
  await listener.connect();
  await listener.query("create table bench_commits (id bigint generated always as identity)");
  await listener.query("listen busbar_changes");
  const { queries } = openPool({
    connectionString: databaseUrl,
    applicationName: "busbar bench",
    log: createLog("error"),
    size: CONNECTIONS + 1,
  });
  const rates: Record<keyof typeof KINDS, number[]> = { plain: [], woken: [], notifying: [] };
  for (let round = 0; round <= (quick ? 8 : 16); round++) {
    for (const kind of ["plain", "woken", "notifying"] as const) {
      const rate = await commitsPerSecond(queries, KINDS[kind]);
      if (round > 0) rates[kind].push(rate);
    }
  }
  await queries.destroy();
  await listener.query("drop table bench_commits");
  await listener.end();
  const reported = `${CONNECTIONS} connections: ${formatPer(computeMedian(rates.plain))} plain`;
  const { plain, woken, notifying } = rates;
  tell(
    "commits that wake workers",
    `${reported}, ${formatPer(computeMedian(woken))}`,
    formatRatio(woken, plain),
    "0.6",
  );
  tell(
    "commits with NOTIFY",
    `${reported}, ${formatPer(computeMedian(notifying))}`,
    formatRatio(notifying, plain),
    "none",
  );
}

async function commitsPerSecond(queries: Queries, statement: (typeof KINDS)["plain"]): Promise<number> {
  const fromMs = performance.now();
  let commits = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (; performance.now() - fromMs < ROUND_MS; commits++) await statement.execute(queries);
    }),
  );
  return (commits * 1_000) / (performance.now() - fromMs);
}

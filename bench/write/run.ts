/** Measures the cost of writes: intake, drain, auto-batching and synchronous overhead, as ratios. See bench/README.md. */
import { Client } from "undici";
import { Client as Postgres } from "pg";
import { measureCommits } from "./commits.ts";
import { measureCustomers, type Intake } from "./customers.ts";
import { measureDrain } from "./drain.ts";
import { measureRate } from "./rate.ts";
import { computeMedian, formatPer, formatRatio, tell } from "./report.ts";
import { until } from "./until.ts";
import {
  toBearer,
  buildBusbarEnvironment,
  CONNECTIONS,
  CRM_PATH,
  fill,
  readFirstLine,
  GROUPS,
  openBench,
  quick,
  ROUND_MS,
  ROUNDS,
  start,
  WRITE_PATH,
  type Bench,
} from "./write-bench.ts";

const SYNC_WRITES = quick ? 200 : 1_000;

async function measureIntake(bench: Bench): Promise<void> {
  const one = start("bench/write/one-commit-server.ts", [
    bench.databaseUrl,
    bench.projectId,
    bench.installationId,
  ]);
  const oneOrigin = new URL(await readFirstLine(one)).origin;
  const headers = { "content-type": "application/json", "x-api-key": bench.apiKey };
  const body = JSON.stringify({
    groupRef: GROUPS[0],
    type: "create",
    mode: "asynchronous",
    record: { name: "Intake", city: "Berlin" },
  });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const load = { headers, buildBody: () => body, connections: CONNECTIONS, forMs: ROUND_MS };
    const a = await measureRate({ ...load, origin: bench.origin, path: WRITE_PATH });
    const b = await measureRate({ ...load, origin: oneOrigin, path: "/" });
    if (round === 0) continue; // warm-up
    ours.push(a);
    theirs.push(b);
  }
  one.kill("SIGKILL");
  tell(
    "intake, 64 connections",
    `${formatPer(computeMedian(ours))} accepted; one commit per request ${formatPer(computeMedian(theirs))}`,
    formatRatio(ours, theirs),
    "4",
  );
}

/** Measures intake of many customers, in turns with few; see `customers.ts`. */
async function measureManyCustomers(bench: Bench): Promise<void> {
  const { databaseUrl, origin, apiKey, installationId, apiPid } = bench;
  const [max, renewed] = quick ? [1_000, 200] : [10_000, 2_000];
  const { quiet, ...others } = await measureCustomers({
    databaseUrl,
    origin,
    path: WRITE_PATH,
    apiKey,
    installationId,
    pid: apiPid,
    connections: CONNECTIONS,
    // Short rounds, so that what else happens on the machine strikes all alike.
    roundMs: quick ? ROUND_MS : 800,
    rounds: quick ? ROUNDS : 14,
    max,
    renewed,
  });
  const nodeUs = (intakes: Intake[]) => Math.round(computeMedian(intakes.map((one) => one.nodeUs)));
  const rates = (intakes: Intake[]) => intakes.map((one) => one.rate);
  const what = { renewed: `${renewed} customers, 50 tokens renewed a second`, many: `${max} customers` };
  for (const name of ["renewed", "many"] as const) {
    tell(
      `intake of ${what[name]}`,
      `${formatPer(computeMedian(rates(others[name])))} accepted, ${nodeUs(others[name])} µs of Node each; ` +
        `16 quiet customers ${formatPer(computeMedian(rates(quiet)))}, ${nodeUs(quiet)} µs`,
      formatRatio(rates(others[name]), rates(quiet)),
      "0.9",
    );
  }
}

/** Measures updates of one record, which are executed one after the other. */
async function measureSameRecord(bench: Bench): Promise<void> {
  const count = quick ? 150 : 1_500;
  const headers = { "content-type": "application/json", "x-api-key": bench.apiKey };
  const created = await fetch(`${bench.sandboxUrl}${CRM_PATH}`, {
    method: "POST",
    headers: toBearer(bench),
    body: JSON.stringify({ properties: { name: "One" } }),
  });
  const { id } = (await created.json()) as { id: string };
  const database = new Postgres({ connectionString: bench.databaseUrl });
  database.on("error", () => {});
  await database.connect();
  await database.query("delete from writes");
  const record = (n: number) => ({ id, name: `One ${n}` });
  const buildBody = (n: number) => ({
    groupRef: GROUPS[0],
    type: "update",
    mode: "asynchronous",
    record: record(n),
  });
  await fill(bench.origin, headers, buildBody, count);
  const environment = buildBusbarEnvironment(bench.dataDir, bench.databaseUrl, "worker");
  const worker = start("server/busbar.mjs", ["start"], environment);
  worker.stdout?.resume();
  const left = async () => Number((await database.query("select count(*) from writes")).rows[0].count);
  await until(async () => (await left()) < count);
  const [from, waiting] = [performance.now(), await left()];
  await until(async () => (await left()) === 0);
  const perSecond = (waiting * 1_000) / (performance.now() - from);
  tell(
    `${count} updates of one record`,
    `${formatPer(perSecond)}, one after the other`,
    perSecond,
    "100",
    "/s",
  );
  worker.kill("SIGKILL");
  await database.end();
}

/** Measures the milliseconds that Busbar adds at the median; the two callers take turns. */
async function measureOverhead(bench: Bench): Promise<void> {
  const ours = new Client(bench.origin);
  const direct = new Client(bench.sandboxUrl);
  const headers = { "content-type": "application/json", "x-api-key": bench.apiKey };
  const body = JSON.stringify({ groupRef: GROUPS[0], type: "create", record: { name: "Sync" } });
  const properties = JSON.stringify({ properties: { name: "Sync" } });
  const times: { ours: number[]; direct: number[] } = { ours: [], direct: [] };
  for (let n = 0; n < SYNC_WRITES + 50; n++) {
    const a = await measureMs(() => ours.request({ method: "POST", path: WRITE_PATH, headers, body }));
    const b = await measureMs(() =>
      direct.request({ method: "POST", path: CRM_PATH, headers: toBearer(bench), body: properties }),
    );
    if (n < 50) continue; // warm-up
    times.ours.push(a);
    times.direct.push(b);
  }
  const added = computeMedian(times.ours) - computeMedian(times.direct);
  tell(
    "synchronous overhead, p50",
    `${computeMedian(times.ours).toFixed(2)} ms against ${computeMedian(times.direct).toFixed(2)} ms directly`,
    added,
    "< 5 ms",
    " ms",
  );
  await Promise.all([ours.close(), direct.close()]);
}

async function measureMs(
  call: () => Promise<{ statusCode: number; body: { text(): Promise<string> } }>,
): Promise<number> {
  const started = performance.now();
  const { statusCode, body } = await call();
  const text = await body.text();
  if (statusCode >= 300) throw new Error(text);
  return performance.now() - started;
}

const PARTS = {
  overhead: measureOverhead,
  commits: measureCommits,
  intake: measureIntake,
  customers: measureManyCustomers,
  record: measureSameRecord,
  drain: measureDrain,
};

/** Runs all parts, or only the one of `--only=drain`. One that fails does not end the others. */
async function measureParts(bench: Bench): Promise<void> {
  const only = process.argv.find((word) => word.startsWith("--only="))?.slice("--only=".length);
  for (const [name, measure] of Object.entries(PARTS)) {
    if (only !== undefined && only !== name) continue;
    await measure(bench).catch((error: unknown) => {
      console.log(`${name}: not measured: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    });
  }
}

const bench = await openBench();
try {
  await measureParts(bench);
} finally {
  await bench.close();
}

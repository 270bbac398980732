/**
 * Measures how fast accepted writes are executed, in turns with a graphile-worker that makes the same calls and with the sandbox
 * called directly, and how many calls an auto-batch takes.
 */
import { Client as Postgres } from "pg";
import type { ChildProcess } from "node:child_process";
import { installForTests } from "../../scripts/install-for-tests.ts";
import { readProcessorMs } from "../processor-time.ts";
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
  quick,
  ROUND_MS,
  ROUNDS,
  start,
  type Bench,
} from "./write-bench.ts";

const WRITES = quick ? 1_000 : 10_000;

/** What a side did in a round: its rate, and the processor time of a write in microseconds. */
interface Round {
  perSecond: number;
  worker: number;
  postgres: number;
  sandbox: number;
}

/** The first round of each side warms it up and does not count. */
export async function measureDrain(bench: Bench): Promise<void> {
  const database = new Postgres({ connectionString: bench.databaseUrl });
  // If the bench fails, the database stops before this connection is closed.
  database.on("error", () => {});
  await database.connect();
  await database.query("delete from writes");
  const body = { type: "create", mode: "asynchronous", record: { name: "Drain" } };
  const buildBody = (n: number) => ({ ...body, groupRef: GROUPS[n % GROUPS.length] });
  const busbar = startWorker(bench);
  await fill(bench.origin, buildHeaders(bench), buildBody, 1);
  await until(() => isEmpty(database, "writes"));
  const graphile = await startGraphileWorker(bench);
  const [ours, theirs]: [Round[], Round[]] = [[], []];
  const direct: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const own = await measureWholeDrain(bench, busbar, {
      fill: () => fill(bench.origin, buildHeaders(bench), buildBody, WRITES),
      end: async (fromMs) => {
        await until(() => isEmpty(database, "writes"));
        return (await findLastEndMs(database)) - fromMs;
      },
    });
    const other = await measureWholeDrain(bench, graphile, {
      fill: async () => void (await database.query(ADD_JOBS, [WRITES])),
      end: async (fromMs) => {
        await until(() => isEmpty(database, "graphile_worker._private_jobs"), 5);
        return Date.now() - fromMs;
      },
    });
    const rateOfDirect = await measureRate({
      origin: bench.sandboxUrl,
      path: CRM_PATH,
      headers: toBearer(bench),
      buildBody: () => JSON.stringify({ properties: { name: "Direct" } }),
      connections: CONNECTIONS,
      forMs: ROUND_MS,
    });
    if (round === 0) continue;
    ours.push(own);
    theirs.push(other);
    direct.push(rateOfDirect);
  }
  const rates = (rounds: Round[]) => rounds.map(({ perSecond }) => perSecond);
  tell(
    "finished writes, one record each",
    `${formatRound(ours)}; graphile-worker ${formatRound(theirs)}`,
    formatRatio(rates(ours), rates(theirs)),
    "0.8",
  );
  tell(
    "finished writes, one record each, and the sandbox called directly",
    `${formatPer(computeMedian(rates(ours)))}; ${formatPer(computeMedian(direct))}`,
    formatRatio(rates(ours), direct),
    "0.5",
  );
  graphile.kill("SIGKILL");
  await measureAutoBatch(bench, database, { ...body, groupRef: GROUPS[0] });
  busbar.kill("SIGKILL");
  await database.end();
}

const ADD_JOBS = `select count(*) from graphile_worker.add_jobs((
  select array_agg(row('create', '{"name": "Drain"}'::json, null, null, null, null, null, null)::graphile_worker.job_spec)
  from generate_series(1, $1)))`;

/** Queues writes while a worker is stopped, and measures until it has ended them. */
async function measureWholeDrain(
  { postgresPid, sandboxPid }: Bench,
  worker: ChildProcess,
  queue: { fill(): Promise<void>; end(fromMs: number): Promise<number> },
): Promise<Round> {
  worker.kill("SIGSTOP");
  await queue.fill();
  const pids = [worker.pid, postgresPid, sandboxPid];
  const before = pids.map((pid) => readProcessorMs(pid));
  const fromMs = Date.now();
  worker.kill("SIGCONT");
  const tookMs = await queue.end(fromMs);
  const [ofWorker = 0, postgres = 0, sandbox = 0] = pids.map(
    (pid, index) => ((readProcessorMs(pid) - (before[index] ?? 0)) * 1_000) / WRITES,
  );
  return { perSecond: (WRITES * 1_000) / tookMs, worker: ofWorker, postgres, sandbox };
}

function formatRound(rounds: Round[]): string {
  const us = (name: "worker" | "postgres" | "sandbox") =>
    `${Math.round(computeMedian(rounds.map((round) => round[name])))} µs`;
  const rateOfAll = formatPer(computeMedian(rounds.map(({ perSecond }) => perSecond)));
  return `${rateOfAll} (processor time of each: worker ${us("worker")}, PostgreSQL ${us("postgres")}, sandbox ${us("sandbox")})`;
}

function startWorker(bench: Bench): ChildProcess {
  const worker = start(
    "server/busbar.mjs",
    ["start"],
    buildBusbarEnvironment(bench.dataDir, bench.databaseUrl, "worker"),
  );
  worker.stdout?.resume();
  return worker;
}

async function startGraphileWorker({ databaseUrl, sandboxUrl, token }: Bench): Promise<ChildProcess> {
  const args = [databaseUrl, sandboxUrl, token, String(CONNECTIONS)];
  installForTests();
  const worker = start("tests/bench/graphile-worker.ts", args);
  await readFirstLine(worker);
  return worker;
}

/** Counts the calls for 2,000 records of one customer that may wait for each other. */
async function measureAutoBatch(bench: Bench, database: Postgres, body: object): Promise<void> {
  await fetch(`${bench.sandboxUrl}/sandbox/requests`, { method: "DELETE" });
  const grouped = { ...body, autoBatchPolicy: { maxDelayMinutes: 1440 } };
  await fill(bench.origin, buildHeaders(bench), () => grouped, 2_000);
  await until(() => isEmpty(database, "writes"));
  const log = (await (await fetch(`${bench.sandboxUrl}/sandbox/requests`)).json()) as {
    requests?: { path: string }[];
  } & { path: string }[];
  const calls = (log.requests ?? log).filter(({ path }) => path.includes("/batch/create")).length;
  tell("auto-batched writes", `2,000 records in ${calls} provider calls`, 2_000 / calls, "100");
}

const buildHeaders = ({ apiKey }: Bench) => ({ "content-type": "application/json", "x-api-key": apiKey });

/** Returns whether a queue has no row, without counting, which would load the database. */
const isEmpty = async (database: Postgres, table: string): Promise<boolean> =>
  (await database.query(`select from ${table} limit 1`)).rowCount === 0;

/** Returns the end time of the last operation. */
const findLastEndMs = async (database: Postgres): Promise<number> =>
  (await database.query("select max(update_time) as time from operations")).rows[0].time.getTime();

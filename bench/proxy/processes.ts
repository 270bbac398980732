/**
 * Measures the gain of a second process: every proxy with one and two processes, not pinned, in turns. Load generator and
 * provider use the same cores, so their CPU time is measured too: it limits the possible gain.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acme, listLines } from "../../tests/harness/proxy/real-proxy.ts";
import { PROVIDER, stockDatabase, type Stock } from "../../tests/harness/proxy/stock-database.ts";
import { createLog } from "../../ground/log.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { createTestDatabase } from "../../tests/harness/database.ts";
import { findFreePort } from "./contenders/nginx.ts";
import { readCpuMicros, moveTo, startNginxRunner, startNode, stopAll, type Runner } from "./runners.ts";
import { measure, computeMedian, warmUp, WORKS, type Sample, type Work } from "./works.ts";

interface Pair {
  name: string;
  one: Runner;
  two: Runner;
}

interface Round {
  one: Measured;
  two: Measured;
}

interface Measured extends Sample {
  /** Microseconds that load generator and provider used for an answer. */
  restMicros: number;
}

const CORES = "0-1";
const WORKS_AT_64 = WORKS.filter(({ connections }) => connections === 64);

export async function compareProcesses(quick: boolean): Promise<void> {
  moveTo(CORES);
  const roundMs = quick ? 300 : 1_000;
  const rounds = quick ? 2 : 9;
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-bench-"));
  const upstream = await startNode({ name: "upstream", file: "upstream.ts" });
  const origin = `http://127.0.0.1:${upstream.port}`;
  const pairs: Pair[] = [];
  try {
    pairs.push(
      await openNodePair("bare", "bare.ts", origin),
      await openBusbarPair(origin, database.connectionString, dataDir),
      await openNodePair("@fastify/http-proxy", "fastify.ts", origin),
      ...(await openNginxPairs(origin)),
    );
    for (const { one, two } of pairs) for (const runner of [one, two]) await warmUp(runner, roundMs * 2);
    for (const work of WORKS_AT_64) await compare(work, pairs, upstream, { roundMs, rounds });
  } finally {
    await stopAll([...pairs.flatMap(({ one, two }) => [one, two]), upstream]);
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function openNodePair(name: string, file: string, origin: string): Promise<Pair> {
  const start = (processes: number) =>
    startNode({
      name,
      file: `contenders/${file}`,
      args: [origin],
      env: { BENCH_PROCESSES: String(processes) },
    });
  return { name, one: await start(1), two: await start(2) };
}

async function openNginxPairs(origin: string): Promise<Pair[]> {
  const one = await startNginxRunner(origin, { processes: 1 });
  const two = one && (await startNginxRunner(origin, { processes: 2 }));
  return one && two ? [{ name: "nginx", one, two }] : [];
}

/** The whole Busbar, workers and management included, as an operator starts it. */
async function openBusbarPair(origin: string, databaseUrl: string, dataDir: string): Promise<Pair> {
  const provider = acme(origin, {
    authType: "oauth2",
    oauth2Opts: { grantType: "authorizationCode", authURL: origin, tokenURL: `${origin}/token` },
  });
  await writeFile(join(dataDir, "catalog.json"), JSON.stringify({ providers: { [PROVIDER]: provider } }));
  const stock = await openStock(databaseUrl);
  const start = (processes: number) => startBusbar({ processes, databaseUrl, dataDir, stock });
  return { name: "ours", one: await start(1), two: await start(2) };
}

async function openStock(databaseUrl: string): Promise<Stock> {
  const database = await openDatabase({
    connectionString: databaseUrl,
    log: createLog("error"),
    poolSize: 2,
  });
  const stock = await stockDatabase(database.queries, {
    credentials: {
      scheme: "oauth2/authorizationCode",
      accessToken: { token: "provider-token" },
      refreshToken: { token: "refresh-token" },
    },
  });
  await database.close();
  return stock;
}

async function startBusbar(on: {
  processes: number;
  databaseUrl: string;
  dataDir: string;
  stock: Stock;
}): Promise<Runner> {
  const port = await findFreePort();
  const command = join(import.meta.dirname, "../../server/busbar.mjs");
  const child = spawn(process.execPath, [command, "start", "--processes", String(on.processes)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: {
      ...process.env,
      DATABASE_URL: on.databaseUrl,
      BUSBAR_DATA_DIR: join(on.dataDir, String(on.processes)),
      BUSBAR_PORT: "0",
      BUSBAR_PROXY_PORT: String(port),
      BUSBAR_CATALOG: join(on.dataDir, "catalog.json"),
      BUSBAR_EGRESS_ALLOW: "127.0.0.1",
      BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
      BUSBAR_LOG_LEVEL: "error",
    },
  });
  await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`Busbar ended with ${code} before it was ready`)));
  });
  // It ends by a signal; the others end when their parent disconnects.
  child.disconnect();
  const lines = listLines(on.stock).filter((line) => !line.startsWith("host:"));
  return { name: "ours", port, pid: child.pid ?? 0, lines, process: child };
}

async function compare(
  work: Work,
  pairs: Pair[],
  upstream: Runner,
  { roundMs, rounds }: { roundMs: number; rounds: number },
): Promise<void> {
  const seen = new Map<string, Round[]>(pairs.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, one, two } of pairs) {
      seen.get(name)?.push({
        one: await measureAll(one, work, upstream, roundMs),
        two: await measureAll(two, work, upstream, roundMs),
      });
    }
  }
  console.log(`\n${work.name}, one and two processes, not pinned`);
  console.table(Object.fromEntries([...seen].map(([name, of]) => [name, formatRow(of)])));
}

async function measureAll(
  runner: Runner,
  work: Work,
  upstream: Runner,
  durationMs: number,
): Promise<Measured> {
  const rest = () => sum(readCpuMicros(process.pid).slice(0, 1)) + sum(readCpuMicros(upstream.pid));
  const before = rest();
  const sample = await measure(runner, work, durationMs);
  return { ...sample, restMicros: (rest() - before) / Math.max(1, sample.answers) };
}

function formatRow(rounds: Round[]): Record<string, string | number> {
  const of = (read: (round: Round) => number) => computeMedian(rounds.map(read));
  return {
    "1: answers/s": Math.round(of(({ one }) => one.perSecond)),
    "2: answers/s": Math.round(of(({ two }) => two.perSecond)),
    gain: of(({ one, two }) => two.perSecond / one.perSecond).toFixed(2),
    // Compares two cores for everything with one core for a single process.
    "most possible": of(({ one, two }) => (2 * one.cpuMicros) / (two.cpuMicros + two.restMicros)).toFixed(2),
    "1: CPU us": of(({ one }) => one.cpuMicros).toFixed(1),
    "2: CPU us": of(({ two }) => two.cpuMicros).toFixed(1),
    "gain by CPU": of(({ one, two }) => (2 * one.cpuMicros) / two.cpuMicros).toFixed(2),
    "busiest of 2": of(({ two }) => two.busiest).toFixed(2),
    "rest CPU us": of(({ two }) => two.restMicros).toFixed(1),
    failed: sum(rounds.map(({ one, two }) => one.failed + two.failed)),
  };
}

const sum = (values: number[]): number => values.reduce((left, right) => left + right, 0);

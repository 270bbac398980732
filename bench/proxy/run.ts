/** What does our proxy cost? Measures it beside a bare one, @fastify/http-proxy and nginx. See bench/README.md. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTestDatabase } from "../../tests/harness/database.ts";
import { hasNginx, startNginx } from "./contenders/nginx.ts";
import { load, type LoadResult } from "./load.ts";

interface Runner {
  name: string;
  port: number;
  pid: number;
  lines: string[];
  process: ChildProcess | undefined;
}

interface Work {
  name: string;
  method: "GET" | "POST";
  bodyBytes: number;
  connections: number;
}

interface Sample extends LoadResult {
  /** Microseconds of processor time of the proxy's process per answer. */
  cpuMicros: number;
}

const WORKS: Work[] = [
  { name: "GET 1 KiB, 64 connections", method: "GET", bodyBytes: 0, connections: 64 },
  { name: "GET 1 KiB, 1 connection", method: "GET", bodyBytes: 0, connections: 1 },
  { name: "POST 10 KiB, 64 connections", method: "POST", bodyBytes: 10_240, connections: 64 },
  { name: "POST 10 KiB, 1 connection", method: "POST", bodyBytes: 10_240, connections: 1 },
];

const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 3 : 7;
const ROUND_MS = quick ? 250 : 700;
const WARM_MS = quick ? 600 : 2_500;

const PINS = spawnSync("taskset", ["-V"]).status === 0;
/** The proxy under test has core 0 to itself; everything else shares core 1. */
const onCore = (core: number): string[] => (PINS ? ["taskset", "-c", String(core)] : []);

async function main(): Promise<void> {
  if (PINS) spawnSync("taskset", ["-pc", "1", String(process.pid)]);
  else console.log("taskset is not installed: nothing is pinned, so the figures wander");
  const database = await createTestDatabase();
  const upstream = await startNode("upstream", join(import.meta.dirname, "upstream.ts"), [], 1);
  const origin = `http://127.0.0.1:${upstream.port}`;
  const runners = await startRunners(origin, database.connectionString);
  try {
    const direct: Runner = { ...upstream, name: "direct" };
    for (const runner of runners) await warm(runner);
    for (const work of WORKS) await compare(work, [direct, ...runners]);
  } finally {
    for (const { process: child } of [...runners, upstream]) child?.kill();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await database.drop();
  }
}

async function startRunners(origin: string, databaseUrl: string): Promise<Runner[]> {
  const contender = (name: string, file: string) =>
    startNode(name, join(import.meta.dirname, "contenders", file), [origin], 0, {
      BENCH_DATABASE_URL: databaseUrl,
    });
  const runners = [
    await contender("bare", "bare.ts"),
    await contender("ours", "ours.ts"),
    await contender("@fastify/http-proxy", "fastify.ts"),
  ];
  if (hasNginx()) {
    const { port, process: child } = await startNginx(origin, onCore(0));
    runners.push({ name: "nginx", port, pid: child.pid ?? 0, lines: [], process: child });
  } else {
    console.log("nginx is not installed: skipped");
  }
  return runners;
}

async function startNode(
  name: string,
  file: string,
  args: string[],
  core: number,
  env: Record<string, string> = {},
): Promise<Runner> {
  const profile =
    process.env["BENCH_PROFILE"] === name ? ["--cpu-prof", "--cpu-prof-dir=/tmp/busbar-profile"] : [];
  const [command = "", ...rest] = [...onCore(core), process.execPath, ...profile, file, ...args];
  const child = spawn(command, rest, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, ...env },
  });
  const told = await new Promise<{ port: number; lines?: string[] }>((resolve, reject) => {
    child.once("message", (message) => resolve(message as { port: number; lines?: string[] }));
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code} before it listened`)));
  });
  return { name, port: told.port, pid: child.pid ?? 0, lines: told.lines ?? [], process: child };
}

const warm = async (runner: Runner): Promise<void> => {
  for (const work of WORKS) await measure(runner, work, WARM_MS / WORKS.length);
};

/** One table of interleaved rounds, medians of each. */
async function compare(work: Work, runners: Runner[]): Promise<void> {
  const samples = new Map<Runner, Sample[]>(runners.map((runner) => [runner, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const runner of runners) samples.get(runner)?.push(await measure(runner, work, ROUND_MS));
  }
  const rows = runners.map((runner) => ({ runner, ...medians(samples.get(runner) ?? []) }));
  const bare = rows.find(({ runner }) => runner.name === "bare");
  const direct = rows.find(({ runner }) => runner.name === "direct");
  console.log(`\n${work.name}`);
  console.table(
    Object.fromEntries(
      rows.map((row) => [
        row.runner.name,
        {
          "answers/s": row.perSecond,
          "of bare": ratio(row.perSecond, bare?.perSecond),
          "CPU µs": row.cpuMicros,
          "CPU of bare": row.runner === direct?.runner ? "" : ratio(bare?.cpuMicros ?? 0, row.cpuMicros),
          "p50 µs": row.p50,
          "p99 µs": row.p99,
          "p50 added µs": row.p50 - (direct?.p50 ?? 0),
          failed: row.failed,
        },
      ]),
    ),
  );
}

const ratio = (value: number, of: number | undefined): string => (of ? (value / of).toFixed(2) : "");

function medians(samples: Sample[]): Sample {
  const median = (read: (sample: Sample) => number): number => {
    const sorted = samples.map(read).toSorted((left, right) => left - right);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return {
    answers: median(({ answers }) => answers),
    perSecond: median(({ perSecond }) => perSecond),
    p50: median(({ p50 }) => p50),
    p99: median(({ p99 }) => p99),
    cpuMicros: Math.round(median(({ cpuMicros }) => cpuMicros) * 10) / 10,
    failed: samples.reduce((sum, { failed }) => sum + failed, 0),
  };
}

async function measure(runner: Runner, work: Work, durationMs: number): Promise<Sample> {
  const before = cpuMicrosOf(runner.pid);
  const result = await load({
    port: runner.port,
    request: requestOf(runner, work),
    connections: work.connections,
    durationMs,
  });
  return { ...result, cpuMicros: (cpuMicrosOf(runner.pid) - before) / Math.max(1, result.answers) };
}

function requestOf({ lines }: Runner, { method, bodyBytes }: Work): Buffer {
  const head = [
    `${method} /v1/contacts?limit=1 HTTP/1.1`,
    "Host: proxy.test",
    "Accept: application/json",
    "User-Agent: bench/1.0",
    ...(lines.length > 0 ? lines : ["x-api-key: key"]),
    ...(bodyBytes > 0 ? ["Content-Type: application/json", `Content-Length: ${bodyBytes}`] : []),
    "",
    "",
  ];
  return Buffer.concat([Buffer.from(head.join("\r\n")), Buffer.alloc(bodyBytes, "x")]);
}

/** User and system time of a process and, for nginx, its worker; counted in hundredths of a second. */
function cpuMicrosOf(pid: number): number {
  const processes = [pid, ...read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean)];
  return processes.reduce<number>((sum, each) => {
    const fields = read(`/proc/${each}/stat`).split(") ")[1]?.split(" ") ?? [];
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10_000;
  }, 0);
}

/** Empty where there is no such file: the process ended, or this is not Linux. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

await main();

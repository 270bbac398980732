/** What does our proxy cost? Measures it beside a bare one, @fastify/http-proxy and nginx. See bench/README.md. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTestDatabase } from "../../tests/harness/database.ts";
import { hasNginx, startNginx } from "./contenders/nginx.ts";
import { load, type LoadResult } from "./load.ts";
import { measureMemory } from "./memory.ts";

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
  /** Of the round that the proxy's process was running. */
  share: number;
}

const WORKS: Work[] = [
  { name: "GET 1 KiB, 64 connections", method: "GET", bodyBytes: 0, connections: 64 },
  { name: "GET 1 KiB, 1 connection", method: "GET", bodyBytes: 0, connections: 1 },
  { name: "POST 10 KiB, 64 connections", method: "POST", bodyBytes: 10_240, connections: 64 },
  { name: "POST 10 KiB, 1 connection", method: "POST", bodyBytes: 10_240, connections: 1 },
];

const quick = process.argv.includes("--quick");
/** Short and many: on a shared machine, what disturbs one round disturbs its neighbours, and ratios are of neighbours. */
const ROUND_MS = quick ? 200 : 300;
/** Rounds that count, and how long to go on looking for them. */
const ENOUGH_ROUNDS = quick ? 2 : 9;
const MOST_MS = quick ? 3_000 : 24_000;
const WARM_MS = quick ? 800 : 2_500;

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
    await compareMemory(runners);
  } finally {
    // Node's processes end themselves when their parent lets go, and write their profile then.
    for (const { process: child } of [...runners, upstream]) {
      if (child?.connected) child.disconnect();
      else child?.kill();
    }
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

/** One table of interleaved rounds: medians, and the median of what each round's ratio to its neighbour was. */
async function compare(work: Work, runners: Runner[]): Promise<void> {
  const rounds: Map<string, Sample>[] = [];
  // A proxy that did not get its core was measured together with whatever else ran on this machine.
  const isQuiet = (name: string) => (samples: Map<string, Sample>) =>
    work.connections === 1 || name === "direct" || name === "nginx" || (samples.get(name)?.share ?? 0) > 0.85;
  const quiet = (name: string) => rounds.filter(isQuiet(name)).filter(isQuiet("bare"));
  const started = performance.now();
  while (runners.some(({ name }) => quiet(name).length < ENOUGH_ROUNDS)) {
    if (performance.now() - started > MOST_MS) break;
    const samples = new Map<string, Sample>();
    for (const runner of runners) samples.set(runner.name, await measure(runner, work, ROUND_MS));
    rounds.push(samples);
  }
  const counted = (name: string) => (quiet(name).length > 0 ? quiet(name) : rounds);
  const of = (name: string, read: (sample: Sample) => number) =>
    median(counted(name).map((samples) => read(samples.get(name) ?? NOTHING)));
  const ratio = (name: string, read: (sample: Sample) => number) =>
    median(
      counted(name).map(
        (samples) => read(samples.get(name) ?? NOTHING) / read(samples.get("bare") ?? NOTHING),
      ),
    );
  console.log(`\n${work.name}`);
  console.table(
    Object.fromEntries(
      runners.map(({ name }) => [
        name,
        {
          "answers/s": Math.round(of(name, ({ perSecond }) => perSecond)),
          "of bare": ratio(name, ({ perSecond }) => perSecond).toFixed(2),
          "by CPU": name === "direct" ? "" : (1 / ratio(name, ({ cpuMicros }) => cpuMicros)).toFixed(2),
          "CPU us": name === "direct" ? "" : of(name, ({ cpuMicros }) => cpuMicros).toFixed(1),
          "p50 us": of(name, ({ p50 }) => p50),
          "p99 us": of(name, ({ p99 }) => p99),
          "p50 added us": of(name, ({ p50 }) => p50) - of("direct", ({ p50 }) => p50),
          rounds: `${quiet(name).length}/${rounds.length}`,
          failed: rounds.reduce((sum, samples) => sum + (samples.get(name)?.failed ?? 0), 0),
        },
      ]),
    ),
  );
}

const NOTHING: Sample = { answers: 0, perSecond: 0, p50: 0, p99: 0, failed: 0, cpuMicros: 0, share: 0 };

function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function compareMemory(runners: Runner[]): Promise<void> {
  console.log("\n100 MB up and 100 MB down at once, both with a slow reader");
  for (const { name, port, lines, process: child } of runners) {
    if (!child?.connected || name === "@fastify/http-proxy") continue;
    const { beforeBytes, growthBytes, durationMs } = await measureMemory(port, lines, child);
    const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
    console.log(
      `${name}: ${mib(beforeBytes)} before, grew by ${mib(growthBytes)} (${Math.round(durationMs)} ms)`,
    );
  }
}

async function measure(runner: Runner, work: Work, durationMs: number): Promise<Sample> {
  const { connections } = work;
  const before = cpuMicrosOf(runner.pid);
  const started = performance.now();
  const result = await load({ port: runner.port, request: requestOf(runner, work), connections, durationMs });
  const cpuMicros = cpuMicrosOf(runner.pid) - before;
  const share = cpuMicros / ((performance.now() - started) * 1_000);
  return { ...result, cpuMicros: cpuMicros / Math.max(1, result.answers), share };
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

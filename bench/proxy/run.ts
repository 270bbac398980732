/** Measures the cost of our proxy in comparison with a bare one, @fastify/http-proxy and nginx. See bench/README.md. */
import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";
import { createTestDatabase } from "../../tests/harness/database.ts";
import { compareProcesses } from "./processes.ts";
import { moveTo, PINS, type Runner, startNginxRunner, startNode, stopAll } from "./runners.ts";
import { measure, computeMedian, NOTHING, type Sample, warmUp, type Work, WORKS } from "./works.ts";

const quick = process.argv.includes("--quick");
/** Many short rounds: a disturbance affects neighbouring rounds alike, and ratios are those of neighbours. */
const ROUND_MS = quick ? 200 : 300;
/** Number of valid rounds, and the maximum number of tries. */
const ENOUGH_ROUNDS = quick ? 2 : 9;
const MAX_MS = quick ? 3_000 : 24_000;
const WARM_MS = quick ? 800 : 2_500;

async function main(): Promise<void> {
  if (!PINS) console.log("taskset is not installed: nothing is pinned, so the figures wander");
  if (!process.argv.includes("--processes-only")) await compareOnOneCore();
  await compareProcesses(quick);
}

/** The proxy under test uses core 0 alone; everything else shares core 1. */
async function compareOnOneCore(): Promise<void> {
  moveTo("1");
  const database = await createTestDatabase();
  const upstream = await startNode({ name: "upstream", file: "upstream.ts", cores: "1" });
  const runners = await startRunners(`http://127.0.0.1:${upstream.port}`, database.connectionString);
  try {
    const direct: Runner = { ...upstream, name: "direct" };
    for (const runner of runners) await warmUp(runner, WARM_MS);
    for (const work of WORKS) await compare(work, [direct, ...runners]);
    await compareMemory(runners);
  } finally {
    await stopAll([...runners, upstream]);
    await database.drop();
  }
}

async function startRunners(origin: string, databaseUrl: string): Promise<Runner[]> {
  const contender = (name: string, file: string, env: Record<string, string> = {}) =>
    startNode({
      name,
      file: `contenders/${file}`,
      args: [origin],
      env: { BENCH_DATABASE_URL: databaseUrl, ...env },
      cores: "0",
    });
  const runners = [
    await contender("bare", "bare.ts"),
    await contender("ours", "ours.ts"),
    await contender("ours, BUSBAR_METRICS", "ours.ts", { BENCH_METRICS: "true" }),
    await contender("@fastify/http-proxy", "fastify.ts"),
    await startNginxRunner(origin, { cores: "0" }),
  ];
  return runners.filter((runner) => runner !== undefined);
}

/** Runs interleaved rounds and prints medians, and the median of the ratios of neighbouring rounds. */
async function compare(work: Work, runners: Runner[]): Promise<void> {
  const rounds: Map<string, Sample>[] = [];
  // A proxy that did not get its core shared it with other programs of the machine.
  const isQuiet = (name: string) => (samples: Map<string, Sample>) =>
    work.connections === 1 || name === "direct" || name === "nginx" || (samples.get(name)?.share ?? 0) > 0.85;
  const quiet = (name: string) => rounds.filter(isQuiet(name)).filter(isQuiet("bare"));
  const started = performance.now();
  while (runners.some(({ name }) => quiet(name).length < ENOUGH_ROUNDS)) {
    if (performance.now() - started > MAX_MS) break;
    const samples = new Map<string, Sample>();
    for (const runner of runners) samples.set(runner.name, await measure(runner, work, ROUND_MS));
    rounds.push(samples);
  }
  const counted = (name: string) => (quiet(name).length > 0 ? quiet(name) : rounds);
  const of = (name: string, read: (sample: Sample) => number) =>
    computeMedian(counted(name).map((samples) => read(samples.get(name) ?? NOTHING)));
  const ratio = (name: string, read: (sample: Sample) => number) =>
    computeMedian(
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

async function compareMemory(runners: Runner[]): Promise<void> {
  console.log("\n100 MB up and 100 MB down at once, both with a slow reader");
  for (const { name, port, lines, process: child } of runners) {
    if (!child?.connected || !["bare", "ours"].includes(name)) continue;
    const measured = await measureMemory(port, lines, child).catch((error: Error) => {
      // The other parts are worth their time all the same.
      process.exitCode = 1;
      return error;
    });
    if (measured instanceof Error) {
      console.log(`${name}: not measured: ${measured.message}`);
      continue;
    }
    const { beforeBytes, growthBytes, durationMs } = measured;
    const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
    console.log(
      `${name}: ${mib(beforeBytes)} before, grew by ${mib(growthBytes)} (${Math.round(durationMs)} ms)`,
    );
  }
}

await main();

interface MemoryResult {
  beforeBytes: number;
  growthBytes: number;
  durationMs: number;
}

const LARGE_BYTES = 100 * 1024 * 1024;
const PIECE = Buffer.alloc(1024 * 1024, "x");

/** `lines` are the header lines that a call needs; `child` answers every message with its memory. */
async function measureMemory(port: number, lines: string[], child: ChildProcess): Promise<MemoryResult> {
  const beforeBytes = await readRss(child);
  let max = beforeBytes;
  const started = performance.now();
  const head = ["Host: proxy.test", ...lines].join("\r\n");
  const both = Promise.all([download(port, head), upload(port, head)]);
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  both.then(over, over);
  for (;;) {
    max = Math.max(max, await readRss(child));
    if (isOver) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await both;
  return { beforeBytes, growthBytes: max - beforeBytes, durationMs: performance.now() - started };
}

function readRss(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once("message", (message: { rssBytes: number }) => resolve(message.rssBytes));
  child.send("memory", (error) => error && reject(error));
  return promise;
}

/** Reads everything, with a pause after every piece. */
function download(port: number, head: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1");
  let received = 0;
  socket.write(`GET /large HTTP/1.1\r\n${head}\r\n\r\n`);
  socket.on("error", reject).on("close", () => reject(new Error("the download broke off")));
  socket.on("data", (chunk) => {
    received += chunk.length;
    if (received >= LARGE_BYTES) {
      resolve();
      return void socket.destroy();
    }
    socket.pause();
    setTimeout(() => socket.resume(), 1);
  });
  return promise;
}

/** Sends as fast as it is taken, and waits for the answer. */
function upload(port: number, head: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1");
  let left = LARGE_BYTES;
  const more = () => {
    while (left > 0) {
      left -= PIECE.length;
      if (!socket.write(PIECE)) return;
    }
  };
  socket.write(`POST /large HTTP/1.1\r\n${head}\r\nContent-Length: ${LARGE_BYTES}\r\n\r\n`);
  socket
    .on("drain", more)
    .on("error", reject)
    .on("close", () => reject(new Error("the upload broke off")));
  socket.once("data", () => {
    resolve();
    socket.destroy();
  });
  more();
  return promise;
}

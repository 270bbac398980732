/**
 * Measures the cost of reading: a backfill against a bare loop that pages and posts the same, and incremental reads of many
 * customers that find nothing against the same calls made directly, in turns. See bench/README.md.
 *
 *     node bench/read/run.ts [--quick] [--records 1000000] [--customers 1000]
 */
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  FIELDS,
  installMany,
  buildManifest,
  openReadBench,
  computeQuantile,
  type ReadBench,
} from "./read-bench.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, records: { type: "string" }, customers: { type: "string" } },
});
const quick = values.quick === true;
const RECORDS = Number(values.records ?? (quick ? 40_000 : 1_000_000));
const CUSTOMERS = Number(values.customers ?? (quick ? 100 : 1_000));
const ROUNDS = quick ? 2 : 3;

interface Figures {
  perSecond: number;
  nodeUs: number;
  postgresUs: number;
}

const waitForReceived = async (sinkUrl: string): Promise<{ records: number; lastMs: number }> =>
  (await fetch(sinkUrl)).json() as Promise<{ records: number; lastMs: number }>;

async function measureBareLoop({ account, sinkUrl, start }: ReadBench): Promise<Figures> {
  const printed = await start("bare-loop.ts", account.url, account.accessToken, sinkUrl, FIELDS.join(","));
  const { records, seconds, cpuMs }: { records: number; seconds: number; cpuMs: number } =
    JSON.parse(printed);
  return { perSecond: records / seconds, nodeUs: (cpuMs * 1_000) / records, postgresUs: 0 };
}

/** Memory of the process alone: without the pages of Node's program file, which all processes share. */
const readMemoryMib = (pid: number): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;

interface Memory {
  beforeMib: number;
  /** How far the memory rose above `beforeMib`. */
  growthMib: number;
  /** How far it rose above the maximum that it had while the first tenth of the records arrived. */
  lateGrowthMib: number;
}

/** Installs for a new customer and measures until all records have arrived. */
async function backfill(bench: ReadBench, round: number): Promise<Figures & { memory: Memory }> {
  const { busbar, sinkUrl } = bench;
  await fetch(sinkUrl, { method: "DELETE" });
  const before = { ...bench.processorMs(), memory: readMemoryMib(busbar.pid) };
  const startedMs = performance.timeOrigin + performance.now();
  const id = await bench.install({ integration: "backfilled", groupRef: `customer-${round}` });
  let [maxMemory, maxEarly] = [before.memory, before.memory];
  let arrived = await waitForReceived(sinkUrl);
  while (arrived.records < RECORDS) {
    await wait(100);
    maxMemory = Math.max(maxMemory, readMemoryMib(busbar.pid));
    arrived = await waitForReceived(sinkUrl);
    if (arrived.records < RECORDS / 10) maxEarly = maxMemory;
  }
  const after = bench.processorMs();
  const figures = {
    perSecond: (RECORDS * 1_000) / (arrived.lastMs - startedMs),
    nodeUs: ((after.node - before.node) * 1_000) / RECORDS,
    postgresUs: ((after.postgres - before.postgres) * 1_000) / RECORDS,
    memory: {
      beforeMib: before.memory,
      growthMib: maxMemory - before.memory,
      lateGrowthMib: maxMemory - maxEarly,
    },
  };
  await busbar.inProject("DELETE", `/integrations/backfilled/installations/${id}`);
  return figures;
}

interface Load {
  reads: number;
  seconds: number;
  nodeMs: number;
  postgresMs: number;
}

async function load(bench: ReadBench, seconds: number): Promise<Load> {
  const before = { ...bench.processorMs(), reads: await bench.requestCount() };
  const startedMs = performance.now();
  await wait(seconds * 1_000);
  const reads = (await bench.requestCount()) - before.reads;
  const after = bench.processorMs();
  return {
    reads,
    seconds: (performance.now() - startedMs) / 1_000,
    nodeMs: after.node - before.node,
    postgresMs: after.postgres - before.postgres,
  };
}

/**
 * Lets all customers' objects become due again and again, and measures the CPU time of each read that finds nothing. What the process
 * needs without customers is measured before and subtracted: minutes of half a second let it look for work much more often.
 */
async function measureIncremental(
  bench: ReadBench,
): Promise<{ idle: Load; read: Figures & { reads: number } }> {
  const seconds = quick ? 5 : 20;
  await bench.deploy(buildManifest("incremental", "*/10 * * * *", "days: 0"));
  await wait(3_000);
  const idle = await load(bench, seconds);
  await installMany(bench, "incremental", CUSTOMERS);
  // Two ticks, so that every customer has been read and is cached.
  await wait(10_000);
  const busy = await load(bench, seconds);
  const us = (name: "nodeMs" | "postgresMs"): number =>
    ((busy[name] - (idle[name] * busy.seconds) / idle.seconds) * 1_000) / busy.reads;
  const { reads } = busy;
  return {
    idle,
    read: { reads, perSecond: reads / busy.seconds, nodeUs: us("nodeMs"), postgresUs: us("postgresMs") },
  };
}

const printReported = ({ perSecond, nodeUs, postgresUs }: Figures): string =>
  `${Math.round(perSecond)}/s (${nodeUs.toFixed(1)} µs of Node${postgresUs ? `, ${postgresUs.toFixed(1)} µs of PostgreSQL` : ""})`;

const describeMemory = ({ beforeMib, growthMib, lateGrowthMib }: Memory): string =>
  `memory ${Math.round(beforeMib)} + ${Math.round(growthMib)} MiB, after the first tenth + ${Math.round(lateGrowthMib)} MiB`;

const bench = await openReadBench({ records: RECORDS });
try {
  await bench.deploy(buildManifest("backfilled", "0 0 1 1 *", "fullHistory: true"));
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const bare = await measureBareLoop(bench);
    const ours = await backfill(bench, round);
    ratios.push(ours.perSecond / bare.perSecond);
    console.log(
      `round ${round}: bare loop ${printReported(bare)}; Busbar ${printReported(ours)}, ${describeMemory(ours.memory)}; ratio ${(ours.perSecond / bare.perSecond).toFixed(2)}`,
    );
  }
  console.log(
    `backfill of ${RECORDS} records, ratio, median: ${computeQuantile(ratios, 0.5).toFixed(2)} (target 0.6)`,
  );
  const { idle, read } = await measureIncremental(bench);
  const perSecond = (ms: number): string => `${(ms / idle.seconds).toFixed(0)} ms`;
  console.log(
    `without customers, at minutes of half a second: ${perSecond(idle.nodeMs)} of Node and ${perSecond(idle.postgresMs)} of PostgreSQL a second`,
  );
  const isNoise = read.reads < 200;
  console.log(
    `incremental reads that find nothing, ${CUSTOMERS} customers: ${printReported(read)} each without that, ${read.reads} in all ` +
      (isNoise ? "(too few to tell them from that: take 100 customers)" : "(target 1,000 µs)"),
  );
} finally {
  await bench.close();
}

/**
 * Measures the cost of subscribing: pushes accepted a second against a bare server that commits the same bytes, the time from
 * a push to the delivered message with many installations subscribed, and what idle streams cost. See bench/README.md.
 *
 *     node bench/subscribe/run.ts [--quick] [--installations 1000] [--only=pushes]
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildCatalog } from "../../connectors/catalog.ts";
import { createLog } from "../../ground/log.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { insertPushes } from "../../server/store/subscriptions/received-pushes.ts";
import { openTaking } from "../../server/subscribe/receive/take-pushes.ts";
import { readProcessorMs } from "../processor-time.ts";
import { computeQuantile } from "../read/read-bench.ts";
import { measureRate } from "../write/rate.ts";
import { computeMedian, formatPer, formatRatio, tell } from "../write/report.ts";
import { until } from "../write/until.ts";
import {
  openSubscribeBench,
  PUSH_PATH,
  pushBody,
  pushHeaders,
  type SubscribeBench,
} from "./subscribe-bench.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    installations: { type: "string" },
    /** One of `latency`, `streams`, `pushes`, `taking`. */
    only: { type: "string" },
  },
});
const quick = values.quick === true;
const INSTALLATIONS = Number(values.installations ?? (quick ? 100 : 1_000));
const ROUNDS = quick ? 2 : 5;
const ROUND_MS = quick ? 700 : 2_000;
/** Events of a push, and connections: HubSpot sends up to 100 events, ten requests at a time unless the app allows more. */
const PUSHES = [
  { events: 1, connections: 64 },
  { events: 10, connections: 64 },
  { events: 100, connections: 10 },
];
const TIMED = quick ? 100 : 500;
const WARM_UP = 50;
/** Pushes a second of the steady part. */
const STEADY_PER_SECOND = 50;
/** After the last stream was opened, and then for the processor time. */
const SETTLE_MS = quick ? 5_000 : 20_000;

/** Arrivals by the id of the event. */
interface Receiver {
  url: string;
  arrivedMs: Map<number, number>;
  untilArrived(eventId: number): Promise<number>;
  close(): void;
}

async function openReceiver(): Promise<Receiver> {
  const arrivedMs = new Map<number, number>();
  const waiting = new Map<number, (ms: number) => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const ms = performance.now();
      response.writeHead(204).end();
      const { result = [] }: { result?: { rawEvent: { eventId: number } }[] } = JSON.parse(
        Buffer.concat(chunks).toString("utf8"),
      );
      for (const { rawEvent } of result) {
        arrivedMs.set(rawEvent.eventId, ms);
        waiting.get(rawEvent.eventId)?.(ms);
      }
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrivedMs,
    async untilArrived(eventId) {
      const known = arrivedMs.get(eventId);
      return known ?? new Promise((resolve) => waiting.set(eventId, resolve));
    },
    close: () => server.close(),
  };
}

async function push({ busbar }: SubscribeBench, body: string): Promise<void> {
  const answer = await fetch(`${busbar.origin}${PUSH_PATH}`, {
    method: "POST",
    headers: pushHeaders(busbar.origin, body),
    body,
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  await answer.arrayBuffer();
}

/** Measures the time from the request to the message, one event at a time and then many a second. */
async function measureLatency(bench: SubscribeBench, receiver: Receiver): Promise<void> {
  const accounts = INSTALLATIONS;
  // Not an account twice, so that each is taken up again after a rest.
  const buildBody = (nth: number) => pushBody(bench.crms, { nth, events: 1, accounts });
  const times: number[] = [];
  const read: number[] = [];
  let nth = 0;
  for (; nth < WARM_UP + TIMED; nth += 1) {
    const sentMs = performance.now();
    await push(bench, buildBody(nth));
    times.push((await receiver.untilArrived(nth)) - sentMs);
    read.push(await readDirectly(bench, nth));
    await wait(20);
  }
  const own = computeQuantile(read.slice(WARM_UP), 0.5);
  const single = times.slice(WARM_UP);
  tell(
    `push to message, ${INSTALLATIONS} installations, one at a time`,
    `p50 ${computeQuantile(single, 0.5).toFixed(1)} ms, p99 ${computeQuantile(single, 0.99).toFixed(1)} ms; ` +
      `reading the record directly ${own.toFixed(1)} ms; ${await describeStages(bench)}`,
    computeQuantile(single, 0.5) - own,
    "< 50 ms",
    " ms",
  );
  const steady: { nth: number; sentMs: number }[] = [];
  const endMs = performance.now() + (quick ? 4_000 : 20_000);
  while (performance.now() < endMs) {
    steady.push({ nth, sentMs: performance.now() });
    await push(bench, buildBody(nth++));
    await wait(1_000 / STEADY_PER_SECOND);
  }
  const delays = await Promise.all(
    steady.map(async (one) => (await receiver.untilArrived(one.nth)) - one.sentMs),
  );
  tell(
    `push to message, about ${STEADY_PER_SECOND} a second`,
    `p50 ${computeQuantile(delays, 0.5).toFixed(1)} ms, p99 ${computeQuantile(delays, 0.99).toFixed(1)} ms (${delays.length})`,
    computeQuantile(delays, 0.5) - own,
    "< 50 ms",
    " ms",
  );
}

async function readDirectly({ crms }: SubscribeBench, nth: number): Promise<number> {
  const startedMs = performance.now();
  const id = crms.contacts[nth % crms.contacts.length];
  const answer = await fetch(`${crms.url}/hubspot/crm/v3/objects/contacts/batch/read`, {
    method: "POST",
    headers: { authorization: `Bearer ${crms.hubspot.accessToken}`, "content-type": "application/json" },
    body: JSON.stringify({ properties: ["lastname", "email"], inputs: [{ id }] }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}`);
  return performance.now() - startedMs;
}

/** Tells the median from the stored event to the commit of its message. */
async function describeStages({ database }: SubscribeBench): Promise<string> {
  const { rows } = await database.query(
    `select percentile_cont(0.5) within group (order by extract(epoch from end_time - received_time) * 1000) as ms
      from (select * from subscription_events where outcome = 'delivered' order by end_time desc limit $1) last`,
    [TIMED],
  );
  return `of it from the stored event to the stored message ${Number(rows[0].ms).toFixed(1)} ms`;
}

/** Measures what idle streams take, each process fresh from its start. */
async function measureStreams(bench: SubscribeBench): Promise<void> {
  await bench.restart();
  await wait(SETTLE_MS);
  const without = await measureResting(bench);
  await bench.subscribe("salesforce", INSTALLATIONS);
  await bench.restart();
  const startedMs = performance.now();
  await until(async () => (await openStreams(bench)) >= INSTALLATIONS);
  const openedMs = performance.now() - startedMs;
  await wait(SETTLE_MS);
  const held = await measureResting(bench);
  tell(
    `${INSTALLATIONS} idle streams`,
    `memory ${Math.round(held.kib / 1_024)} MiB, without streams ${Math.round(without.kib / 1_024)} MiB; ` +
      `processor ${(held.share * 100).toFixed(1)} %, without ${(without.share * 100).toFixed(1)} % of a core; ` +
      `all open ${(openedMs / 1_000).toFixed(1)} s after the start`,
    (held.kib - without.kib) / INSTALLATIONS,
    "-",
    " KiB each",
  );
}

async function openStreams({ crms }: SubscribeBench): Promise<number> {
  const answer = await fetch(`${crms.url}/sandbox/salesforce/streams`);
  return ((await answer.json()) as { open: number }).open;
}

/** Returns memory, and the part of a core that the process takes. */
async function measureResting({ busbar: { pid } }: SubscribeBench): Promise<{ kib: number; share: number }> {
  const before = readProcessorMs(pid);
  await wait(SETTLE_MS);
  const share = (readProcessorMs(pid) - before) / SETTLE_MS;
  return { kib: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0), share };
}

/** Measures pushes of different sizes, while no process takes up the events; in turns with the bare server. */
async function measurePushes(bench: SubscribeBench): Promise<void> {
  const api = await bench.startBusbar("api", { BUSBAR_ROLES: "api" });
  const bare = await bench.start("bare-receiver.ts", bench.databaseUrl);
  await bench.end();
  let nth = 1_000_000;
  for (const { events, connections } of PUSHES) {
    const [ours, theirs, nodeUs]: [number[], number[], number[]] = [[], [], []];
    const load = {
      path: PUSH_PATH,
      headers: {},
      buildHeaders: (body: string) => pushHeaders(api.origin, body),
      buildBody: () => pushBody(bench.crms, { nth: nth++, events, accounts: INSTALLATIONS }),
      connections,
      forMs: ROUND_MS,
    };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const before = { ms: readProcessorMs(api.pid), nth };
      const rateOfOurs = await measureRate({ ...load, origin: api.origin });
      const us = ((readProcessorMs(api.pid) - before.ms) * 1_000) / (nth - before.nth);
      const rateOfTheirs = await measureRate({ ...load, origin: bare });
      await bench.database.query("truncate received_pushes, bare_pushes");
      if (round === 0) continue; // warm-up
      ours.push(rateOfOurs);
      nodeUs.push(us);
      theirs.push(rateOfTheirs);
    }
    tell(
      `pushes of ${events}, ${INSTALLATIONS} installations, ${connections} connections`,
      `${formatPer(computeMedian(ours))} accepted (${Math.round(computeMedian(nodeUs))} µs of Node each); bare server ${formatPer(computeMedian(theirs))}`,
      formatRatio(ours, theirs),
      "0.5",
    );
  }
}

/** Measures how fast one process takes waiting pushes apart. */
async function measureTaking(bench: SubscribeBench): Promise<void> {
  const log = createLog("error");
  const database = await openDatabase({ connectionString: bench.databaseUrl, log });
  const take = openTaking({ database, catalog: buildCatalog(), log, windowMs: 0 });
  const { rows } = await bench.database.query("select project_id from subscriptions limit 1");
  const push = { projectId: rows[0].project_id, provider: "hubspot", installationId: null };
  let nth = 2_000_000;
  for (const { events } of PUSHES) {
    const many = quick ? 200 : 2_000;
    const rates: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (let waiting = 0; waiting < many; waiting += 100) {
        const buildBody = () => pushBody(bench.crms, { nth: nth++, events, accounts: INSTALLATIONS });
        const some = Array.from({ length: 100 }, () => ({ ...push, body: Buffer.from(buildBody()) }));
        await insertPushes(database.queries, some, { tells: false });
      }
      const startedMs = performance.now();
      while ((await take()).taken > 0);
      const perSecond = (many * events * 1_000) / (performance.now() - startedMs);
      await bench.database.query("truncate subscription_events");
      if (round > 0) rates.push(perSecond);
    }
    tell(
      `pushes of ${events} taken apart by one process`,
      `${formatPer(computeMedian(rates) / events)} pushes`,
      computeMedian(rates),
      "-",
      " events/s",
    );
  }
  await database.close();
}

/** Returns whether a part runs: all, or only the one that was asked for. */
const isAsked = (part: string): boolean => values.only === undefined || values.only === part;

const receiver = await openReceiver();
const bench = await openSubscribeBench();
try {
  await bench.prepare(receiver.url);
  if (isAsked("latency") || isAsked("pushes") || isAsked("taking"))
    await bench.subscribe("hubspot", INSTALLATIONS);
  if (isAsked("latency")) await measureLatency(bench, receiver);
  if (isAsked("streams")) await measureStreams(bench);
  if (isAsked("pushes")) await measurePushes(bench);
  if (isAsked("taking")) {
    // Nobody else takes them.
    if (bench.isRunning) await bench.end();
    await measureTaking(bench);
  }
} finally {
  receiver.close();
  await bench.close();
}

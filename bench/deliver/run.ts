/**
 * Measures the cost of deliveries: messages per second to a sink through Busbar and directly, in turns, and the latency from
 * the commit of an event to its arrival. See bench/README.md.
 *
 *     node bench/deliver/run.ts [--quick]
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Pool } from "undici";
import { openSigner } from "../../destinations/webhook/sign.ts";
import { buildMessageBody } from "../../destination-kit/message-body.ts";
import { bootstrap } from "../../server/access/bootstrap.ts";
import {
  newSigningKey,
  sealDestinationSecrets,
} from "../../server/deliver/destinations/destination-secrets.ts";
import { sampleEvent } from "../../server/events/sample-event.ts";
import { recordEvents } from "../../server/events/record-event.ts";
import { newId } from "../../ground/ids.ts";
import { createLog } from "../../ground/log.ts";
import { Sealer } from "../../ground/seal.ts";
import type { Database } from "../../server/store/database/database.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { insertDestination } from "../../server/store/deliveries/destinations.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import { eventTopicRoutes, topicDestinationRoutes } from "../../server/store/deliveries/topic-routes.ts";
import { insertTopic } from "../../server/store/deliveries/topics.ts";
import { findChildNamed, readProcessorMs } from "../processor-time.ts";

const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 3 : 5;
const MESSAGES = quick ? 5_000 : 20_000;
const TIMED = quick ? 100 : 500;
const WARM_UP = 50;
const CONNECTIONS = 64;
const ROOT = join(import.meta.dirname, "../..");
const KEY = { id: "bench", secret: Buffer.alloc(32, 5) };
const SIGNING_KEY = newSigningKey();
const children: ChildProcess[] = [];

interface Counted {
  count: number;
  firstMs: number;
  lastMs: number;
  ids?: Record<string, number>;
}

class Sink {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  read = async (path = "/"): Promise<Counted> =>
    (await fetch(`${this.url}${path}`)).json() as Promise<Counted>;
  reset = () => fetch(this.url, { method: "DELETE" });

  /** Messages per second between the first and the last one. */
  async rate(messages: number): Promise<number> {
    for (;;) {
      const { count, firstMs, lastMs } = await this.read();
      if (count >= messages) return ((count - 1) * 1000) / (lastMs - firstMs);
      await wait(20);
    }
  }
}

interface Measured {
  /** Messages per second. */
  rate: number;
  /** CPU time of the sender in microseconds per message: Node, and for Busbar PostgreSQL. */
  nodeUs: number;
  postgresUs: number;
}

/** Sends the same bodies and signatures directly, from one process over as many connections as Busbar opens. */
async function direct(sink: Sink, projectId: string): Promise<Measured> {
  const pool = new Pool(sink.url, { connections: CONNECTIONS, pipelining: 1 });
  const sign = openSigner(() => [SIGNING_KEY]);
  const messages = Array.from({ length: MESSAGES }, () => {
    const body = buildMessageBody({ kind: "event", topic: "write.async.done", data: buildData(projectId) });
    const id = newId();
    return {
      body,
      headers: { ...sign(id, Math.floor(Date.now() / 1000), body), "content-type": "application/json" },
    };
  });
  await sink.reset();
  const before = process.cpuUsage();
  let next = 0;
  const send = async (): Promise<void> => {
    for (let message = messages[next++]; message; message = messages[next++]) {
      const answer = await pool.request({ path: "/direct", method: "POST", ...message });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  const { user, system } = process.cpuUsage(before);
  const nodeUs = (user + system) / MESSAGES;
  const rate = await sink.rate(MESSAGES);
  await pool.close();
  return { rate, nodeUs, postgresUs: 0 };
}

const buildData = (projectId: string) => JSON.stringify(sampleEvent("write.async.done", projectId).data);

/** Commits events for one destination at once while the worker waits, and measures their delivery. */
async function measureThroughBusbar(
  sink: Sink,
  { queries }: Database,
  projectId: string,
  worker: ChildProcess,
): Promise<Measured> {
  await sink.reset();
  const start = await queries.transaction().execute(async (queries) => {
    for (let formatReported = 0; formatReported < MESSAGES; formatReported += 1_000) {
      const events = Array.from({ length: 1_000 }, () => sampleEvent("write.async.done", projectId));
      await recordEvents(queries, events);
    }
    return { node: readProcessorMs(worker.pid), postgres: readProcessorMs(postmaster) };
  });
  const rate = await sink.rate(MESSAGES);
  const nodeUs = ((readProcessorMs(worker.pid) - start.node) * 1000) / MESSAGES;
  const postgresUs = ((readProcessorMs(postmaster) - start.postgres) * 1000) / MESSAGES;
  // Waits until outcomes are stored, so that they do not count for the next round.
  await wait(500);
  return { rate, nodeUs, postgresUs };
}

/** Measures the milliseconds from the commit of an event to its arrival, for single events with pauses. */
async function measureLatencies(sink: Sink, { queries }: Database, projectId: string): Promise<number[]> {
  await sink.reset();
  const committed: number[] = [];
  for (let index = 0; index < WARM_UP + TIMED; index++) {
    await queries
      .transaction()
      .execute((queries) => recordEvents(queries, [sampleEvent("connection.created", projectId)]));
    committed.push(performance.timeOrigin + performance.now());
    await wait(10);
  }
  await sink.rate(WARM_UP + TIMED);
  // Events arrive in the order of their ids, because each is sent alone.
  const { ids = {} } = await sink.read("/ids");
  const arrived = Object.entries(ids).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const times = arrived.map(([, ms], index) => ms - (committed[index] ?? 0));
  return times.slice(WARM_UP).toSorted((a, b) => a - b);
}

async function drawRoute(
  { queries }: Database,
  projectId: string,
  url: string,
  eventType: string,
): Promise<void> {
  const place = { id: newId(), projectId };
  const topic = await insertTopic(queries, projectId, eventType.replaceAll(".", "-"));
  await eventTopicRoutes.insert(queries, projectId, { topicId: topic.id, eventType });
  const secretsSealed = sealDestinationSecrets(new Sealer([KEY]), place, {
    secrets: {},
    signingKeys: [{ key: SIGNING_KEY }],
  });
  await insertDestination(queries, {
    ...place,
    name: topic.name,
    type: "webhook",
    metadata: { url },
    secretsSealed,
  });
  await topicDestinationRoutes.insert(queries, projectId, { topicId: topic.id, destinationId: place.id });
}

function start(script: string, env: Record<string, string> = {}): ChildProcess {
  const command = script.endsWith("busbar.mjs") ? [script, "start"] : [script];
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

const startWorker = (databaseUrl: string, env: Record<string, string> = {}): ChildProcess => {
  const worker = start("server/busbar.mjs", {
    DATABASE_URL: databaseUrl,
    BUSBAR_DATA_DIR: join(dataDir, "worker"),
    BUSBAR_ROLES: "worker",
    BUSBAR_ENCRYPTION_KEYS: `${KEY.id}:${KEY.secret.toString("base64")}`,
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    BUSBAR_LOG_LEVEL: "error",
    BUSBAR_BOOTSTRAP_API_KEY: "b".repeat(40),
    ...env,
  });
  worker.stdout?.resume();
  return worker;
};

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

const formatReported = ({ rate, nodeUs, postgresUs }: Measured) =>
  `${Math.round(rate)}/s (${Math.round(nodeUs)} µs of Node${postgresUs ? `, ${Math.round(postgresUs)} µs of PostgreSQL` : ""})`;
const computeRatio = ({ direct, busbar }: { direct: Measured; busbar: Measured }) =>
  busbar.rate / direct.rate;
const computeMedian = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const getAt = (sorted: number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;

const dataDir = await mkdtemp(join(tmpdir(), "busbar-bench-"));
const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, "database"), log: createLog("error") });
const postmaster = findChildNamed("postgres");
try {
  const { connectionString } = postgres;
  const database = await openDatabase({ connectionString, log: createLog("error"), poolSize: 2 });
  const sinkProcess = start("bench/deliver/sink.ts");
  const [line] = (await once(sinkProcess.stdout ?? sinkProcess, "data")) as [Buffer];
  const sink = new Sink(line.toString().trim());
  const { projectId } = await database.queries
    .transaction()
    .execute((queries) => bootstrap(queries, { org: "bench", project: "bench" }));
  await drawRoute(database, projectId, `${sink.url}/busbar`, "write.async.done");
  await drawRoute(database, projectId, `${sink.url}/timed`, "connection.created");

  const fast = startWorker(connectionString, { BUSBAR_WEBHOOKS_PER_SECOND: "0" });
  await wait(2_000);
  const rounds: { direct: Measured; busbar: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const one = {
      direct: await direct(sink, projectId),
      busbar: await measureThroughBusbar(sink, database, projectId, fast),
    };
    rounds.push(one);
    console.log(
      `round ${round + 1}: direct ${formatReported(one.direct)}; Busbar ${formatReported(one.busbar)}; ratio ${computeRatio(one).toFixed(2)}`,
    );
  }
  await stop(fast);
  console.log(`ratio, median: ${computeMedian(rounds.map(computeRatio)).toFixed(2)} (target 0.4)`);

  const worker = startWorker(connectionString);
  await wait(1_500);
  const times = await measureLatencies(sink, database, projectId);
  await stop(worker);
  console.log(
    `commit to arrival, one at a time: p50 ${getAt(times, 0.5).toFixed(1)} ms, p99 ${getAt(times, 0.99).toFixed(1)} ms`,
  );
  await database.close();
} finally {
  for (const child of children) child.kill("SIGKILL");
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

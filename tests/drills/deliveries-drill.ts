/**
 * The delivery drill: delivers messages while it kills the delivering processes (-9) at random times. Afterwards every
 * destination must have received every message at least once, always with the same id.
 *
 *     node tests/drills/deliveries-drill.ts [--deliveries 5000] [--kills 10]
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { bootstrap } from "../../server/access/bootstrap.ts";
import {
  newSigningKey,
  sealDestinationSecrets,
} from "../../server/deliver/destinations/destination-secrets.ts";
import { sampleEvent } from "../../server/events/sample-event.ts";
import { recordEvents } from "../../server/events/record-event.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { newId } from "../../ground/ids.ts";
import { createLog } from "../../ground/log.ts";
import { Sealer } from "../../ground/seal.ts";
import type { Database } from "../../server/store/database/database.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { insertDestination } from "../../server/store/deliveries/destinations.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import { eventTopicRoutes, topicDestinationRoutes } from "../../server/store/deliveries/topic-routes.ts";
import { insertTopic } from "../../server/store/deliveries/topics.ts";

interface DeliveryDrillReport {
  deliveries: number;
  kills: number;
  /** Messages that arrived more than once, which at-least-once delivery allows. */
  repeated: number;
  missing: string[];
  /** Ids of no event. */
  strange: string[];
  seconds: number;
}

const DESTINATIONS = 5;
const WORKERS = 2;
const KEY = { id: "drill", secret: Buffer.alloc(32, 3) };
/** Long enough that each kill interrupts some. */
const ANSWER_MS = 20;

/** Runs the drill with its own migrated, empty database and processes. */
export async function drillDeliveries(options: {
  connectionString: string;
  deliveries: number;
  kills: number;
}): Promise<DeliveryDrillReport> {
  const started = performance.now();
  const { connectionString, deliveries, kills } = options;
  const sink = await openSink();
  sink.answer = (_received, response) => void setTimeout(() => response.writeHead(204).end(), ANSWER_MS);
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-drill-"));
  const database = await openDatabase({ connectionString, log: createLog("error"), poolSize: 2 });
  const workers = new Workers(connectionString, dataDir);
  try {
    const projectId = await drawRoutes(database, sink.url);
    workers.start();
    const killing = workers.killAtRandom(kills, () => sink.received.length);
    const eventIds = await tell(database, projectId, Math.ceil(deliveries / DESTINATIONS));
    await killing;
    await waitForAllNoted(database);
    return { ...judge(sink, eventIds), kills, seconds: (performance.now() - started) / 1000 };
  } finally {
    await workers.close();
    await database.close();
    await sink.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Creates one topic routed to all destinations. */
async function drawRoutes({ queries }: Database, url: string): Promise<string> {
  const { projectId } = await queries
    .transaction()
    .execute((queries) => bootstrap(queries, { org: "drill", project: "drill" }));
  const sealer = new Sealer([KEY]);
  const topic = await insertTopic(queries, projectId, "drill");
  const eventType = "connection.created";
  await eventTopicRoutes.insert(queries, projectId, { topicId: topic.id, eventType });
  for (let index = 0; index < DESTINATIONS; index++) {
    const place = { id: newId(), projectId };
    const signingKeys = [{ key: newSigningKey() }];
    await insertDestination(queries, {
      ...place,
      name: `d${index}`,
      type: "webhook",
      metadata: { url: `${url}/${index}` },
      secretsSealed: sealDestinationSecrets(sealer, place, { secrets: {}, signingKeys }),
    });
    await topicDestinationRoutes.insert(queries, projectId, { topicId: topic.id, destinationId: place.id });
  }
  return projectId;
}

async function tell({ queries, pool }: Database, projectId: string, count: number): Promise<string[]> {
  const BATCH = 20;
  for (let reported = 0; reported < count; reported += BATCH) {
    const size = Math.min(BATCH, count - reported);
    await recordEvents(
      queries,
      Array.from({ length: size }, () => sampleEvent("connection.created", projectId)),
    );
    await wait(10);
  }
  const { rows } = await pool.query<{ id: string }>("select id from events");
  return rows.map(({ id }) => id);
}

async function waitForAllNoted({ pool }: Database): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(
      `select ((select count(*) from unrouted_events)
        + (select count(*) from all_deliveries where state <> 'delivered'))::int as left`,
    );
    if (rows[0]?.left === 0) return;
    await wait(50);
  }
}

function judge(sink: Sink, eventIds: string[]): Omit<DeliveryDrillReport, "kills" | "seconds"> {
  const expected = eventIds.flatMap((id) => Array.from({ length: DESTINATIONS }, (_, at) => `/${at} ${id}`));
  const arrived = sink.received.map(({ path, headers }) => `${path} ${headers["webhook-id"]}`);
  const distinct = new Set(arrived);
  const known = new Set(expected);
  return {
    deliveries: expected.length,
    repeated: arrived.length - distinct.size,
    missing: expected.filter((one) => !distinct.has(one)),
    strange: [...distinct].filter((one) => !known.has(one)),
  };
}

/** The delivering processes; a killed one is replaced. */
class Workers {
  readonly #env: NodeJS.ProcessEnv;
  readonly #dataDir: string;
  #children: ChildProcess[] = [];

  constructor(databaseUrl: string, dataDir: string) {
    this.#dataDir = dataDir;
    this.#env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      BUSBAR_ROLES: "worker",
      BUSBAR_EGRESS_ALLOW: "127.0.0.1",
      BUSBAR_ENCRYPTION_KEYS: `${KEY.id}:${KEY.secret.toString("base64")}`,
      BUSBAR_LOG_LEVEL: "fatal",
      BUSBAR_BOOTSTRAP_API_KEY: "d".repeat(40),
    };
  }

  start(): void {
    this.#children = Array.from({ length: WORKERS }, (_, index) => this.#spawn(index));
  }

  /** Kills them one after another, each time after some messages have arrived. */
  async killAtRandom(kills: number, arrived: () => number): Promise<void> {
    for (let kill = 0; kill < kills; kill++) {
      const before = arrived();
      for (let waitedMs = 0; arrived() < before + 50 && waitedMs < 10_000; waitedMs += 5) await wait(5);
      await wait(Math.random() * 100);
      await this.#kill(kill % WORKERS);
      this.#children[kill % WORKERS] = this.#spawn(kill % WORKERS);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((_, index) => this.#kill(index)));
  }

  async #kill(index: number): Promise<void> {
    const child = this.#children[index];
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  #spawn(index: number): ChildProcess {
    const env = { ...this.#env, BUSBAR_DATA_DIR: join(this.#dataDir, String(index)) };
    const command = join(import.meta.dirname, "../../server/busbar.mjs");
    return spawn(process.execPath, [command, "start"], { env, stdio: ["ignore", "ignore", "inherit"] });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      deliveries: { type: "string", default: "5000" },
      kills: { type: "string", default: "10" },
    },
  });
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-drill-db-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log: createLog("error") });
  try {
    const { connectionString } = postgres;
    const deliveries = Number(values.deliveries);
    const report = await drillDeliveries({ connectionString, deliveries, kills: Number(values.kills) });
    console.log(report);
    process.exitCode = report.missing.length + report.strange.length > 0 ? 1 : 0;
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

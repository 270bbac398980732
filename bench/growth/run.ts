/**
 * Compares a Busbar whose database is full with one whose database is empty: finished writes with their webhook, lists, and a
 * round of retention. See bench/README.md.
 *
 *     node bench/growth/run.ts [--history 5000000 --installations 100000 --waiting 200000 --rounds 5 --quick]
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { readConfig } from "../../ground/config.ts";
import { createLog } from "../../ground/log.ts";
import { findRunningServer } from "../../server/postgres/find-running-server.ts";
import { listRetentionRules } from "../../server/retention-rules.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { endChildBusbar, startChildBusbar, type ChildBusbar } from "../../tests/harness/child-busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { openSink, type Sink } from "../../tests/harness/deliveries/sink.ts";
import { measureRate } from "../write/rate.ts";
import { computeMedian, formatPer, formatRatio, tell } from "../write/report.ts";
import { until } from "../write/until.ts";
import { fillDatabase } from "./fill-database.ts";

const { values } = parseArgs({
  options: {
    history: { type: "string" },
    installations: { type: "string" },
    waiting: { type: "string" },
    rounds: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const measureSize = (given: string | undefined, whole: number, quick: number) =>
  Number(given ?? (values.quick ? quick : whole));
const HISTORY = measureSize(values.history, 5_000_000, 20_000);
const INSTALLATIONS = measureSize(values.installations, 100_000, 500);
const WAITING = measureSize(values.waiting, 200_000, 2_000);
const ROUNDS = measureSize(values.rounds, 5, 2);
const WRITES = values.quick ? 500 : 10_000;
const GROUPS = 16;

interface World {
  busbar: ChildBusbar;
  dataDir: string;
  sink: Sink;
  databaseUrl: string;
  installationId: string;
  destinationId: string;
}

async function openWorld(home: string, name: string, sandbox: Sandbox): Promise<World> {
  const dataDir = join(home, name);
  const busbar = await startChildBusbar(dataDir, {
    BUSBAR_CATALOG: join(home, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    BUSBAR_DASHBOARD: "false",
    BUSBAR_LOG_LEVEL: "info",
    // The limit of 1,000 a second would be what is measured.
    BUSBAR_WEBHOOKS_PER_SECOND: "0",
  });
  let installationId = "";
  for (let n = 0; n < GROUPS; n++) {
    const customer = { provider: "hubspot" as const, objects: ["companies"], groupRef: `group-${n}` };
    ({ installationId } = await connectCustomer({ ...busbar, sandbox }, customer));
  }
  const sink = await openSink();
  const destinationId = await deliverTo(busbar, sink);
  const databaseUrl = (await findRunningServer(dataDir)) ?? "";
  return { busbar, dataDir, sink, databaseUrl, installationId, destinationId };
}

async function deliverTo(busbar: ChildBusbar, sink: Sink): Promise<string> {
  const make = async (path: string, body: object): Promise<string> =>
    (await busbar.inProject("POST", path, body)).body.id;
  const metadata = { url: `${sink.url}/growth` };
  const destinationId = await make("/destinations", { name: "growth", type: "webhook", metadata });
  const topicId = await make("/topics", { name: "growth" });
  await make("/notification-event-topic-routes", { eventType: "write.async.done", topicId });
  await make("/topic-destination-routes", { topicId, destinationId });
  return destinationId;
}

/** Returns the writes per second that were finished and told to the receiver. */
async function waitUntilFinished({ busbar, sink }: World): Promise<number> {
  const before = sink.received.length;
  const fromMs = performance.now();
  await measureRate({
    origin: busbar.origin,
    path: "/write/v1/projects/default/integrations/hubspot/objects/companies",
    headers: { "content-type": "application/json", "x-api-key": busbar.apiKey },
    buildBody: (n) =>
      JSON.stringify({
        groupRef: `group-${n % GROUPS}`,
        type: "create",
        mode: "asynchronous",
        record: { name: "G" },
      }),
    connections: 32,
    forMs: 120_000,
    max: WRITES,
  });
  await until(async () => sink.received.length - before >= WRITES);
  return (WRITES * 1_000) / (performance.now() - fromMs);
}

/** Measures both in turns. The first round fills caches and is left out. */
async function measureInTurns(
  what: string,
  worlds: { full: World; empty: World },
  measure: (world: World) => Promise<number>,
): Promise<void> {
  const [full, empty]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const [a, b] = [await measure(worlds.full), await measure(worlds.empty)];
    if (round > 0) [full, empty].forEach((list, index) => list.push(index === 0 ? a : b));
  }
  tell(
    what,
    `${formatPer(computeMedian(full))} beside the history, ${formatPer(computeMedian(empty))} without`,
    formatRatio(full, empty),
    "0.9",
  );
}

/** Returns how often a list can be asked for in a second, one call after the other. */
async function measureListed({ busbar }: World, path: string): Promise<number> {
  const fromMs = performance.now();
  for (let n = 0; n < 20; n++) {
    const { status, text } = await busbar.inProject("GET", path);
    if (status !== 200) throw new Error(text);
  }
  return 20_000 / (performance.now() - fromMs);
}

/** Prints how long each rule of the retention takes that finds nothing to remove, where it takes long. */
async function sweepNothing({ databaseUrl, busbar }: World): Promise<void> {
  const days = { operations: 26, events: 26, proxyCalls: 26, subscriptionEvents: 7, refusedRequests: 7 };
  await busbar.inProject("PUT", "/retention", days);
  const database = await openDatabase({ connectionString: databaseUrl, log: createLog("warn"), poolSize: 2 });
  try {
    const slow: string[] = [];
    let totalMs = 0;
    for (const { what, remove } of listRetentionRules({ database, config: readConfig({}) })) {
      const fromMs = performance.now();
      await remove(1_000);
      const ms = performance.now() - fromMs;
      totalMs += ms;
      if (ms > 20) slow.push(`${what} ${Math.round(ms)} ms`);
    }
    tell(
      "a round of retention that removes nothing",
      slow.join(", ") || "each rule < 20 ms",
      totalMs,
      "< 500 ms",
      " ms",
    );
  } finally {
    await database.close();
  }
}

const home = await mkdtemp(join(tmpdir(), "busbar-growth-"));
const sandbox = await startSandbox({ limits: "off", requestLogSize: 100 });
await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
const worlds = {
  full: await openWorld(home, "full", sandbox),
  empty: await openWorld(home, "empty", sandbox),
};
try {
  const database = new Client({ connectionString: worlds.full.databaseUrl });
  // If the bench fails, the database stops before this connection is closed.
  database.on("error", () => {});
  await database.connect();
  const { installationId, destinationId, busbar } = worlds.full;
  const { projectId } = busbar;
  const counts = { history: HISTORY, installations: INSTALLATIONS, waiting: WAITING };
  await fillDatabase(database, { projectId, installationId, destinationId, ...counts });
  await database.end();
  console.log(
    `${HISTORY} operations, events and deliveries, ${INSTALLATIONS} customers, ${WAITING} waiting writes of one`,
  );
  await measureInTurns("finished writes of 16 customers", worlds, waitUntilFinished);
  for (const path of [
    "/operations?pageSize=50",
    "/deliveries:search?pageSize=50",
    "/events?pageSize=50",
    "/groups?pageSize=10",
  ])
    await measureInTurns(`GET …${path}`, worlds, (world) => measureListed(world, path));
  await sweepNothing(worlds.full);
} finally {
  for (const { busbar, dataDir, sink } of Object.values(worlds)) {
    await endChildBusbar(busbar, dataDir);
    await sink.close();
  }
  await sandbox.close();
  await rm(home, { recursive: true, force: true });
}

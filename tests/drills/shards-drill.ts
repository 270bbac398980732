/**
 * The drill of shards: main and two shards on three PostgreSQL servers, two processes, and a customer in each database, placed there by
 * weight, for whom is written, read by subscriptions, and called through the proxy. A process is killed, and the server of a shard is
 * away for a while. Every write that was acknowledged must end once and be told once, those of a record in order, every change must
 * reach its customer, and nothing of the outage may be seen by customers of the other databases.
 *
 *     npm run drill -- shards [--seconds 40] [--stopped 60]
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { queryOnce } from "../harness/database.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";
import { deliverTo, judgeWrites, findMissingEvents, type JudgedWrites } from "./acknowledged-writes.ts";
import { DrillProcesses } from "./read/drill-processes.ts";
import { placeCustomers } from "./sides/place-customers.ts";
import { MAIN, startShardServers, type ShardServers } from "./sides/shard-servers.ts";
import { callProxy, listLoadFaults, Load, writeForCustomer, type LoadReport } from "./sides/load.ts";
import { describeFound, endDrill } from "./run-drill.ts";

interface ShardsOptions {
  /** How long the load lasts without the time in which the server is away. */
  seconds: number;
  stoppedSeconds: number;
  onProgress?(text: string): void;
}

interface ShardsReport extends JudgedWrites {
  /** Number of customers that were placed in each database. */
  placed: Record<string, number>;
  notDelivered: string[];
  loads: Record<string, LoadReport>;
  /** Answers of the proxy by database and status. */
  proxied: Record<string, Record<string, number>>;
  /** Changes in the account, and those that a subscription has not reported, by database. */
  changes: number;
  changesMissing: Record<string, number>;
  /** Acknowledged writes by database while the server was away. */
  meanwhile: Record<string, number>;
  /** What lists and `/readyz` named then. */
  named: unknown[];
  /** Operations that are outside of the shard of their customer. */
  misplaced: number;
}

const NAMES = ["first", "second"];
const AWAY = "b";
const SHARDS = [MAIN, "a", AWAY];
const CANDIDATES = 40;
const PAUSE_MS = 200;
const DESTINATION = "changes";
/** Without more scopes, changes are found by polling, which reads records. */
const APP = {
  provider: "hubspot",
  clientId: "app",
  clientSecret: "secret",
  scopes: ["oauth", "crm.objects.contacts.read"],
};
const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hubspot
    provider: hubspot
    read:
      objects:
        - { objectName: contacts, destination: ${DESTINATION}, requiredFields: [{ fieldName: email }] }
    subscribe:
      objects:
        - objectName: contacts
          destination: ${DESTINATION}
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
    write: { objects: [{ objectName: companies }] }
    proxy: { enabled: true }
`;

interface Surroundings {
  postgres: ShardServers;
  sandbox: Sandbox;
  sink: Sink;
  /** Takes the changes that subscriptions report. */
  changes: Sink;
  processes: DrillProcesses;
}

async function runShardsDrill(options: ShardsOptions): Promise<ShardsReport> {
  const home = await mkdtemp(join(tmpdir(), "busbar-shards-"));
  const postgres = await startShardServers(home, ["a", AWAY]);
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1_000_000 });
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const [sink, changes] = [await openSink(), await openSink()];
  const processes = new DrillProcesses(home, () => ({
    ...postgres.env,
    BUSBAR_DASHBOARD: "false",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
    BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0",
    BUSBAR_SUBSCRIBE_POLL_SECONDS: "1",
  }));
  try {
    return await runOnShards({ postgres, sandbox, sink, changes, processes }, options);
  } finally {
    await processes.stop();
    await Promise.all([sandbox.close(), sink.close(), changes.close()]);
    await postgres.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function runOnShards(
  open: Surroundings,
  { seconds, stoppedSeconds, onProgress = () => {} }: ShardsOptions,
): Promise<ShardsReport> {
  const { postgres, sandbox, sink, changes, processes } = open;
  for (const name of NAMES) await processes.start(name);
  await postgres.addShards();
  await deliverTo(processes.any, sink);
  const metadata = { url: `${changes.url}/changes` };
  await processes.any.inProject("POST", "/destinations", { name: DESTINATION, type: "webhook", metadata });
  await processes.any.inProject("POST", "/provider-apps", APP);
  const { placed, customers } = await placeCustomers(processes.any, CANDIDATES, (query) =>
    queryOnce(postgres.getUrl(MAIN), query),
  );
  onProgress(`new customers were placed: ${JSON.stringify(placed)}`);
  const loads = new Map<string, Load>();
  const integration = { manifest: MANIFEST, content: { proxy: { enabled: true } } };
  for (const [shard, groupRef] of customers) {
    const load = new Load(PAUSE_MS);
    await writeForCustomer(open, load, { groupRef, integration });
    loads.set(shard, load);
  }
  const proxy = callProxy(processes, [...customers.values()], PAUSE_MS);
  const changing = startChanges(open);
  const count = () => new Map([...loads].map(([shard, load]) => [shard, load.writes.size]));
  const rest = () => wait((seconds * 1_000) / 3);
  await rest();
  await processes.kill(processes.names[0] ?? "");
  onProgress("a process was killed");
  await rest();
  const before = count();
  const away = postgres.servers[AWAY]?.restart("kill", stoppedSeconds * 1_000);
  await wait((stoppedSeconds * 1_000) / 2);
  const named = [
    (await processes.any.inProject("GET", "/operations?pageSize=1")).body.pagination?.unavailable,
    (await processes.any.call("GET", "/readyz")).body.unavailable,
  ];
  await wait((stoppedSeconds * 1_000) / 4);
  const during = count();
  await away;
  onProgress(`the server of the shard ${AWAY} was away for ${stoppedSeconds} s, and is back`);
  await rest();
  await Promise.all([...loads.values()].map((load) => load.stop()));
  const answers = await proxy.stop();
  const changed = await changing.stop();
  const writes = new Map([...loads.values()].flatMap((load) => [...load.writes]));
  onProgress(`${writes.size} writes were acknowledged; waiting until all work has ended`);
  const judged = await judgeWrites(processes.any, writes);
  const notDelivered = await findMissingEvents(sink, writes);
  return {
    placed,
    ...judged,
    notDelivered,
    loads: Object.fromEntries([...loads].map(([shard, load]) => [shard, load.judge(sandbox, sink)])),
    proxied: Object.fromEntries([...customers].map(([shard, groupRef]) => [shard, answers[groupRef] ?? {}])),
    changes: changed.length,
    changesMissing: await countMissingChanges(changes, customers, changed),
    meanwhile: Object.fromEntries(
      [...during].map(([shard, size]) => [shard, size - (before.get(shard) ?? 0)]),
    ),
    named,
    misplaced: await countMisplaced(postgres),
  };
}

/** Creates contacts in the account that all have connected. */
function startChanges({ sandbox }: Surroundings) {
  const ended = new AbortController();
  const changed: string[] = [];
  const change = async () => {
    while (!ended.signal.aborted) {
      const values = { email: `contact-${changed.length}@drill.example` };
      changed.push(sandbox.hubspot.account.put("contacts", { values, stamp: true }));
      await wait(1_000);
    }
  };
  const changing = change();
  return {
    async stop() {
      ended.abort();
      await changing;
      return changed;
    },
  };
}

const REPORT_WITHIN_MS = 120_000;

/** Waits until every contact was told to every customer, and returns how many were not. */
async function countMissingChanges(sink: Sink, customers: Map<string, string>, changed: string[]) {
  const count = () =>
    Object.fromEntries(
      [...customers].map(([shard, groupRef]) => {
        const told = sink
          .messagesAt("/changes")
          .map((message) => JSON.stringify(message))
          .filter((text) => text.includes(`"groupRef":"${groupRef}"`))
          .join("\n");
        return [shard, changed.filter((id) => !told.includes(`"${id}"`)).length];
      }),
    );
  await until(() => Object.values(count()).every((missing) => missing === 0), REPORT_WITHIN_MS).catch(
    () => {},
  );
  return count();
}

async function countMisplaced({ servers }: ShardServers): Promise<number> {
  let misplaced = 0;
  for (const [shard, { url }] of Object.entries(servers)) {
    const rows = await queryOnce(
      url,
      `select from operations join installations on installations.id = operations.installation_id
         join groups on groups.id = installations.group_id where coalesce(groups.shard, 'main') <> $1`,
      [shard],
    );
    misplaced += rows.length;
  }
  return misplaced;
}

/** Returns the violations; empty if the drill passed. */
const listFaults = (report: ShardsReport): string[] => [
  ...(["lost", "neverEnded", "failed", "notDelivered"] as const).flatMap((name) =>
    describeFound(name, report[name]),
  ),
  ...Object.entries(report.loads).flatMap(([shard, load]) =>
    listLoadFaults(load, {
      unknownOutcomes: report.unknownOutcomes,
      mayRefuse: shard === AWAY,
      of: ` of ${shard}`,
    }),
  ),
  ...Object.entries(report.proxied).flatMap(([shard, answers]) =>
    Object.keys(answers)
      .filter((status) => shard !== AWAY && !["200", "no connection"].includes(status))
      .map((status) => `proxied calls of ${shard}, ${status}: ${answers[status]}`),
  ),
  ...Object.entries(report.changesMissing).flatMap(([shard, missing]) =>
    missing === 0 ? [] : [`${missing} changes were not told to the customer of ${shard}`],
  ),
  ...SHARDS.filter((shard) => shard !== AWAY && (report.meanwhile[shard] ?? 0) === 0).map(
    (shard) => `nothing was acknowledged in ${shard} while ${AWAY} was away`,
  ),
  ...(report.named.every((names) => JSON.stringify(names) === JSON.stringify([AWAY]))
    ? []
    : [`named as away: ${JSON.stringify(report.named)}`]),
  ...SHARDS.filter((shard) => !report.placed[shard]).map((shard) => `nobody was placed in ${shard}`),
  ...(report.misplaced > 0 ? [`${report.misplaced} operations are in another shard`] : []),
];

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "40" },
      stopped: { type: "string", default: "60" },
    },
  });
  const report = await runShardsDrill({
    seconds: Number(values.seconds),
    stoppedSeconds: Number(values.stopped),
    onProgress: (text) => console.log(text),
  });
  endDrill(report, listFaults(report));
}

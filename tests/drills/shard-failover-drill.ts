/**
 * The drill of shards with standbys: main and a shard, each a primary with a synchronous standby, and two processes that write for a
 * customer of each. The primary of the shard is killed (-9) and its standby promoted, then that of main. The promoted server of main has
 * no replication slot (before PostgreSQL 17), which the doctor must name, and `busbar shards add` make again. Every write that was
 * acknowledged must end once and be told once, those of a record in order; the failover of the shard must not be seen by the customer of
 * main; and copies must be equal at the end.
 *
 *     npm run drill -- shard-failover [--seconds 60] [--down 3]
 */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { runBusbar } from "../harness/child-busbar.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";
import { deliverTo, judgeWrites, findMissingEvents, type JudgedWrites } from "./acknowledged-writes.ts";
import { ask } from "./failover/postgres-tools.ts";
import { startServerPair, type ServerPair } from "./failover/server-pair.ts";
import { DrillProcesses } from "./read/drill-processes.ts";
import { callProxy, listLoadFaults, Load, writeForCustomer, type LoadReport } from "./sides/load.ts";
import { placeCustomers } from "./sides/place-customers.ts";
import { describeFound, endDrill } from "./run-drill.ts";

interface FailoverOptions {
  /** How long the load lasts. */
  seconds: number;
  /** Time from the end of a primary until its standby is promoted. */
  downSeconds: number;
  onProgress?(text: string): void;
}

interface FailoverReport extends JudgedWrites {
  notDelivered: string[];
  loads: Record<string, LoadReport>;
  /** Answers to the customer of main until the failover of the shard was over. */
  mainMeanwhile: LoadReport["answers"];
  /** Time from the promotion of each server until a write for a customer of its database is accepted. */
  backAfterMs: Record<string, number>;
  /** What the doctor said after the failover of main, and after the shard was added again. */
  doctor: { afterwards: string; added: string };
  /** Whether a customer who was made after both failovers, and placed in the shard, can write. */
  newCustomer: string;
  /** Whether the shared tables of both databases are equal. */
  copies: Record<string, boolean>;
}

const NAMES = ["first", "second"];
const SHARD = "a";
const CANDIDATES = 40;
const PAUSE_MS = 200;
const GROUP_EVERY_MS = 100;
const SHARED = ["groups", "installations", "connections"];

interface Surroundings {
  servers: { main: ServerPair; a: ServerPair };
  env: Record<string, string>;
  sandbox: Sandbox;
  sink: Sink;
  processes: DrillProcesses;
}

async function runShardFailoverDrill(options: FailoverOptions): Promise<FailoverReport> {
  const home = await mkdtemp(join(tmpdir(), "busbar-shard-failover-"));
  // As root, the servers run as another user.
  await chmod(home, 0o711);
  const settings = ["wal_level=logical"];
  const servers = {
    main: await startServerPair(join(home, "main"), settings),
    a: await startServerPair(join(home, "a"), settings),
  };
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1_000_000 });
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const sink = await openSink();
  const env = {
    DATABASE_URL: servers.main.url,
    BUSBAR_ENCRYPTION_KEYS: `drill:${Buffer.alloc(32, 7).toString("base64")}`,
  };
  const processes = new DrillProcesses(home, () => ({
    ...env,
    BUSBAR_DASHBOARD: "false",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
  }));
  try {
    return await runOnPairs({ servers, env, sandbox, sink, processes }, options);
  } finally {
    await processes.stop();
    await Promise.all([sandbox.close(), sink.close()]);
    for (const pair of Object.values(servers)) await pair.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function runOnPairs(open: Surroundings, options: FailoverOptions): Promise<FailoverReport> {
  const { servers, sandbox, sink, processes } = open;
  const { seconds, onProgress = () => {} } = options;
  for (const name of NAMES) await processes.start(name);
  await runShards(open, ["add", SHARD, servers.a.url]);
  await deliverTo(processes.any, sink);
  const { customers } = await placeCustomers(processes.any, CANDIDATES, (text) => query(servers.main, text));
  const loads = new Map<string, Load>();
  for (const [shard, groupRef] of customers) {
    const load = new Load(PAUSE_MS);
    await writeForCustomer(open, load, { groupRef });
    loads.set(shard, load);
  }
  const proxy = callProxy(processes, [...customers.values()], PAUSE_MS);
  const naming = nameCustomers(open);
  const rest = () => wait((seconds * 1_000) / 3);
  await rest();
  const backAfterMs: Record<string, number> = {};
  backAfterMs[SHARD] = await failOver(open, "a", loads.get(SHARD), options);
  const mainMeanwhile = { ...loads.get("main")?.judge(sandbox, sink).answers };
  await rest();
  backAfterMs["main"] = await failOver(open, "main", loads.get("main"), options);
  const afterwards = await runShards(open, ["doctor"], 1);
  await runShards(open, ["add", SHARD, servers.a.url]);
  const added = await runShards(open, ["doctor"]);
  onProgress("the shard was added again");
  await rest();
  await naming.stop();
  await Promise.all([...loads.values()].map((load) => load.stop()));
  await proxy.stop();
  const writes = new Map([...loads.values()].flatMap((load) => [...load.writes]));
  onProgress(`${writes.size} writes were acknowledged; waiting until all work has ended`);
  const judged = await judgeWrites(processes.any, writes);
  const notDelivered = await findMissingEvents(sink, writes);
  return {
    ...judged,
    notDelivered,
    loads: Object.fromEntries([...loads].map(([shard, load]) => [shard, load.judge(sandbox, sink)])),
    mainMeanwhile,
    backAfterMs,
    doctor: { afterwards, added },
    newCustomer: await writeForNewCustomer(open),
    copies: await compareCopies(open),
  };
}

/** Kills the primary of a database, promotes its standby, and waits until a write for a customer there is accepted. */
async function failOver(
  { servers }: Surroundings,
  which: "main" | "a",
  load: Load | undefined,
  { downSeconds, onProgress = () => {} }: FailoverOptions,
): Promise<number> {
  await servers[which].killPrimary();
  await wait(downSeconds * 1_000);
  const promotedMs = performance.now();
  await servers[which].promote();
  const before = load?.writes.size ?? 0;
  await until(() => (load?.writes.size ?? 0) > before, 60_000);
  const backMs = Math.round(performance.now() - promotedMs);
  onProgress(`the standby of ${which} was promoted; a write was accepted after ${backMs} ms`);
  return backMs;
}

/** Makes customers all the time, whose rows are copied into the shard. */
function nameCustomers({ processes }: Surroundings) {
  const ended = new AbortController();
  const name = async (): Promise<void> => {
    for (let nth = 0; !ended.signal.aborted; nth += 1) {
      const group = { groupRef: `later-${nth}`, groupName: `${nth}` };
      await processes.any.inProject("POST", "/groups", group).catch(() => {});
      await wait(GROUP_EVERY_MS);
    }
  };
  const naming = name();
  return {
    async stop() {
      ended.abort();
      await naming;
    },
  };
}

async function runShards({ env }: Surroundings, args: string[], code = 0): Promise<string> {
  const ran = await runBusbar(["shards", ...args, "--json"], env).exited;
  if (ran.code !== code) throw new Error(`shards ${args[0]}: ${ran.code} ${ran.stderr} ${ran.stdout}`);
  return ran.stdout;
}

/** Returns the result of a write for a customer whom the present control database has placed in the shard. */
async function writeForNewCustomer(open: Surroundings): Promise<string> {
  const { processes, servers } = open;
  const answer = await processes.any.inProject("POST", "/groups", { groupRef: "new", groupName: "new" });
  if (answer.status !== 201) return answer.text;
  await ask(servers.main.port, `update groups set shard = '${SHARD}' where group_ref = 'new'`);
  const load = new Load(PAUSE_MS);
  await writeForCustomer(open, load, { groupRef: "new" });
  await until(() => load.writes.size > 2, 60_000).catch(() => {});
  await load.stop();
  return load.writes.size > 2 ? "success" : JSON.stringify(load.judge(open.sandbox, open.sink));
}

/** Waits until the shared tables are equal in both databases. */
async function compareCopies({ servers }: Surroundings): Promise<Record<string, boolean>> {
  const read = (pair: ServerPair, table: string) =>
    ask(pair.port, `select md5(string_agg(entry::text, '' order by id)) from ${table} as entry`);
  const equal: Record<string, boolean> = {};
  for (const table of SHARED)
    equal[table] = await until(
      async () => (await read(servers.main, table)) === (await read(servers.a, table)),
      30_000,
    ).then(
      () => true,
      () => false,
    );
  return equal;
}

const query = async ({ port }: ServerPair, text: string): Promise<Record<string, unknown>[]> =>
  JSON.parse(await ask(port, `select json_agg(entry)::text from (${text}) as entry`));

/** Returns the violations; empty if the drill passed. */
const listFaults = (report: FailoverReport): string[] => [
  ...(["lost", "neverEnded", "failed", "notDelivered"] as const).flatMap((name) =>
    describeFound(name, report[name]),
  ),
  ...Object.entries(report.loads).flatMap(([shard, load]) =>
    listLoadFaults(load, {
      unknownOutcomes: report.unknownOutcomes,
      mayRefuse: true,
      of: ` of ${shard}`,
    }),
  ),
  ...Object.keys(report.mainMeanwhile)
    .filter((key) => !key.endsWith(" 200"))
    .map((key) => `answers of main while the shard failed over, ${key}: ${report.mainMeanwhile[key]}`),
  ...(report.doctor.afterwards.includes("none, as after a failover") ? [] : ["the doctor names no slot"]),
  ...(report.newCustomer === "success" ? [] : [`a new customer of the shard: ${report.newCustomer}`]),
  ...Object.entries(report.copies).flatMap(([table, isEqual]) =>
    isEqual ? [] : [`the copies of ${table} differ`],
  ),
];

if (import.meta.main) {
  const { values } = parseArgs({
    options: { seconds: { type: "string", default: "60" }, down: { type: "string", default: "3" } },
  });
  const report = await runShardFailoverDrill({
    seconds: Number(values.seconds),
    downSeconds: Number(values.down),
    onProgress: (text) => console.log(text),
  });
  endDrill(report, listFaults(report));
}

/**
 * The drill of two databases: a control and a data database on two PostgreSQL servers, under load of two processes. One after
 * the other, a process is killed, each server is killed and comes back, replication stops for a while in which a customer is added, and a
 * customer is erased. Every write that was acknowledged must end once and be told once, those of a record in order.
 *
 *     npm run drill -- sides [-- --seconds 120 --stopped 60]
 */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { queryOnce } from "../harness/database.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { startServers, type ServerPair } from "../harness/replicating-postgres.ts";
import { deliverTo, judgeWrites, findMissingEvents, type JudgedWrites } from "./acknowledged-writes.ts";
import { DrillProcesses } from "./read/drill-processes.ts";
import { listLoadFaults, Load, writeForCustomer, type LoadReport } from "./sides/load.ts";
import { eraseCustomer } from "./sides/erase-customer.ts";
import { describeFound, endDrill } from "./run-drill.ts";

interface SidesOptions {
  /** How long the load lasts without the time in which replication is stopped. */
  seconds: number;
  stoppedSeconds: number;
  onProgress?(text: string): void;
}

interface SidesReport extends JudgedWrites, LoadReport {
  notDelivered: string[];
  /** Acknowledged writes while replication was stopped, and those of the customer who was added meanwhile, most of them later. */
  whileStopped: { acknowledged: number };
  ofLateCustomer: number;
  /** Rows of the erased customer that are left, by table. */
  notErased: Record<string, number>;
  /** Entries of the outbox that are left. */
  notCarriedOver: number;
}

const NAMES = ["first", "second"];
const RECORDS = 3;
const DOWN_MS = 1_000;

interface Surroundings {
  servers: ServerPair;
  sandbox: Sandbox;
  sink: Sink;
  processes: DrillProcesses;
}

async function runSidesDrill(options: SidesOptions): Promise<SidesReport> {
  const home = await mkdtemp(join(tmpdir(), "busbar-sides-"));
  // As root, the servers run as another user.
  await chmod(home, 0o711);
  const servers = await startServers(home);
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1_000_000 });
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const sink = await openSink();
  const processes = new DrillProcesses(home, () => ({
    ...servers.env,
    BUSBAR_DASHBOARD: "false",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
  }));
  try {
    return await runOnSides({ servers, sandbox, sink, processes }, options);
  } finally {
    await processes.stop();
    await Promise.all([sandbox.close(), sink.close()]);
    await servers.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function runOnSides(open: Surroundings, options: SidesOptions): Promise<SidesReport> {
  const { servers, sandbox, sink, processes } = open;
  const { seconds, onProgress = () => {} } = options;
  for (const name of NAMES) await processes.start(name);
  await deliverTo(processes.any, sink);
  const load = new Load();
  await writeForCustomer(open, load, { groupRef: "early", records: RECORDS });
  await writeForCustomer(open, load, { groupRef: "erased" });
  const rest = () => wait((seconds * 1_000) / 5);
  await rest();
  await processes.kill(processes.names[0] ?? "");
  onProgress("a process was killed");
  await rest();
  await servers.control.restart("kill", DOWN_MS);
  onProgress("the control database was killed and is back");
  await rest();
  await servers.data.restart("kill", DOWN_MS);
  onProgress("the data database was killed and is back");
  await rest();
  const whileStopped = { acknowledged: await stopReplication(open, load, options.stoppedSeconds) };
  onProgress("replication was stopped, and goes on");
  await rest();
  await load.stop();
  onProgress(`${load.writes.size} writes were acknowledged; waiting until all work has ended`);
  const judged = await judgeWrites(processes.any, load.writes);
  const notDelivered = await findMissingEvents(sink, load.writes);
  const report = load.judge(sandbox, sink);
  const notErased = await eraseCustomer(processes.any, "erased", [servers.control.url, servers.data.url]);
  const left = await queryOnce(servers.control.url, "select count(*)::integer as count from outbox");
  return {
    ...judged,
    ...report,
    notDelivered,
    whileStopped,
    ofLateCustomer: [...load.writes.values()].filter((name) => name.includes(" late ")).length,
    notErased,
    notCarriedOver: Number(left[0]?.["count"]),
  };
}

/** Stops the subscription, and adds a customer meanwhile, whose installation the data database gets late. */
async function stopReplication(open: Surroundings, load: Load, seconds: number): Promise<number> {
  const { servers } = open;
  await queryOnce(servers.data.url, "alter subscription busbar_shared disable");
  const before = load.writes.size;
  await writeForCustomer(open, load, { groupRef: "late", records: 0 });
  await wait(seconds * 1_000);
  await queryOnce(servers.data.url, "alter subscription busbar_shared enable");
  return load.writes.size - before;
}

/** Returns the violations; empty if the drill passed. */
const listFaults = (report: SidesReport): string[] => [
  ...(["lost", "neverEnded", "failed", "notDelivered"] as const).flatMap((name) =>
    describeFound(name, report[name]),
  ),
  ...listLoadFaults(report, { unknownOutcomes: report.unknownOutcomes, mayRefuse: true }),
  ...Object.keys(report.notErased).map((table) => `not erased from ${table}`),
  ...(report.notCarriedOver > 0 ? [`${report.notCarriedOver} changes were not carried over`] : []),
  ...(report.whileStopped.acknowledged > 0 ? [] : ["nothing was acknowledged while replication was stopped"]),
  ...(report.ofLateCustomer > 0 ? [] : ["nothing was acknowledged of the customer who was added meanwhile"]),
];

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      stopped: { type: "string", default: "60" },
    },
  });
  const report = await runSidesDrill({
    seconds: Number(values.seconds),
    stoppedSeconds: Number(values.stopped),
    onProgress: (text) => console.log(text),
  });
  endDrill(report, listFaults(report));
}

/**
 * The failover drill: two processes write, deliver and proxy while the primary of their PostgreSQL is killed (-9) and its
 * synchronous standby is promoted. Afterwards every write that was acknowledged must have ended and be at the provider, its
 * event must have been delivered, and the processes must have found the new primary by themselves.
 *
 *     npm run drill:failover [-- --seconds 20 --down 3]
 */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startSandbox } from "../sandbox/sandbox.ts";
import { endChildBusbar, startChildBusbar, type ChildBusbar } from "../tests/harness/child-busbar.ts";
import { connectCustomer, type Customer } from "../tests/harness/connect-customer.ts";
import { openSink } from "../tests/harness/deliveries/sink.ts";
import { deliverTo, judgeWrites, missingEvents, type JudgedWrites } from "./acknowledged-writes.ts";
import { startServerPair, type ServerPair } from "./drill-failover/server-pair.ts";

export interface FailoverReport extends JudgedWrites {
  notAtProvider: string[];
  /** Asynchronous writes whose event did not arrive. */
  notDelivered: string[];
  /** Answers by kind and status. */
  answers: Record<string, number>;
  /** From the promotion until a write was acknowledged, for each process. */
  backAfterMs: number[];
  /** Processes that ended although they should have stayed. */
  ended: number;
}

const KEY = "failover-drill-key-0123456789-0123456789";

export async function failoverDrill(options: {
  seconds: number;
  downSeconds: number;
}): Promise<FailoverReport> {
  const home = await mkdtemp(join(tmpdir(), "busbar-failover-"));
  // As root, the servers run as another user.
  await chmod(home, 0o711);
  const servers = await startServerPair(join(home, "postgres"));
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1_000 });
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const sink = await openSink();
  const processes: ChildBusbar[] = [];
  try {
    for (const name of ["a", "b"]) processes.push(await startProcess(join(home, name), servers.url, home));
    const [first] = processes;
    if (!first) throw new Error("no process started");
    const customer = await connectCustomer(
      { ...first, sandbox },
      { provider: "hubspot", objects: ["companies"] },
    );
    await deliverTo(first, sink);
    const called = await callDuring(servers, processes, customer, options);
    const { answers, backAfterMs } = called;
    const ended = await judgeWrites(first, called.writes);
    const stored = JSON.stringify(sandbox.records("hubspot", "companies"));
    return {
      ...ended,
      notAtProvider: [...called.writes.values()].filter((name) => !stored.includes(`"${name}"`)),
      notDelivered: await missingEvents(sink, called.writes),
      answers,
      backAfterMs,
      ended: processes.filter(({ pid }) => !isAlive(pid)).length,
    };
  } finally {
    await Promise.all(processes.map((child, index) => endChildBusbar(child, join(home, "ab"[index] ?? ""))));
    await Promise.all([sandbox.close(), sink.close()]);
    await servers.close();
    await rm(home, { recursive: true, force: true });
  }
}

const startProcess = (dataDir: string, url: string, home: string): Promise<ChildBusbar> =>
  startChildBusbar(dataDir, {
    DATABASE_URL: url,
    BUSBAR_ENCRYPTION_KEYS: `drill:${Buffer.alloc(32, 1).toString("base64")}`,
    BUSBAR_BOOTSTRAP_API_KEY: KEY,
    BUSBAR_CATALOG: join(home, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    BUSBAR_LOG_LEVEL: "info",
    BUSBAR_DASHBOARD: "false",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
  });

interface Called {
  /** Name of each acknowledged record by its operation. */
  writes: Map<string, string>;
  answers: Record<string, number>;
  backAfterMs: number[];
}

/** Calls both processes without a pause, and fails over after a quarter of the time. */
async function callDuring(
  servers: ServerPair,
  processes: ChildBusbar[],
  { integration, groupRef }: Customer,
  { seconds, downSeconds }: { seconds: number; downSeconds: number },
): Promise<Called> {
  const called: Called = { writes: new Map(), answers: {}, backAfterMs: [] };
  const end = performance.now() + seconds * 1_000;
  let promotedMs = Number.POSITIVE_INFINITY;
  const count = (kind: string, status: number | string) => {
    const key = `${kind} ${status}`;
    called.answers[key] = (called.answers[key] ?? 0) + 1;
  };
  const write = async (on: ChildBusbar, process: number, n: number, mode: string) => {
    const name = `drill ${process} ${mode} ${n}`;
    const body = { groupRef, type: "create", mode, record: { name } };
    const { status, body: answer } = await on.write(integration, "companies", body);
    count(mode, status);
    if (status !== 200) return;
    called.writes.set(answer.operationId, name);
    if (performance.now() > promotedMs)
      called.backAfterMs[process] ??= Math.round(performance.now() - promotedMs);
  };
  const proxied = async (on: ChildBusbar) => {
    const { status } = await on.proxied({ integration, groupRef }, "/crm/v3/objects/companies?limit=1");
    count("proxied", status);
  };
  const repeat = async (call: (n: number) => Promise<void>) => {
    for (let n = 0; performance.now() < end; n++) {
      await call(n).catch((error: unknown) => count("connection", String(error)));
      await wait(10);
    }
  };
  const failover = async () => {
    await wait((seconds * 1_000) / 4);
    await servers.killPrimary();
    await wait(downSeconds * 1_000);
    await servers.promote();
    promotedMs = performance.now();
  };
  await Promise.all([
    failover(),
    ...processes.flatMap((on, index) => [
      repeat((n) => write(on, index, n, "asynchronous")),
      repeat((n) => write(on, index, n, "synchronous")),
      repeat(() => proxied(on)),
    ]),
  ]);
  return called;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns the violations; empty if the drill passed. */
export const faultsOf = (report: FailoverReport): string[] => [
  ...(["lost", "neverEnded", "failed", "notDelivered"] as const).flatMap((name) =>
    report[name].length === 0 ? [] : [`${name}: ${report[name].length}, such as ${report[name][0]}`],
  ),
  // A create whose outcome is unknown is not repeated.
  ...(report.notAtProvider.length <= report.unknownOutcomes
    ? []
    : [`not at the provider: ${report.notAtProvider.length}, such as ${report.notAtProvider[0]}`]),
  ...Object.keys(report.answers)
    .filter((key) => !/ (200|503)$/.test(key))
    .map((key) => `answers ${key}: ${report.answers[key]}`),
  ...(report.ended > 0 ? [`${report.ended} processes ended`] : []),
  ...(report.backAfterMs.filter(Boolean).length === 2 ? [] : ["a process wrote nothing after the promotion"]),
];

if (import.meta.main) {
  const { values } = parseArgs({
    options: { seconds: { type: "string", default: "20" }, down: { type: "string", default: "3" } },
  });
  const report = await failoverDrill({ seconds: Number(values.seconds), downSeconds: Number(values.down) });
  const faults = faultsOf(report);
  console.log(JSON.stringify(report, null, 2));
  console.log(faults.length === 0 ? "PASSED" : `FAILED: ${faults.join(" | ")}`);
  process.exit(faults.length === 0 ? 0 : 1);
}

/**
 * The upgrade drill: a Busbar of an earlier commit serves; this version starts beside it on the same database, migrates it and
 * serves, too; then the earlier one is stopped. Both are called directly all the time, and by a client that asks `/readyz` as a
 * load balancer does. Afterwards every write that was acknowledged, by either version, must have ended and be at the provider,
 * and its event must have been delivered. The way back: the earlier version is started again on the migrated database; and a
 * version with one more, compatible migration runs beside this one, which then goes on alone.
 *
 *     npm run drill -- upgrade [-- --from <commit> --seconds 20 --shards]
 *
 * With `--shards`: main and two shards on servers of their own, with a customer in each. The last one is away while this version
 * migrates the others; it must be migrated when it is back, and its customer alone may be refused meanwhile.
 *
 * Without `--from`: the newest tag or, without tags, the commit before the newest migration. Needs git with the history.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { openSink } from "../harness/deliveries/sink.ts";
import { runBusbar, startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import type { Customer } from "../harness/connect-customer.ts";
import { startTestPostgres } from "../harness/postgres.ts";
import { until } from "../harness/until.ts";
import { queryOnce } from "../harness/database.ts";
import { deliverTo, judgeWrites, findMissingEvents, type JudgedWrites } from "./acknowledged-writes.ts";
import { connectPlaced, type PlacedCustomers } from "./sides/place-customers.ts";
import { openBalancer } from "./upgrade/open-balancer.ts";
import { MAIN, startShardServers, type ShardServers } from "./sides/shard-servers.ts";
import { describeFound, endDrill } from "./run-drill.ts";

interface UpgradeReport extends JudgedWrites {
  from: string;
  /** Migrations of this version that the earlier one does not have. */
  migrations: string[];
  notAtProvider: string[];
  /** Asynchronous writes whose event did not arrive. */
  notDelivered: string[];
  /** Answers by target, shard, kind and status. */
  answers: Record<string, number>;
  /** Time from the start of this version until it was ready, and until the earlier one was no longer. */
  readyAfterMs: number;
  earlierUnreadyAfterMs: number | undefined;
  /** Calls of the balanced client while no process was ready. */
  withoutReady: number;
  /** The longest time without an acknowledged write of the balanced client. */
  longestGapMs: number;
  /** Exit code of the earlier version after SIGTERM. */
  stoppedWith: number | null;
  /** Exit code and last line of the earlier version on the migrated database; code 0: it ran. */
  wayBack: { code: number | null; line: string };
  /** Statuses of this version beside and after a version with a compatible migration. */
  compatible: { readyBeside: number; writeBeside: number; writeAfterRestart: number };
  /** Newest migration of each shard's database. */
  migrated: Record<string, string>;
}

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const KEY = "upgrade-drill-key-0123456789-0123456789";

const AWAY = "b";
const SHARDS = ["a", AWAY];

interface UpgradeOptions {
  from: string;
  seconds: number;
  withShards: boolean;
}

async function upgradeDrill(options: UpgradeOptions): Promise<UpgradeReport> {
  const home = await mkdtemp(join(tmpdir(), "busbar-upgrade-"));
  const earlier = await checkOut(options.from, join(home, "earlier"));
  const shards = options.withShards ? await startShardServers(home, SHARDS) : undefined;
  // Its maintenance database is empty: the earlier version migrates it first.
  const postgres = shards ? undefined : await startTestPostgres();
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1_000 });
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const sink = await openSink();
  const env = { ...buildEnvironment(postgres?.url ?? "", home), ...shards?.env };
  const running: ChildBusbar[] = [];
  const begin = async (name: string, program?: string): Promise<ChildBusbar> => {
    const child = await startChildBusbar(join(home, name), env, { program });
    running.push(child);
    return child;
  };
  try {
    const old = await begin("old", earlier);
    await shards?.addShards(earlier);
    const customers = await connectPlaced({ ...old, sandbox }, shards);
    await deliverTo(old, sink);
    const called = await callDuring(old, () => begin("new"), { ...options, customers, shards });
    const ended = await judgeWrites(called.replacement, called.writes);
    const stored = JSON.stringify(sandbox.records("hubspot", "companies"));
    const notDelivered = await findMissingEvents(sink, called.writes);
    await stop(called.replacement);
    const wayBack = await startAgain(earlier, { ...env, BUSBAR_DATA_DIR: join(home, "back") });
    return {
      from: options.from,
      migrations: await listNewMigrations(join(home, "earlier")),
      ...ended,
      notAtProvider: [...called.writes.values()].filter((name) => !stored.includes(`"${name}"`)),
      notDelivered,
      ...called.figures,
      wayBack,
      migrated: shards ? await readMigrations(shards) : {},
      compatible: await besideCompatible(begin, await withOneMore(join(home, "next")), customers),
    };
  } finally {
    for (const child of running) await stop(child).catch(() => {});
    await Promise.all([sandbox.close(), sink.close()]);
    await postgres?.stop();
    await shards?.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function readMigrations({ servers }: ShardServers): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, { url }] of Object.entries(servers)) {
    const [row] = await queryOnce(url, "select max(name) as name from migrations");
    found[name] = String(row?.["name"]);
  }
  return found;
}

/** Extracts a commit with the packages of this one, and returns the path of its program. */
async function checkOut(commit: string, folder: string): Promise<string> {
  await mkdir(folder);
  const archive = `${folder}.tar`;
  await run("git", ["archive", "--output", archive, commit], { cwd: ROOT });
  await run("tar", ["-xf", archive, "-C", folder]);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return join(folder, "server/busbar.mjs");
}

/** Extracts this commit with a migration more, on which this version works. */
async function withOneMore(folder: string): Promise<string> {
  const program = await checkOut("HEAD", folder);
  const sql = "-- Compatible: a column that nothing reads.\nalter table projects add column drill text;\n";
  await writeFile(join(folder, "migrations/9999_drill.sql"), sql);
  return program;
}

/** Runs this version beside the next one, and then alone again on what that has migrated. */
async function besideCompatible(
  begin: (name: string, program?: string) => Promise<ChildBusbar>,
  next: string,
  customers: PlacedCustomers,
): Promise<UpgradeReport["compatible"]> {
  // That of a shard, if there are any.
  const { integration = "", groupRef = "" } = [...customers.values()].at(-1) ?? {};
  const body = { groupRef, type: "create", record: { name: "compatible" } };
  const current = await begin("current");
  const newer = await begin("newer", next);
  const { status: readyBeside } = await fetch(`${current.origin}/readyz`);
  const { status: writeBeside } = await current.write(integration, "companies", body);
  await stop(newer);
  await stop(current);
  const again = await begin("again");
  const { status: writeAfterRestart } = await again.write(integration, "companies", body);
  return { readyBeside, writeBeside, writeAfterRestart };
}

/** Starts a version that may refuse the database, and stops it if it does not. */
async function startAgain(program: string, env: Record<string, string>): Promise<UpgradeReport["wayBack"]> {
  const { child, exited, output } = runBusbar(
    ["start"],
    { ...env, BUSBAR_PORT: "0", BUSBAR_PROXY_PORT: "0" },
    { program },
  );
  const isReady = until(() => output().includes("Busbar is ready"), 60_000).then(() => child.kill("SIGTERM"));
  await Promise.race([exited, isReady]);
  const { code, stderr } = await exited;
  return { code, line: stderr.trim().split("\n").at(-1) ?? "" };
}

const buildEnvironment = (url: string, home: string): Record<string, string> => ({
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
  replacement: ChildBusbar;
  /** Name of each acknowledged record by its operation. */
  writes: Map<string, string>;
  figures: Pick<
    UpgradeReport,
    "answers" | "withoutReady" | "readyAfterMs" | "earlierUnreadyAfterMs" | "longestGapMs" | "stoppedWith"
  >;
}

interface Upgraded {
  customers: PlacedCustomers;
  shards: ShardServers | undefined;
}

/** Calls the old version for a third of the time, both, and then the new one alone. */
async function callDuring(
  old: ChildBusbar,
  startNew: () => Promise<ChildBusbar>,
  { customers, shards, seconds }: UpgradeOptions & Upgraded,
): Promise<Called> {
  const thirdMs = (seconds * 1_000) / 3;
  const calls = openCalls(customers);
  const direct = [calls.repeat("old", () => old)];
  const balancer = openBalancer([old]);
  const balanced = calls.repeat("balanced", balancer.next);
  await wait(thirdMs);
  const bringBack = await shards?.servers[AWAY]?.takeAway("kill");
  const startedMs = performance.now();
  const replacement = await startNew();
  const readyAfterMs = Math.round(performance.now() - startedMs);
  balancer.add(replacement);
  direct.push(calls.repeat("new", () => replacement));
  await wait(thirdMs);
  await bringBack?.();
  const unreadyMs = balancer.unreadySinceMs(old);
  calls.end("old");
  balancer.remove(old);
  const stoppedWith = await stop(old);
  await wait(thirdMs);
  for (const target of ["new", "balanced"]) calls.end(target);
  await Promise.all([...direct, balanced]);
  balancer.close();
  return {
    replacement,
    writes: calls.writes,
    figures: {
      answers: calls.answers,
      withoutReady: balancer.withoutReady(),
      readyAfterMs,
      earlierUnreadyAfterMs: unreadyMs === undefined ? undefined : Math.round(unreadyMs - startedMs),
      longestGapMs: Math.round(calls.longestGapMs(`balanced of ${MAIN}`)),
      stoppedWith,
    },
  };
}

/** Counts the calls of the drill; each target gets writes of both modes and proxied calls without a pause. */
function openCalls(customers: PlacedCustomers) {
  const writes = new Map<string, string>();
  const answers: Record<string, number> = {};
  const ended = new Set<string>();
  const last = new Map<string, number>();
  const gaps = new Map<string, number>();
  const count = (target: string, kind: string, status: number | string) => {
    const key = `${target} ${kind} ${status}`;
    answers[key] = (answers[key] ?? 0) + 1;
  };
  const noteSuccess = (target: string) => {
    const nowMs = performance.now();
    gaps.set(target, Math.max(gaps.get(target) ?? 0, nowMs - (last.get(target) ?? nowMs)));
    last.set(target, nowMs);
  };
  const write = async (
    busbar: ChildBusbar,
    { integration, groupRef }: Customer,
    { target, mode, n }: { target: string; mode: string; n: number },
  ) => {
    const name = `drill ${target} ${mode} ${n}`;
    const body = { groupRef, type: "create", mode, record: { name } };
    const { status, body: answer } = await busbar.write(integration, "companies", body);
    count(target, mode, status);
    if (status !== 200) return;
    writes.set(answer.operationId, name);
    noteSuccess(target);
  };
  const proxied = async (busbar: ChildBusbar, { integration, groupRef }: Customer, target: string) => {
    const { status } = await busbar.proxied({ integration, groupRef }, "/crm/v3/objects/companies?limit=1");
    count(target, "proxied", status);
  };
  const loop = async (caller: string, call: (n: number) => Promise<void>) => {
    for (let n = 0; !ended.has(caller); n++) {
      await call(n).catch((error: unknown) => count(caller, "connection", String(error)));
      await wait(10);
    }
  };
  return {
    writes,
    answers,
    end: (caller: string) => void ended.add(caller),
    longestGapMs: (target: string) => gaps.get(target) ?? 0,
    repeat: async (caller: string, pick: () => ChildBusbar) => {
      const loops = [...customers].flatMap(([shard, customer]) => {
        const target = `${caller} of ${shard}`;
        return [
          loop(caller, (n) => write(pick(), customer, { target, mode: "asynchronous", n })),
          loop(caller, (n) => write(pick(), customer, { target, mode: "synchronous", n })),
          loop(caller, () => proxied(pick(), customer, target)),
        ];
      });
      await Promise.all(loops);
    },
  };
}

async function stop(child: ChildBusbar): Promise<number | null> {
  try {
    child.signal("SIGTERM");
  } catch {
    // It has ended already.
  }
  return (await child.exited).code;
}

async function listNewMigrations(earlier: string): Promise<string[]> {
  const [known, all] = await Promise.all(
    [earlier, ROOT].map((folder) => readdir(join(folder, "migrations"))),
  );
  return (all ?? []).filter((name) => /^\d{4}_/.test(name) && !known?.includes(name)).toSorted();
}

/** Returns the violations; empty if the drill passed. */
const listFaults = (report: UpgradeReport): string[] => [
  ...(["lost", "neverEnded", "failed", "notDelivered"] as const).flatMap((name) =>
    describeFound(name, report[name]),
  ),
  ...(report.notAtProvider.length <= report.unknownOutcomes
    ? []
    : [`not at the provider: ${report.notAtProvider.length}, such as ${report.notAtProvider[0]}`]),
  ...Object.keys(report.answers)
    .filter((key) => !key.endsWith(" 200") && !(key.includes(` of ${AWAY} `) && key.endsWith(" 503")))
    .map((key) => `answers ${key}: ${report.answers[key]}`),
  ...Object.entries(report.migrated)
    .filter(([, name]) => name !== report.migrations.at(-1))
    .map(([shard, name]) => `the database of ${shard} is migrated as far as ${name}`),
  ...(report.migrations.length > 0 ? [] : ["this version has no migration that the earlier one lacks"]),
  ...(report.stoppedWith === 0 ? [] : [`the earlier version ended with ${report.stoppedWith}`]),
  ...(Object.values(report.compatible).every((status) => status === 200)
    ? []
    : [`this version beside a compatible one: ${JSON.stringify(report.compatible)}`]),
  ...(report.wayBack.code === 0 ||
  (report.wayBack.code === 1 && /migrated by a newer Busbar/.test(report.wayBack.line))
    ? []
    : [`the earlier version did not refuse the migrated database: ${report.wayBack.line}`]),
];

/** Returns the newest tag or, without tags, the commit before the newest migration. */
async function findDefaultCommit(): Promise<string> {
  const git = async (...args: string[]) => (await run("git", args, { cwd: ROOT })).stdout.trim();
  const tag = await git("describe", "--tags", "--abbrev=0").catch(() => "");
  if (tag) return tag;
  const adding = await git("log", "-1", "--diff-filter=A", "--format=%H", "--", "migrations/*_*.sql");
  if (!adding) throw new Error("there is no git history of migrations; give --from");
  return git("rev-parse", "--short", `${adding}^`);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      seconds: { type: "string", default: "20" },
      shards: { type: "boolean", default: false },
    },
  });
  const from = values.from ?? (await findDefaultCommit());
  const report = await upgradeDrill({
    from,
    seconds: Number(values.seconds),
    withShards: values.shards,
  });
  endDrill(report, listFaults(report));
}

/**
 * The drill of moved customers: main and two shards on two PostgreSQL servers, two processes, and customers who are moved from shard to
 * shard under load. The command of each move is killed at another step, and repeated; now and then a process is killed as well. Every
 * write that was acknowledged must end once and be told once, those of a record in order, and nobody else must notice.
 *
 *     npm run drill -- shard-moves [-- --moves 100 --minutes 60]
 */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { runBusbar } from "../harness/child-busbar.ts";
import { queryOnce } from "../harness/database.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { startServers } from "../harness/replicating-postgres.ts";
import { until } from "../harness/until.ts";
import { deliverTo, findMissingEvents } from "./acknowledged-writes.ts";
import { DrillProcesses } from "./read/drill-processes.ts";
import { callProxy, listLoadFaults, Load, writeForCustomer, type LoadReport } from "./sides/load.ts";
import { describeFound, endDrill } from "./run-drill.ts";

interface MovesOptions {
  moves: number;
  /** No further move begins after this time. */
  maxMinutes: number;
  onProgress?(text: string): void;
}

interface MovesReport extends JudgedOperations {
  moves: number;
  /** How often the command was killed at each step. */
  killedAt: Record<string, number>;
  killedProcesses: number;
  /** How long requests of the customers were refused by each move that was not killed before the switch, in milliseconds. */
  refusedMs: { median: number; longest: number };
  acknowledged: number;
  notDelivered: string[];
  movers: LoadReport;
  neighbour: LoadReport;
  proxiedCalls: number;
  linesOfProxiedCalls: number;
  /** Rows of customers in a shard that is not theirs, by table. */
  misplaced: Record<string, number>;
  /** Moves, guards that keep a customer from being served, and changes for shards that are left. */
  leftovers: number;
}

const NAMES = ["first", "second"];
const MOVERS = ["one", "two", "three"];
const SHARDS = ["main", "a", "b"];
const PAUSE_MS = 1_000;
const PROCESS_EVERY = 10;

interface Surroundings {
  urls: Record<string, string>;
  env: Record<string, string>;
  sandbox: Sandbox;
  sink: Sink;
  processes: DrillProcesses;
}

const KEYS = `drill:${Buffer.alloc(32, 7).toString("base64")}`;

async function movesDrill(options: MovesOptions): Promise<MovesReport> {
  const home = await mkdtemp(join(tmpdir(), "busbar-moves-"));
  // As root, the servers run as another user.
  await chmod(home, 0o711);
  const servers = await startServers(home);
  const urls: Record<string, string> = { main: servers.control.url };
  for (const name of ["a", "b"]) {
    await queryOnce(servers.data.url, `create database shard_${name}`);
    const url = new URL(servers.data.url);
    url.pathname = `/shard_${name}`;
    urls[name] = url.href;
  }
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1_000_000 });
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const sink = await openSink();
  const { DATABASE_URL, BUSBAR_REPLICATION_URL } = servers.env;
  const env = { DATABASE_URL, BUSBAR_REPLICATION_URL, BUSBAR_ENCRYPTION_KEYS: KEYS };
  const processes = new DrillProcesses(home, () => ({
    ...env,
    BUSBAR_DASHBOARD: "false",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
  }));
  try {
    return await runMoves({ urls, env, sandbox, sink, processes }, options);
  } finally {
    await processes.stop();
    await Promise.all([sandbox.close(), sink.close()]);
    await servers.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function runMoves(
  open: Surroundings,
  { moves, maxMinutes, onProgress = () => {} }: MovesOptions,
): Promise<MovesReport> {
  const { urls, env, sandbox, sink, processes } = open;
  for (const name of NAMES) await processes.start(name);
  for (const name of ["a", "b"]) {
    const added = await runBusbar(["shards", "add", name, urls[name] ?? "", "--weight", "0", "--json"], env)
      .exited;
    if (added.code !== 0) throw new Error(`shards add: ${added.stderr}`);
  }
  await deliverTo(processes.any, sink);
  const loads = { movers: new Load(PAUSE_MS), neighbour: new Load(PAUSE_MS) };
  for (const groupRef of MOVERS) await writeForCustomer(open, loads.movers, { groupRef });
  await writeForCustomer(open, loads.neighbour, { groupRef: "neighbour" });
  const proxy = callProxy(processes, MOVERS, PAUSE_MS);
  const moved = await moveAll(open, { moves, maxMinutes, onProgress });
  await Promise.all([loads.movers.stop(), loads.neighbour.stop()]);
  const proxiedCalls = countAnswers(await proxy.stop());
  const writes = new Map([...loads.movers.writes, ...loads.neighbour.writes]);
  onProgress(`${writes.size} writes were acknowledged; waiting until all work has ended`);
  const judged = await judgeOperations(urls, writes);
  const notDelivered = await findMissingEvents(sink, writes);
  await until(async () => (await countLeftovers(urls)) === 0).catch(() => {});
  return {
    ...moved,
    acknowledged: writes.size,
    ...judged,
    notDelivered,
    movers: loads.movers.judge(sandbox, sink),
    neighbour: loads.neighbour.judge(sandbox, sink),
    proxiedCalls,
    linesOfProxiedCalls: await countInAll(urls, "select count(*)::integer as count from proxy_usage"),
    misplaced: await listMisplaced(urls),
    leftovers: await countLeftovers(urls),
  };
}

const countAnswers = (answers: Record<string, Record<string, number>>): number =>
  Object.values(answers)
    .flatMap((counts) => Object.entries(counts))
    .reduce((sum, [status, count]) => sum + (status === "no connection" ? 0 : count), 0);

/** Moves one customer after the other. The command is killed at a step, the next one each time, and repeated. */
async function moveAll(open: Surroundings, { moves, maxMinutes, onProgress }: Required<MovesOptions>) {
  const endMs = performance.now() + maxMinutes * 60_000;
  let done = 0;
  const killedAt: Record<string, number> = {};
  const refused: number[] = [];
  let killedProcesses = 0;
  const places = new Map(MOVERS.map((groupRef) => [groupRef, 0]));
  for (let nth = 0; nth < moves && performance.now() < endMs; nth += 1) {
    const groupRef = MOVERS[nth % MOVERS.length] ?? "";
    const place = ((places.get(groupRef) ?? 0) + 1) % SHARDS.length;
    places.set(groupRef, place);
    const args = ["shards", "move", groupRef, SHARDS[place] ?? "", "--json"];
    // As many steps as a move has, and then one that is not killed.
    const step = await killAtStep(open.env, args, nth % 11);
    if (step !== undefined) killedAt[step] = (killedAt[step] ?? 0) + 1;
    if (nth % PROCESS_EVERY === PROCESS_EVERY - 1) {
      await open.processes.kill(open.processes.names[0] ?? "");
      killedProcesses += 1;
    }
    const again = await runBusbar(args, open.env).exited;
    const isDone = step === undefined || /already: nothing is to be moved/.test(again.stderr);
    if (again.code !== 0 && !isDone) throw new Error(`${args.join(" ")}: ${again.stderr}`);
    if (again.code === 0) refused.push(Number(JSON.parse(again.stdout).refusedMs));
    done += 1;
    onProgress(`move ${nth + 1} of ${moves}: ${groupRef} to ${SHARDS[place]}, killed: ${step ?? "not"}`);
  }
  refused.sort((one, other) => one - other);
  const refusedMs = { median: refused[Math.floor(refused.length / 2)] ?? 0, longest: refused.at(-1) ?? 0 };
  return { moves: done, killedAt, killedProcesses, refusedMs };
}

/** Runs a command until it reports this step, counted from 0, and kills it. Returns the step; undefined if it ended before. */
async function killAtStep(
  env: Record<string, string>,
  args: string[],
  nth: number,
): Promise<string | undefined> {
  const { child, exited, output } = runBusbar(args, env);
  const killed = new Promise<string>((resolve) => {
    child.stderr.on("data", () => {
      const steps = [...output().matchAll(/moving \w+: ([a-z ]+)/g)].map(([, step]) => step ?? "");
      const step = [...new Set(steps)][nth];
      if (step === undefined) return;
      child.kill("SIGKILL");
      resolve(step);
    });
  });
  const step = await Promise.race([killed, exited.then(() => undefined)]);
  await exited;
  return step;
}

interface JudgedOperations {
  /** Operations that are in no shard. */
  lost: string[];
  /** Those that are in two. */
  inTwo: string[];
  neverEnded: string[];
  failed: string[];
  unknownOutcomes: number;
}

const END_WITHIN_MS = 300_000;

/** Waits until every write has ended, and looks where it is. */
async function judgeOperations(
  urls: Record<string, string>,
  writes: Map<string, string>,
): Promise<JudgedOperations> {
  const ids = [...writes.keys()];
  const readAll = async () => {
    const found: Record<string, unknown>[] = [];
    for (const url of Object.values(urls))
      found.push(
        ...(await queryOnce(url, "select id, status, result from operations where id = any($1)", [ids])),
      );
    return found;
  };
  const isUnderWay = ({ status }: Record<string, unknown>) => status === "in_progress";
  await until(async () => !(await readAll()).some(isUnderWay), END_WITHIN_MS).catch(() => {});
  const found = Map.groupBy(await readAll(), ({ id }) => String(id));
  const named = (isMeant: (rows: Record<string, unknown>[]) => boolean) =>
    [...writes].filter(([id]) => isMeant(found.get(id) ?? [])).map(([, name]) => name);
  const isUnknown = ({ result }: Record<string, unknown>) => String(result).includes("unknown");
  return {
    lost: named((rows) => rows.length === 0),
    inTwo: named((rows) => rows.length > 1),
    neverEnded: named((rows) => rows.some(isUnderWay)),
    failed: named((rows) => rows.some((row) => row["status"] === "failure" && !isUnknown(row))),
    unknownOutcomes: named((rows) => rows.some(isUnknown)).length,
  };
}

async function countInAll(urls: Record<string, string>, text: string): Promise<number> {
  let sum = 0;
  for (const url of Object.values(urls)) sum += Number((await queryOnce(url, text))[0]?.["count"]);
  return sum;
}

/** Counts the rows of customers outside of their shards. */
async function listMisplaced(urls: Record<string, string>): Promise<Record<string, number>> {
  const misplaced: Record<string, number> = {};
  for (const [shard, url] of Object.entries(urls)) {
    const columns = await queryOnce(
      url,
      `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema = 'public' and column_name = 'installation_id' and table_type = 'BASE TABLE'
         and table_name not in ('configs', 'approvals') and table_name not like 'proxy_usage_%'`,
    );
    for (const { name } of columns) {
      const rows = await queryOnce(
        url,
        `select from ${name} as entry join installations on installations.id = entry.installation_id
           join groups on groups.id = installations.group_id where coalesce(groups.shard, 'main') <> $1`,
        [shard],
      );
      if (rows.length > 0) misplaced[`${name} in ${shard}`] = rows.length;
    }
    const events = await queryOnce(
      url,
      `select from events join groups on groups.project_id = events.project_id and groups.group_ref = events.data ->> 'groupRef'
       where coalesce(groups.shard, 'main') <> $1`,
      [shard],
    );
    if (events.length > 0) misplaced[`events in ${shard}`] = events.length;
  }
  return misplaced;
}

async function countLeftovers(urls: Record<string, string>): Promise<number> {
  const [moves] = await queryOnce(
    urls["main"] ?? "",
    "select (select count(*) from shard_moves) + (select count(*) from outbox) as count",
  );
  const guards = await countInAll(
    urls,
    "select count(*) as count from moving_customers where state <> 'away'",
  );
  return Number(moves?.["count"]) + guards;
}

/** Returns the violations; empty if the drill passed. */
const listFaults = (report: MovesReport): string[] => [
  ...(["lost", "inTwo", "neverEnded", "failed", "notDelivered"] as const).flatMap((name) =>
    describeFound(name, report[name]),
  ),
  ...(["movers", "neighbour"] as const).flatMap((of) =>
    listLoadFaults(report[of], {
      unknownOutcomes: report.unknownOutcomes,
      mayRefuse: of === "movers",
      of: ` of ${of}`,
    }),
  ),
  ...Object.entries(report.misplaced).map(([table, count]) => `${count} rows of ${table}`),
  ...(report.leftovers > 0 ? [`${report.leftovers} moves, guards or changes are left`] : []),
  // A process that was killed has not written the lines of its last calls.
  ...(report.linesOfProxiedCalls > report.proxiedCalls + report.killedProcesses * MOVERS.length
    ? [`${report.linesOfProxiedCalls} lines of ${report.proxiedCalls} proxied calls`]
    : []),
];

if (import.meta.main) {
  const { values } = parseArgs({
    options: { moves: { type: "string", default: "100" }, minutes: { type: "string", default: "60" } },
  });
  const report = await movesDrill({
    moves: Number(values.moves),
    maxMinutes: Number(values.minutes),
    onProgress: (text) => console.log(text),
  });
  endDrill(report, listFaults(report));
}

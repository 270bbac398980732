/**
 * The mixed drill: two processes under a steady load of proxied calls, throttle mode, synchronous and asynchronous
 * writes and webhooks, while providers restart, the database restarts and a process is killed (-9), in turns. Afterwards
 * every answer must have been correct, known callers must have been served while the database was down, every acknowledged
 * write must have ended and been delivered as event, and no socket, connection or gate may be left over.
 *
 *     node tests/drills/mixed-drill.ts [--minutes 10]
 */
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startCallers, type Callers, type Kind, type Outcome } from "./mixed/callers.ts";
import { readMemory, openWorld, countSockets, until, type World } from "./mixed/world.ts";
import { endDrill } from "./run-drill.ts";

/** The outage during a call; `calm` is the time between outages. */
type Outage = "providers down" | "database down" | "process killed";
type Situation = Outage | "calm";

interface Window {
  outage: Outage;
  fromMs: number;
  untilMs: number;
}

/** Resources in use when there is no load. */
interface Rest {
  /** For the parent and each process. */
  sockets: number[];
  databaseConnections: number;
  providerConnections: number;
}

interface MixedDrillReport {
  seconds: number;
  /** Calls by outage, kind and answer. */
  calls: Record<string, Record<string, number>>;
  /** Answers that do not fit the outage, or are wrong in themselves. */
  wrong: string[];
  proxiedWhileDatabaseAway: { calls: number; served: number };
  writes: {
    acknowledged: number;
    ended: number;
    succeeded: number;
    unknownOutcomes: number;
    failedOtherwise: string[];
  };
  webhooks: { arrived: number; missing: number };
  usage: { answered: number; lines: number };
  before: Rest;
  after: Rest;
  /** For the parent and the process that was never killed, in MiB: at the beginning and at the end. */
  memory: { early: number; late: number }[];
  gateOpen: boolean;
  kills: number;
}

const AWAY_MS = { providers: 5_000, database: 10_000 };
/** A round has each outage once; the rest of it is calm. */
const ROUND_MS = 100_000;
/** Connections to providers and to the database idle for ten seconds before they are closed. */
const SETTLE_MS = 30_000;

async function runMixedDrill(options: {
  minutes: number;
  onProgress?(text: string): void;
}): Promise<MixedDrillReport> {
  const started = performance.now();
  const world = await openWorld();
  try {
    await wait(12_000);
    const before = await awaitRest(world);
    const callers = startCallers(world);
    const watch = watchMemory(world);
    const windows = await causeOutages(world, callers, options);
    await callers.stop();
    options.onProgress?.(`${callers.acknowledged.size} asynchronous writes to be ended and told`);
    const gateOpen = await throttleModeServes(world);
    const writes = await untilAllEnded(world, callers);
    const webhooks = await untilAllReported(world, callers);
    options.onProgress?.(`${writes.ended} have ended, ${webhooks.missing} are not told`);
    const memory = watch.stop();
    return {
      seconds: Math.round((performance.now() - started) / 1_000),
      ...judge(callers.outcomes, windows),
      writes,
      webhooks,
      usage: await readUsage(world, callers),
      before,
      after: await untilSettled(world, before),
      memory,
      gateOpen,
      kills: windows.filter((window) => window.outage === "process killed").length,
    };
  } finally {
    await world.close();
  }
}

/** Causes rounds of outages with calm between them; returns when each was. */
async function causeOutages(
  world: World,
  callers: Callers,
  { minutes, onProgress }: { minutes: number; onProgress?(text: string): void },
): Promise<Window[]> {
  const windows: Window[] = [];
  const endMs = performance.now() + minutes * 60_000;
  const roundMs = Math.min(ROUND_MS, minutes * 60_000);
  const during = async (outage: Outage, graceMs: number, act: () => Promise<void>): Promise<void> => {
    await wait(roundMs / 4);
    const fromMs = performance.now();
    await act();
    windows.push({ outage, fromMs, untilMs: performance.now() + graceMs });
    onProgress?.(`${outage}; ${callers.outcomes.length} calls so far`);
  };
  // A round that would exceed the time is not started.
  while (performance.now() + roundMs <= endMs + 1_000) {
    await during("providers down", 2_000, () => world.restartProviders(AWAY_MS.providers));
    await during("database down", 3_000, () => world.restartDatabase(AWAY_MS.database));
    await during("process killed", 2_000, () => world.killProcess());
  }
  await wait(Math.max(0, endMs - performance.now()));
  return windows;
}

/** Allowed statuses beside 200, by outage and kind of call. 0: the connection broke. */
const ALLOWED: Record<Situation, Record<Kind, number[]>> = {
  calm: { proxied: [], throttled: [429], synchronous: [], asynchronous: [] },
  "providers down": {
    proxied: [502, 0],
    throttled: [429, 502, 0],
    // 422: the provider could not be reached in time; the answer contains the result of the write.
    synchronous: [422, 502, 504],
    asynchronous: [],
  },
  "database down": {
    proxied: [503],
    throttled: [429, 503],
    synchronous: [503],
    asynchronous: [503],
  },
  "process killed": {
    proxied: [502, 0],
    throttled: [429, 502, 0],
    synchronous: [0],
    asynchronous: [0],
  },
};
/** Required share of served calls of known callers while the database is down. */
const SERVED_AT_LEAST = 0.99;

function judge(
  outcomes: Outcome[],
  windows: Window[],
): Pick<MixedDrillReport, "calls" | "wrong" | "proxiedWhileDatabaseAway"> {
  const calls: MixedDrillReport["calls"] = {};
  const wrong = new Map<string, number>();
  const away = { calls: 0, served: 0 };
  for (const outcome of outcomes) {
    const situation = readSituation(outcome, windows);
    const status = outcome.status ?? 0;
    const answer =
      outcome.error ?? `${status}${outcome.ours && outcome.kind !== "asynchronous" ? " ours" : ""}`;
    const row = (calls[`${situation}: ${outcome.kind}`] ??= {});
    row[answer] = (row[answer] ?? 0) + 1;
    if (situation === "database down" && outcome.kind === "proxied") {
      away.calls += 1;
      if (status === 200) away.served += 1;
    }
    const isForgotten =
      outcome.error === "UND_ERR_HEADERS_TIMEOUT" || outcome.error === "UND_ERR_BODY_TIMEOUT";
    const isAllowed = status === 200 || ALLOWED[situation][outcome.kind].includes(status);
    if (isAllowed && !outcome.fault && !isForgotten) continue;
    const text = `${situation}: ${outcome.kind}: ${outcome.fault ?? answer}`;
    wrong.set(text, (wrong.get(text) ?? 0) + 1);
  }
  return {
    calls,
    wrong: [...wrong].map(([text, count]) => `${text} (${count}x)`),
    proxiedWhileDatabaseAway: away,
  };
}

const readSituation = ({ startedMs, endedMs }: Outcome, windows: Window[]): Situation =>
  windows.find(({ fromMs, untilMs }) => startedMs <= untilMs && endedMs >= fromMs)?.outage ?? "calm";

function watchMemory(world: World): { stop(): MixedDrillReport["memory"] } {
  const series = new Map<number, number[]>();
  const timer = setInterval(() => {
    for (const pid of world.pids()) series.set(pid, [...(series.get(pid) ?? []), readMemory(pid)]);
  }, 2_000);
  return {
    stop() {
      clearInterval(timer);
      const longest = Math.max(...[...series.values()].map((samples) => samples.length));
      const survivors = [...series.values()].filter((samples) => samples.length > longest * 0.9);
      return survivors.map((samples) => {
        const part = (from: number, to: number) =>
          Math.round(computeMedian(samples.slice(samples.length * from, samples.length * to)));
        return { early: part(0.2, 0.4), late: part(0.8, 1) };
      });
    },
  };
}

const computeMedian = (values: number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

/** Returns whether a call in throttle mode succeeds after the provider's rate limit has ended. */
const throttleModeServes = (world: World): Promise<boolean> =>
  until(async () => {
    const response = await fetch(`${world.proxyUrl}/bytes/2`, {
      headers: {
        "x-api-key": world.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": world.projectId,
        "x-amp-installation-id": world.installationId,
        "x-amp-rate-limiter-mode": "throttle",
        connection: "close",
      },
    });
    return response.status === 200;
  }, 5_000);

async function untilAllEnded(world: World, { acknowledged }: Callers): Promise<MixedDrillReport["writes"]> {
  type Row = { status: string; result: string | null };
  const check = () =>
    query<Row>(world, "select status, result from operations where id = any($1)", [[...acknowledged]]);
  await until(async () => (await check()).every(({ status }) => status !== "in_progress"), 120_000);
  const rows = await check();
  const isUnknown = ({ result }: Row) => result?.includes("unknown") ?? false;
  return {
    acknowledged: acknowledged.size,
    ended: rows.filter(({ status }) => status !== "in_progress").length,
    succeeded: rows.filter(({ status }) => status === "success").length,
    unknownOutcomes: rows.filter((row) => row.status === "failure" && isUnknown(row)).length,
    failedOtherwise: rows
      .filter((row) => row.status === "failure" && !isUnknown(row))
      .map(({ result }) => result ?? ""),
  };
}

async function untilAllReported(
  { sink }: World,
  { acknowledged }: Callers,
): Promise<MixedDrillReport["webhooks"]> {
  const missing = () => {
    const reported = new Set(sink.received.map(({ message }) => String(message.data["operationId"])));
    return [...acknowledged].filter((id) => !reported.has(id)).length;
  };
  await until(() => missing() === 0, 60_000);
  return { arrived: sink.received.length, missing: missing() };
}

async function readUsage(world: World, { outcomes }: Callers): Promise<MixedDrillReport["usage"]> {
  // A call that was refused before its target was known is not logged.
  const answered = outcomes.filter(
    ({ kind, status, ours }) =>
      (kind === "proxied" || kind === "throttled") && status && !(ours && (status === 429 || status === 503)),
  );
  const count = "select count(*)::int as lines from proxy_usage where installation_id = $1";
  const [row] = await query<{ lines: number }>(world, count, [world.installationId]);
  return { answered: answered.length, lines: row?.lines ?? 0 };
}

async function awaitRest(world: World): Promise<Rest> {
  const sql = "select count(*)::int as count from pg_stat_activity where application_name like 'busbar%'";
  const [row] = await query<{ count: number }>(world, sql, []);
  return {
    sockets: world.pids().map(countSockets),
    databaseConnections: row?.count ?? 0,
    providerConnections: await world.provider.connections(),
  };
}

/** The number of database connections varies with the background work. */
const SPARE = 6;

const isSettled = (after: Rest, before: Rest): boolean =>
  after.sockets.every((count, at) => count <= (before.sockets[at] ?? 0) + SPARE) &&
  after.databaseConnections <= before.databaseConnections + SPARE &&
  after.providerConnections === 0;

async function untilSettled(world: World, before: Rest): Promise<Rest> {
  let after = await awaitRest(world);
  await until(async () => isSettled((after = await awaitRest(world)), before), SETTLE_MS);
  return after;
}

async function query<Row>({ databaseUrl }: World, sql: string, values: unknown[]): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl, application_name: "drill" });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

const MAX_GROWTH_MIB = 64;
/** A killed process loses the usage lines of its last second. */
const LINES_LOST_BY_KILL = 400;

/** Returns the violations; empty if the drill passed. */
function listFaults(report: MixedDrillReport): string[] {
  const { proxiedWhileDatabaseAway: away, writes, webhooks, usage, kills } = report;
  const faults: [boolean, string][] = [
    [report.wrong.length > 0, `wrong answers: ${report.wrong.join("; ")}`],
    [
      away.served < away.calls * SERVED_AT_LEAST,
      `while the database was away, ${away.served} of ${away.calls} were served`,
    ],
    [writes.ended < writes.acknowledged, `${writes.acknowledged - writes.ended} writes never ended`],
    [
      writes.failedOtherwise.length > 0,
      `writes failed: ${[...new Set(writes.failedOtherwise)].slice(0, 5).join("; ")}`,
    ],
    [webhooks.missing > 0, `${webhooks.missing} webhooks never arrived`],
    [
      usage.lines < usage.answered - kills * LINES_LOST_BY_KILL,
      `${usage.answered - usage.lines} calls have no usage line`,
    ],
    [!isSettled(report.after, report.before), "sockets or connections were left over"],
    [!report.gateOpen, "the throttle gate stayed closed"],
    [report.memory.some(({ early, late }) => late - early > MAX_GROWTH_MIB), "memory grew"],
  ];
  return faults.filter(([isFault]) => isFault).map(([, text]) => text);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
  const report = await runMixedDrill({
    minutes: Number(values.minutes),
    onProgress: (text) => console.log(text),
  });
  endDrill(report, listFaults(report));
}

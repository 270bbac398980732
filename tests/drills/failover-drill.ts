/**
 * The failover drill: two processes write, proxy, deliver, refresh tokens, read on schedule, and take pushes and a stream of
 * changes while the primary of their PostgreSQL is killed (-9) and its synchronous standby is promoted. Afterwards every write
 * that was acknowledged must have ended and be at the provider, its event must have been delivered, every connection must have
 * the refresh token that its provider gave last, receivers that upsert and delete by id must be equal to the accounts, and the
 * processes must have found the new primary by themselves.
 *
 *     npm run drill -- failover [-- --seconds 30 --down 3]
 *     npm run drill -- failover --patroni --seconds 120     # Patroni promotes the standby, HAProxy moves the address
 */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { freePort } from "../harness/free-port.ts";
import { deliverTo, judgeWrites, findMissingEvents, type JudgedWrites } from "./acknowledged-writes.ts";
import { Callers } from "./failover/callers.ts";
import { FirstAfter } from "./failover/first-after.ts";
import { startPatroniPair } from "./failover/patroni-pair.ts";
import { startServerPair, type ServerPair } from "./failover/server-pair.ts";
import { CustomerAccount, OBJECTS } from "./read/customer-account.ts";
import { DrillProcesses } from "./read/drill-processes.ts";
import { listFailedReads, installReads } from "./read/installed-reads.ts";
import { startMirror, type Mirror } from "./read/mirror.ts";
import { RefreshedConnections, listTokenFaults, type JudgedTokens } from "./refresh/refreshed-connections.ts";
import { startRotatingEndpoint, type RotatingEndpoint } from "./refresh/rotating-endpoint.ts";
import { startChangeMirror, type ChangeMirror } from "./subscribe/change-mirror.ts";
import { startFront, type Front } from "./subscribe/front.ts";
import { subscribeAll } from "./subscribe/subscribed-accounts.ts";
import { endDrill } from "./run-drill.ts";

interface FailoverOptions {
  /** How long the load lasts; a quarter of it is over when the primary is killed. */
  seconds: number;
  /** Time from the end of the primary until its standby is promoted. */
  downSeconds: number;
  /** Whether Patroni promotes, and HAProxy moves the one address. */
  patroni: boolean;
  onProgress?(text: string): void;
}

interface FailoverReport extends JudgedWrites {
  notAtProvider: string[];
  /** Asynchronous writes whose event did not arrive. */
  notDelivered: string[];
  /** Answers by kind and status. */
  answers: Record<string, number>;
  /** Forced refreshes by the status of the answer. */
  refreshes: Record<string, number>;
  tokens: JudgedTokens & RotatingEndpoint["counts"];
  /** Pushes of the provider by what they were answered. */
  pushes: Front["counts"];
  /** Changes that were made to the records of each object. */
  changes: Record<string, number>;
  /** How the copies of the receivers differ from the accounts. */
  differences: string[];
  /** Records whose messages were not made in order. */
  disorder: string[];
  failedReads: string[];
  /** Time from asking for the promotion, or from the end of the primary with Patroni, until a write of another client is accepted. */
  promotedAfterMs: number;
  /** Time from the same moment until each kind of work was seen again. */
  backAfterMs: Record<string, number>;
  /** Processes that ended although they should have stayed. */
  ended: number;
}

const NAMES = ["first", "second"];
const CONNECTIONS = 40;
const REFRESH_MS = 1_000;
/** Records of each account, made before the load. */
const RECORDS = 200;
const CHANGE_EVERY_MS = 50;
const EQUAL_WITHIN_MS = 120_000;

/** What the processes talk to. */
interface Surroundings {
  home: string;
  servers: ServerPair;
  sandbox: Sandbox;
  endpoint: RotatingEndpoint;
  /** Receives the events of writes. */
  sink: Sink;
  /** Receives what is read on schedule. */
  read: Mirror;
  /** Receives the changes of subscriptions. */
  changed: ChangeMirror;
  front: Front;
  processes: DrillProcesses;
}

async function runFailoverDrill(options: FailoverOptions): Promise<FailoverReport> {
  const open = await surround(options.patroni);
  try {
    return await runOnPair(open, options);
  } finally {
    await open.processes.stop();
    open.endpoint.close();
    await Promise.all(
      [open.front, open.sandbox, open.sink, open.read, open.changed].map((one) => one.close()),
    );
    await open.servers.close();
    await rm(open.home, { recursive: true, force: true });
  }
}

async function surround(patroni: boolean): Promise<Surroundings> {
  const home = await mkdtemp(join(tmpdir(), "busbar-failover-"));
  // As root, the servers run as another user.
  await chmod(home, 0o711);
  const servers = await (patroni ? startPatroniPair : startServerPair)(join(home, "postgres"));
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 1_000 });
  const endpoint = await startRotatingEndpoint(REFRESH_MS);
  const { providers } = sandbox.catalog();
  const catalog = { providers: { ...providers, rotating: endpoint.catalogEntry } };
  await writeFile(join(home, "catalog.json"), JSON.stringify(catalog));
  const [sink, read, changed] = [await openSink(), await startMirror(), await startChangeMirror()];
  const ports = new Map<string, number>();
  for (const name of NAMES) ports.set(name, await freePort());
  const front = await startFront(() => [...ports.values()]);
  const processes = new DrillProcesses(home, (name) => ({
    DATABASE_URL: servers.url,
    BUSBAR_PORT: String(ports.get(name)),
    BUSBAR_PUBLIC_URL: front.url,
    BUSBAR_DASHBOARD: "false",
    // Ten minutes of a schedule are two seconds.
    BUSBAR_MINUTE_MS: "200",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
    BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0.2",
  }));
  return { home, servers, sandbox, endpoint, sink, read, changed, front, processes };
}

async function runOnPair(open: Surroundings, options: FailoverOptions): Promise<FailoverReport> {
  const { sandbox, endpoint, sink, read, changed, front, processes } = open;
  const { onProgress = () => {} } = options;
  for (const name of NAMES) await processes.start(name);
  const children = processes.running;
  const refreshed = new RefreshedConnections([...children.values()], endpoint);
  const callers = new Callers(children, await install(open, refreshed));
  const accounts = OBJECTS.map((drilled) => new CustomerAccount(sandbox, drilled));
  for (const account of accounts) account.create(RECORDS);
  onProgress("two processes write, proxy, deliver, refresh, read and take changes");

  const endMs = performance.now() + options.seconds * 1_000;
  const [failedOver] = await Promise.all([
    failOver(open, callers, refreshed, options),
    callers.callUntil(endMs),
    refreshUntil(endMs, refreshed),
    changeUntil(endMs, accounts),
  ]);
  onProgress(`${callers.writes.size} writes were acknowledged; waiting until all work has ended`);

  const judged = await judgeWrites(processes.any, callers.writes);
  const notDelivered = await findMissingEvents(sink, callers.writes);
  await refreshed.untilStored();
  // A lost token shows now.
  await refreshed.forceAll();
  await refreshed.untilStored();
  const differences = await untilEqual(accounts, [read, changed]);
  const stored = JSON.stringify(sandbox.records("hubspot", "companies"));
  return {
    ...judged,
    ...failedOver,
    notAtProvider: [...callers.writes.values()].filter((name) => !stored.includes(`"${name}"`)),
    notDelivered,
    answers: callers.answers,
    refreshes: refreshed.answers,
    tokens: { ...(await refreshed.judge()), ...endpoint.counts },
    pushes: front.counts,
    changes: Object.fromEntries(OBJECTS.map(({ path }, index) => [path, accounts[index]?.made ?? 0])),
    differences,
    disorder: changed.disorder(),
    failedReads: await listFailedReads(processes.any),
    ended: [...children.values()].filter(({ pid }) => !isAlive(pid)).length,
  };
}

/** Installs what writes, reads and subscribes; returns the customer that writes. */
async function install(open: Surroundings, refreshed: RefreshedConnections) {
  const { sandbox, sink, read, changed, front, processes } = open;
  const child = processes.any;
  await subscribeAll(child, {
    sandbox,
    receiverUrl: changed.url,
    publicUrl: front.url,
    pushRetryMs: 200,
  });
  await installReads(child, sandbox, read.url);
  await refreshed.connect(CONNECTIONS);
  await deliverTo(child, sink);
  return connectCustomer(
    { ...child, sandbox },
    {
      provider: "hubspot",
      groupRef: "writer",
      integration: "writing",
      manifest: WRITING,
      content: { proxy: { enabled: true } },
      expiresInSeconds: 86_400,
    },
  );
}

const WRITING = `
specVersion: 1.0.0
integrations:
  - name: writing
    provider: hubspot
    write:
      objects:
        - objectName: companies
    proxy:
      enabled: true
`;

/** Kills the primary after a quarter of the time and promotes its standby. */
async function failOver(
  { servers, sink, read, changed, front }: Surroundings,
  callers: Callers,
  refreshed: RefreshedConnections,
  { seconds, downSeconds, onProgress = () => {} }: FailoverOptions,
): Promise<Pick<FailoverReport, "promotedAfterMs" | "backAfterMs">> {
  await wait((seconds * 1_000) / 4);
  await servers.killPrimary();
  onProgress(`the primary is killed; ${callers.writes.size} writes were acknowledged so far`);
  await wait(downSeconds * 1_000);
  const messages = () => [...changed.counts.values()].reduce((sum, count) => sum + count.messages, 0);
  const first = new FirstAfter({
    ...Object.fromEntries(
      NAMES.map((name) => [`write, ${name} process`, () => callers.acknowledged[name] ?? 0]),
    ),
    "event of a write": () => sink.received.length,
    "accepted push": () => front.counts.accepted,
    "message of a subscription": messages,
    "message of a read": () => read.counts.messages,
    refresh: () => refreshed.answers[200] ?? 0,
  });
  const promotedAfterMs = await servers.promote();
  onProgress(`the standby is promoted after ${promotedAfterMs} ms`);
  await wait((seconds * 3_000) / 4 - downSeconds * 1_000 - promotedAfterMs);
  return { promotedAfterMs, backAfterMs: first.stop() };
}

async function refreshUntil(endMs: number, refreshed: RefreshedConnections): Promise<void> {
  while (performance.now() < endMs) {
    await refreshed.forceAll();
    // While the database is away, all are refused at once.
    await wait(100);
  }
}

async function changeUntil(endMs: number, accounts: CustomerAccount[]): Promise<void> {
  while (performance.now() < endMs) {
    for (const account of accounts) account.change();
    await wait(CHANGE_EVERY_MS);
  }
}

/** Returns what still differs when the time is over. Only records that the drill made are looked at. */
async function untilEqual(
  accounts: CustomerAccount[],
  mirrors: Pick<Mirror | ChangeMirror, "copies">[],
): Promise<string[]> {
  const endMs = performance.now() + EQUAL_WITHIN_MS;
  for (;;) {
    const differences = mirrors.flatMap(({ copies }) =>
      accounts.flatMap((account, index) =>
        account.differences(copies.get(OBJECTS[index]?.path ?? ""), { onlyOwn: true }),
      ),
    );
    if (differences.length === 0 || performance.now() > endMs) return differences;
    await wait(500);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns the violations; empty if the drill passed. */
const listFaults = (report: FailoverReport): string[] => [
  ...(
    ["lost", "neverEnded", "failed", "notDelivered", "differences", "disorder", "failedReads"] as const
  ).flatMap((name) =>
    report[name].length === 0 ? [] : [`${name}: ${report[name].length}, such as ${report[name][0]}`],
  ),
  ...listTokenFaults(report.tokens),
  // A create whose outcome is unknown is not repeated.
  ...(report.notAtProvider.length <= report.unknownOutcomes
    ? []
    : [`not at the provider: ${report.notAtProvider.length}, such as ${report.notAtProvider[0]}`]),
  ...Object.keys(report.answers)
    .filter((key) => !/ (200|503)$/.test(key))
    .map((key) => `answers ${key}: ${report.answers[key]}`),
  ...(report.ended > 0 ? [`${report.ended} processes ended`] : []),
  ...(Object.keys(report.backAfterMs).length === 7
    ? []
    : ["not every kind of work was seen after the promotion"]),
];

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "30" },
      down: { type: "string", default: "3" },
      patroni: { type: "boolean", default: false },
    },
  });
  const report = await runFailoverDrill({
    seconds: Number(values.seconds),
    downSeconds: values.patroni ? 0 : Number(values.down),
    patroni: values.patroni,
    onProgress: (text) => console.log(text),
  });
  endDrill(report, listFaults(report));
}

/**
 * The drill of subscriptions: two processes take the pushes of a HubSpot account and read the stream of a Salesforce
 * organisation, while records change in bursts, are merged, deleted and restored. Pushes come twice and out of order, events
 * of the stream twice; providers refuse, streams break, replay ids expire, an overflow hides changes, pushes are refused for
 * a minute, the receiver is away for a while, processes are killed (-9) or suspended and PostgreSQL is restarted. Nobody asks for
 * a reconciliation. Afterwards a receiver that upserts and deletes by id must be equal to both accounts, and must have got the
 * messages about each record in order.
 *
 *     node tests/drills/subscribe-drill.ts [--changes 20000] [--kills 10] [--suspensions 2] [--seconds 300] [--refused 60]
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startSandbox } from "../../sandbox/sandbox.ts";
import type { Answer } from "../harness/client.ts";
import { freePort } from "../harness/free-port.ts";
import { openRestartablePostgres } from "../harness/restartable-postgres.ts";
import { CustomerAccount, OBJECTS } from "./read/customer-account.ts";
import { DrillProcesses } from "./read/drill-processes.ts";
import {
  NOTHING_RECEIVED,
  startChangeMirror,
  type ChangeMirror,
  type ReceivedCounts,
} from "./subscribe/change-mirror.ts";
import { startFront, type Front } from "./subscribe/front.ts";
import { subscribeAll } from "./subscribe/subscribed-accounts.ts";
import { explain } from "./subscribe/explain-difference.ts";
import { causeTrouble } from "./subscribe/trouble.ts";
import { endDrill } from "./run-drill.ts";

interface SubscribeDrillOptions {
  /** In both accounts together. */
  changes: number;
  kills: number;
  /** How often a process stands still for a while. */
  suspensions: number;
  /** Whether providers refuse requests, and lose events whose changes can then be found only by reading. */
  providersFail: boolean;
  /** How long records change. */
  seconds: number;
  /** How long pushes are refused. */
  refusedSeconds: number;
  restartsDatabase: boolean;
  onProgress?(text: string): void;
}

interface ReportedObject {
  made: CustomerAccount["counts"];
  received: ReceivedCounts;
  /** Subscription as its status shows it. */
  subscription: { counts: Record<string, number>; reconciliation?: object };
}

interface SubscribeDrillReport {
  kills: number;
  /** What happened to the records of each object, and what arrived of it. */
  objects: Record<string, ReportedObject>;
  pushes: Front["counts"];
  /** How the copies differ from the accounts. */
  differences: string[];
  /** Records whose messages were not made in order. */
  disorder: string[];
  seconds: number;
}

/** A burst makes most of the changes; it comes every `TICKS_OF_BURST` ticks, and the other ticks make one change. */
const TICK_MS = 100;
const TICKS_OF_BURST = 30;
/** Records that a burst changes. */
const HOT_RECORDS = 25;
const EQUAL_WITHIN_MS = 300_000;
/** Differences of which the history is shown. */
const MAX_EXPLAINED = 3;

export async function subscribeDrill(options: SubscribeDrillOptions): Promise<SubscribeDrillReport> {
  const startedMs = performance.now();
  const home = await mkdtemp(join(tmpdir(), "busbar-subscribe-"));
  const database = await openRestartablePostgres(join(home, "database"));
  const sandbox = await startSandbox({ limits: "off", requestLogSize: 100 });
  const mirror = await startChangeMirror();
  await writeFile(join(home, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const ports: Record<string, number> = { first: await freePort(), second: await freePort() };
  const front = await startFront(() => processes.names.map((name) => ports[name] ?? 0));
  const processes = new DrillProcesses(home, (name) => ({
    DATABASE_URL: database.url,
    BUSBAR_PORT: String(ports[name]),
    BUSBAR_PUBLIC_URL: front.url,
    BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0.2",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
  }));
  try {
    await Promise.all([processes.start("first"), processes.start("second")]);
    const installations = await subscribeAll(processes.any, {
      sandbox,
      receiverUrl: mirror.url,
      publicUrl: front.url,
      pushRetryMs: Math.max(200, options.refusedSeconds * 80),
    });
    const [hubspot, salesforce] = OBJECTS.map((drilled) => new CustomerAccount(sandbox, drilled));
    if (!hubspot || !salesforce) throw new Error("the drill has two accounts");
    const accounts = [hubspot, salesforce];
    const changing = change(accounts, options);
    await causeTrouble({ ...options, sandbox, salesforce, mirror, front, processes, database });
    await changing;
    options.onProgress?.("records change no more; waiting until the copies are equal");
    const differences = await untilEqual(accounts, mirror);
    for (const difference of differences.slice(0, MAX_EXPLAINED))
      options.onProgress?.(await explain(difference, { installations, mirror, child: processes.any }));
    const shown = installations.map((path) => processes.any.inProject("GET", `${path}/subscriptions`));
    const subscriptions = (await Promise.all(shown)).map(({ body }) => body[0]);
    return {
      kills: options.kills,
      objects: Object.fromEntries(
        OBJECTS.map(({ path }, index) => [
          path,
          buildReport(path, accounts[index], mirror, subscriptions[index]),
        ]),
      ),
      pushes: front.counts,
      differences,
      disorder: mirror.disorder(),
      seconds: Math.round((performance.now() - startedMs) / 1_000),
    };
  } finally {
    await processes.stop();
    await front.close();
    await mirror.close();
    await sandbox.close();
    await database.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Returns the violations; empty if the drill passed. */
export const listFaults = ({ differences, disorder, objects }: SubscribeDrillReport): string[] => [
  ...differences.slice(0, 5),
  ...disorder.slice(0, 5),
  ...Object.entries(objects).flatMap(([path, { made, received }]) => [
    ...(made.changed === 0 || made.archived === 0
      ? [`${path}: too little happened, so nothing was tried`]
      : []),
    ...(received.repeated * 10 > received.entries
      ? [`${path}: more than a tenth of the entries were repeats`]
      : []),
  ]),
];

const buildReport = (
  path: string,
  account: CustomerAccount | undefined,
  mirror: ChangeMirror,
  subscription: Answer["body"],
): ReportedObject => ({
  made: account?.counts ?? { changed: 0, created: 0, archived: 0, restored: 0, backDated: 0, merged: 0 },
  received: mirror.counts.get(path) ?? NOTHING_RECEIVED,
  subscription: { counts: subscription?.counts, reconciliation: subscription?.reconciliation },
});

/** Changes the records of the accounts, as many in each. */
async function change(
  accounts: CustomerAccount[],
  { changes, seconds }: SubscribeDrillOptions,
): Promise<void> {
  const each = changes / accounts.length;
  for (const account of accounts) account.create(Math.ceil(each / 10));
  const startMs = performance.now();
  for (let tick = 1; accounts.some(({ made }) => made < each); tick += 1) {
    const part = Math.min(1, (performance.now() - startMs) / (seconds * 1_000));
    const isBurst = tick % TICKS_OF_BURST === 0 || part === 1;
    const max = isBurst ? Infinity : 1;
    for (let step = 0; step < max; step += 1) {
      const due = accounts.filter(({ made }) => made < each * part);
      if (due.length === 0) break;
      for (const account of due) account.change({ merges: true, ...(isBurst && { newest: HOT_RECORDS }) });
      await nextMillisecond();
    }
    await wait(TICK_MS);
  }
}

/** HubSpot's events have no order but their times. */
async function nextMillisecond(): Promise<void> {
  const before = Date.now();
  while (Date.now() === before) await wait(1);
}

/** Returns what still differs when the time is over. Only records that the drill made are looked at. */
async function untilEqual(accounts: CustomerAccount[], mirror: ChangeMirror): Promise<string[]> {
  const endMs = performance.now() + EQUAL_WITHIN_MS;
  for (;;) {
    const differences = accounts.flatMap((account, index) =>
      account.differences(mirror.copies.get(OBJECTS[index]?.path ?? ""), { onlyOwn: true }),
    );
    if (differences.length === 0 || performance.now() > endMs) return differences;
    await wait(500);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      changes: { type: "string" },
      kills: { type: "string" },
      suspensions: { type: "string" },
      seconds: { type: "string" },
      refused: { type: "string" },
    },
  });
  const report = await subscribeDrill({
    changes: Number(values.changes ?? 20_000),
    kills: Number(values.kills ?? 10),
    suspensions: Number(values.suspensions ?? 2),
    providersFail: true,
    seconds: Number(values.seconds ?? 300),
    refusedSeconds: Number(values.refused ?? 60),
    restartsDatabase: true,
    onProgress: (text) => console.log(text),
  });
  endDrill(
    { ...report, differences: report.differences.length, disorder: report.disorder.length },
    listFaults(report),
  );
}

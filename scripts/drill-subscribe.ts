/**
 * The drill of subscriptions: two processes take the pushes of an account, while records change in bursts, are merged, deleted
 * and restored, pushes come twice and out of order, the provider refuses, the receiver is away for a while, processes are
 * killed (-9), PostgreSQL is restarted, and pushes are refused until the provider gives up. A reconciliation finds what was
 * lost then. Afterwards a receiver that upserts and deletes by id must be equal to the account.
 *
 *     node scripts/drill-subscribe.ts [--records 5000] [--kills 10] [--seconds 300]
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import { connectCustomer } from "../tests/harness/connect-customer.ts";
import { openRestartablePostgres } from "../tests/harness/restartable-postgres.ts";
import { CustomerAccount } from "./drill-read/customer-account.ts";
import { DrillProcesses } from "./drill-read/drill-processes.ts";
import { startChangeMirror, type ChangeMirror } from "./drill-subscribe/change-mirror.ts";
import { freePort, startFront, type Front } from "./drill-subscribe/front.ts";

export interface SubscribeDrillOptions {
  records: number;
  kills: number;
  /** How long records change. */
  seconds: number;
  /** How long pushes are refused; the provider gives up after about five seconds. */
  refusedSeconds: number;
  restartsDatabase: boolean;
  onProgress?(text: string): void;
}

export interface SubscribeDrillReport {
  kills: number;
  changes: CustomerAccount["counts"];
  pushes: Front["counts"];
  received: ChangeMirror["counts"];
  /** What the reconciliation found. */
  found: number;
  /** How the copy differs from the account. */
  differences: string[];
  seconds: number;
}

const SECRET = "secret of the drill";
const STIR_EVERY_MS = 100;
const EQUAL_WITHIN_MS = 120_000;
const INSTALLED_WITHIN_MS = 60_000;

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hubspot
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: changes
          requiredFields: [{ fieldName: lastname }]
    subscribe:
      objects:
        - objectName: contacts
          destination: changes
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
          updateEvent: { enabled: always, watchFieldsAuto: all }
          deleteEvent: { enabled: always }
          otherEvents: [merge, restore]
`;

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
    const installation = await install(processes, { sandbox, mirror, front });
    const account = new CustomerAccount(sandbox, {
      provider: "hubspot",
      object: "contacts",
      field: "lastname",
      path: "/changes",
    });
    const since = new Date();
    account.create(options.records);
    const stirring = stir(account, options.seconds * 1_000);
    await trouble({ options, sandbox, mirror, front, processes, database });
    await stirring;
    options.onProgress?.("records change no more; pushes that the provider gave up are found by reading");
    const found = await reconcile(processes, { installation, since, webhooks: sandbox.hubspot.webhooks });
    const differences = await untilEqual(account, mirror);
    return {
      kills: options.kills,
      changes: account.counts,
      pushes: front.counts,
      received: mirror.counts,
      found,
      differences,
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
export const faultsOf = ({ differences, changes, received }: SubscribeDrillReport): string[] => [
  ...differences.slice(0, 5),
  ...(changes.changed === 0 || changes.archived === 0 ? ["too little happened, so nothing was tried"] : []),
  ...(received.repeated * 2 > received.entries ? ["more than half of the entries were repeats"] : []),
];

/** Returns the path of the installation when its subscription is active. */
async function install(
  processes: DrillProcesses,
  { sandbox, mirror, front }: { sandbox: Sandbox; mirror: ChangeMirror; front: Front },
): Promise<string> {
  const on = { ...processes.any, sandbox };
  const app = { provider: "hubspot", clientId: "drill", clientSecret: SECRET, scopes: ["oauth"] };
  const metadata = { providerParams: { subscribeSource: "webhook" } };
  const made = [
    await on.inProject("POST", "/provider-apps", { ...app, metadata }),
    await on.inProject("POST", "/destinations", {
      name: "changes",
      type: "webhook",
      metadata: { url: `${mirror.url}/changes` },
    }),
  ];
  for (const { status, text } of made) if (status >= 300) throw new Error(text);
  const { installationId } = await connectCustomer(on, {
    provider: "hubspot",
    manifest: MANIFEST,
    integration: "hubspot",
    expiresInSeconds: 86_400,
  });
  const path = `/integrations/hubspot/installations/${installationId}`;
  const endMs = performance.now() + INSTALLED_WITHIN_MS;
  for (;;) {
    const [subscription] = (await on.inProject("GET", `${path}/subscriptions`)).body;
    if (subscription?.state === "active") break;
    if (performance.now() > endMs) throw new Error(`not active: ${JSON.stringify(subscription)}`);
    await wait(100);
  }
  const targetUrl = `${front.url}/subscribe/v1/projects/default/integrations/hubspot`;
  sandbox.hubspot.webhooks.set({ targetUrl, clientSecret: SECRET, duplicate: true, reorder: true });
  return path;
}

async function stir(account: CustomerAccount, durationMs: number): Promise<void> {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    account.stir({ backDates: false, merges: true });
    await wait(STIR_EVERY_MS);
  }
}

/** Kills a process from time to time; in between the provider refuses, the receiver is away, and pushes are refused. */
async function trouble(world: {
  options: SubscribeDrillOptions;
  sandbox: Sandbox;
  mirror: ChangeMirror;
  front: Front;
  processes: DrillProcesses;
  database: { restart(how: "kill", downMs: number): Promise<void> };
}): Promise<void> {
  const { options, sandbox, mirror, front, processes, database } = world;
  const pauseMs = (options.seconds * 1_000) / (options.kills + 2);
  await wait(pauseMs);
  for (let kill = 1; kill <= options.kills; kill += 1) {
    sandbox.addFault({ provider: "hubspot", preset: "hubspot.rate_limit", count: 1 });
    mirror.away = kill % 4 === 0;
    await processes.kill(kill % 2 === 0 ? "first" : "second");
    if (options.restartsDatabase && kill === Math.ceil(options.kills / 2))
      await database.restart("kill", 1_000);
    options.onProgress?.(`kill ${kill}: ${mirror.counts.entries} entries arrived so far`);
    await wait(pauseMs);
    mirror.away = false;
  }
  front.refuses = true;
  await wait(options.refusedSeconds * 1_000);
  front.refuses = false;
}

/** Returns how many changes were found. */
async function reconcile(
  processes: DrillProcesses,
  {
    installation,
    since,
    webhooks,
  }: { installation: string; since: Date; webhooks: Sandbox["hubspot"]["webhooks"] },
): Promise<number> {
  const on = processes.any;
  const endMs = performance.now() + EQUAL_WITHIN_MS;
  while (webhooks.open > 0 && performance.now() < endMs) await wait(100);
  const body = { since: since.toISOString() };
  const asked = await on.inProject("POST", `${installation}/subscriptions:reconcile`, body);
  if (asked.status !== 202) throw new Error(asked.text);
  for (;;) {
    const [{ reconciliation }] = (await on.inProject("GET", `${installation}/subscriptions`)).body;
    if (reconciliation?.state === "succeeded") return reconciliation.found;
    if (reconciliation?.state === "failed") throw new Error(reconciliation.error);
    if (performance.now() > endMs) throw new Error(`the reconciliation is ${reconciliation?.state}`);
    await wait(100);
  }
}

/** Returns what still differs when the time is over. Only records that the drill made are looked at. */
async function untilEqual(account: CustomerAccount, mirror: ChangeMirror): Promise<string[]> {
  const endMs = performance.now() + EQUAL_WITHIN_MS;
  for (;;) {
    const differences = account.differences(mirror.copy, { onlyOwn: true });
    if (differences.length === 0 || performance.now() > endMs) return differences;
    await wait(200);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { records: { type: "string" }, kills: { type: "string" }, seconds: { type: "string" } },
  });
  const report = await subscribeDrill({
    records: Number(values.records ?? 5_000),
    kills: Number(values.kills ?? 10),
    seconds: Number(values.seconds ?? 300),
    refusedSeconds: 60,
    restartsDatabase: true,
    onProgress: (text) => console.log(text),
  });
  const faults = faultsOf(report);
  console.log(JSON.stringify({ ...report, differences: report.differences.length }, null, 2));
  console.log(faults.length === 0 ? "PASSED" : `FAILED: ${faults.join(" | ")}`);
  process.exit(faults.length === 0 ? 0 : 1);
}

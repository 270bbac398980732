/** Opens what the benchmarks of subscribing share: PostgreSQL, the sandbox and Busbar, each in a process of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as Postgres } from "pg";
import { createLog } from "../../ground/log.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import { startChildBusbar, type ChildBusbar } from "../../tests/harness/child-busbar.ts";
import { requireMade } from "../read/read-bench.ts";
import { until } from "../write/until.ts";

const SECRET = "secret of the benchmark";
export const PUSH_PATH = "/subscribe/v1/projects/default/providers/hubspot";
/** The account of the first installation; that of the next one is the next number. */
const FIRST_PORTAL = 5_000_000;

type Provider = "hubspot" | "salesforce";
interface Tokens {
  accessToken: string;
  refreshToken: string;
}

interface Crms extends Record<Provider, Tokens> {
  url: string;
  contacts: string[];
}

export interface SubscribeBench {
  crms: Crms;
  databaseUrl: string;
  database: Postgres;
  /** The process that does everything. */
  busbar: ChildBusbar;
  end(): Promise<void>;
  readonly isRunning: boolean;
  /** Ends that process and starts a new one. */
  restart(): Promise<void>;
  /** Starts another process with other settings. */
  startBusbar(name: string, env: Record<string, string>): Promise<ChildBusbar>;
  /** Starts a script of this folder and returns the first line that it prints. */
  start(script: string, ...args: string[]): Promise<string>;
  /** Creates the destination and the provider apps. */
  prepare(sinkUrl: string): Promise<void>;
  /** Installs for so many customers, and waits until their subscriptions are active. */
  subscribe(provider: Provider, count: number): Promise<void>;
  close(): Promise<void>;
}

const OBJECTS: Record<Provider, { object: string; fields: string }> = {
  hubspot: { object: "contacts", fields: "lastname, email" },
  salesforce: { object: "Account", fields: "Name, Phone" },
};

const buildManifest = (provider: Provider): string => {
  const { object, fields } = OBJECTS[provider];
  const required = fields.split(", ").map((name) => `{fieldName: ${name}}`);
  return `
specVersion: 1.0.0
integrations:
  - name: ${provider}
    provider: ${provider}
    read: {objects: [{objectName: ${object}, destination: sink, requiredFields: [${required.join(", ")}]}]}
    subscribe:
      objects:
        - objectName: ${object}
          destination: sink
          inheritFieldsAndMapping: true
          createEvent: {enabled: always}
          updateEvent: {enabled: always, watchFieldsAuto: all}
          deleteEvent: {enabled: always}
`;
};

export async function openSubscribeBench(): Promise<SubscribeBench> {
  const home = await mkdtemp(join(tmpdir(), "busbar-bench-"));
  const postgres = await startEmbeddedPostgres({ dataDir: join(home, "database"), log: createLog("error") });
  const children: ChildProcess[] = [];
  const busbars: ChildBusbar[] = [];
  const start = async (script: string, ...args: string[]): Promise<string> => {
    const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    return new Promise((resolve) => {
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes("\n")) resolve(text.trim());
      });
    });
  };
  const { catalog, ...crms }: Crms & { catalog: object } = JSON.parse(await start("sandbox.ts"));
  await writeFile(join(home, "catalog.json"), JSON.stringify(catalog));
  const startBusbar = async (name: string, env: Record<string, string>): Promise<ChildBusbar> => {
    const child = await startChildBusbar(join(home, name), {
      DATABASE_URL: postgres.connectionString,
      BUSBAR_ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 5).toString("base64")}`,
      BUSBAR_BOOTSTRAP_API_KEY: "b".repeat(40),
      BUSBAR_CATALOG: join(home, "catalog.json"),
      BUSBAR_EGRESS_ALLOW: "127.0.0.1",
      BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0",
      BUSBAR_LOG_LEVEL: "info",
      ...env,
    });
    busbars.push(child);
    return child;
  };
  const database = new Postgres({ connectionString: postgres.connectionString });
  database.on("error", () => {});
  const busbar = await startBusbar("busbar", {});
  await database.connect();
  const bench: SubscribeBench = {
    crms,
    databaseUrl: postgres.connectionString,
    database,
    busbar,
    get isRunning() {
      return busbars.includes(bench.busbar);
    },
    async end() {
      busbars.splice(busbars.indexOf(bench.busbar), 1);
      bench.busbar.signal("SIGTERM");
      await bench.busbar.exited;
    },
    async restart() {
      await bench.end();
      bench.busbar = await startBusbar("busbar", {});
    },
    startBusbar,
    start,
    prepare: (sinkUrl) => prepare(bench, sinkUrl),
    subscribe: (provider, count) => subscribe(bench, provider, count),
    async close() {
      await database.end();
      for (const child of busbars) child.signal("SIGTERM");
      await Promise.all(busbars.map(({ exited }) => exited));
      for (const child of children) child.kill("SIGKILL");
      await postgres.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
  return bench;
}

async function prepare({ busbar }: SubscribeBench, url: string): Promise<void> {
  const sink = { name: "sink", type: "webhook", metadata: { url } };
  await requireMade(busbar.inProject("POST", "/destinations", sink));
  for (const [provider, subscribeSource] of [
    ["hubspot", "webhook"],
    ["salesforce", "pubsub"],
  ]) {
    const metadata = { providerParams: { subscribeSource } };
    const app = { provider, clientId: "bench", clientSecret: SECRET, scopes: ["api"], metadata };
    await requireMade(busbar.inProject("POST", "/provider-apps", app));
  }
}

/** Twenty installations at a time; afterwards each has an account of its own, although all have the tokens of one. */
async function subscribe(
  { busbar, crms, database }: SubscribeBench,
  provider: Provider,
  count: number,
): Promise<void> {
  await requireMade(busbar.inProject("PUT", "/integrations:batch", { sourceYaml: buildManifest(provider) }));
  const { accessToken, refreshToken } = crms[provider];
  const install = async (groupRef: string): Promise<void> => {
    await requireMade(
      busbar.inProject("POST", "/connections:generate", {
        provider,
        groupRef,
        consumerRef: groupRef,
        ...(provider === "salesforce" && { providerWorkspaceRef: "acme" }),
        oauth2AuthorizationCode: {
          accessToken: { token: accessToken },
          refreshToken: { token: refreshToken },
        },
      }),
    );
    await requireMade(
      busbar.inProject("POST", `/integrations/${provider}/installations?skipSampling=true`, {
        groupRef,
        config: { content: { provider } },
      }),
    );
  };
  for (let first = 0; first < count; first += 20) {
    const some = Array.from({ length: Math.min(20, count - first) }, (_, nth) => `customer-${first + nth}`);
    await Promise.all(some.map(install));
  }
  const state =
    "select count(*)::integer as count from subscriptions where provider = $1 and state = 'active'";
  await until(async () => (await database.query(state, [provider])).rows[0].count === count);
  if (provider === "hubspot")
    await database.query(
      `update subscriptions set account_ref = ($1::bigint + nth)::text from (
        select id as subscription_id, row_number() over () - 1 as nth from subscriptions where provider = 'hubspot'
      ) numbered where id = subscription_id`,
      [FIRST_PORTAL],
    );
}

/** A push of HubSpot with so many events, of records and accounts in turn. `nth` makes each event a new one. */
export function pushBody(
  { contacts }: Crms,
  { nth, events, accounts }: { nth: number; events: number; accounts: number },
): string {
  const first = nth * events;
  return JSON.stringify(
    Array.from({ length: events }, (_, index) => ({
      appId: 55_501,
      eventId: first + index,
      subscriptionId: 70_001,
      portalId: FIRST_PORTAL + ((first + index) % accounts),
      occurredAt: Date.now(),
      subscriptionType: "contact.propertyChange",
      attemptNumber: 0,
      objectId: Number(contacts[(first + index) % contacts.length]),
      changeSource: "CRM_UI",
      propertyName: "lastname",
      propertyValue: `Value ${first + index}`,
    })),
  );
}

/** Signs as HubSpot does, for a process that listens there. */
export function pushHeaders(origin: string, body: string): Record<string, string> {
  const time = String(Date.now());
  const signature = createHmac("sha256", SECRET)
    .update(`POST${origin}${PUSH_PATH}${body}${time}`)
    .digest("base64");
  return {
    "content-type": "application/json",
    "x-hubspot-signature-v3": signature,
    "x-hubspot-request-timestamp": time,
  };
}

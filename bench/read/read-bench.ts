/** Opens what the benchmarks of reading share: PostgreSQL, the sandbox, a receiver and Busbar, each in a process of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildCatalogOverlay } from "../../sandbox/catalog-overlay.ts";
import { createLog } from "../../ground/log.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import { startChildBusbar, type ChildBusbar } from "../../tests/harness/child-busbar.ts";
import { findChildNamed, readProcessorMs } from "../processor-time.ts";

export const FIELDS = ["LastName", "FirstName", "Email", "Phone"];

/**
 * Options of a process in a container with 1 GiB of memory, the limit in `deploy/kubernetes.yaml`, from which Node.js takes the limit of its
 * heap. The other two are those of each way to start and of the image.
 */
const IN_CONTAINER = {
  nodeFlags: ["--max-old-space-size=560", "--max-semi-space-size=16"],
  env: { MALLOC_ARENA_MAX: "2" },
};

interface Tokens {
  accessToken: string;
  refreshToken: string;
}

/** The sandbox: the address of both CRMs, and tokens of its Salesforce account and of its HubSpot account. */
export interface Account extends Tokens {
  url: string;
  hubspot: Tokens;
}

export interface ReadBench {
  busbar: ChildBusbar;
  account: Account;
  /** Address of the receiver; the destination `sink` leads to it. */
  sinkUrl: string;
  databaseUrl: string;
  /** Starts a script of this folder and returns the first line that it prints. */
  start(script: string, ...args: string[]): Promise<string>;
  deploy(sourceYaml: string): Promise<string>;
  /** Connects a new customer, installs for it and returns the installation's id. */
  install(wanted: { integration: string; groupRef: string; provider?: "hubspot" }): Promise<string>;
  /** Returns how many requests Salesforce has received so far. */
  requestCount(): Promise<number>;
  /** CPU time so far of Busbar's Node process and of PostgreSQL. */
  processorMs(): { node: number; postgres: number };
  close(): Promise<void>;
}

/** `records`: of the Salesforce account. Ten minutes of a schedule are five seconds, unless `minuteMs` is given. */
export async function openReadBench({
  records,
  minuteMs = 500,
}: {
  records: number;
  minuteMs?: number;
}): Promise<ReadBench> {
  const home = await mkdtemp(join(tmpdir(), "busbar-bench-"));
  const postgres = await startEmbeddedPostgres({ dataDir: join(home, "database"), log: createLog("error") });
  const postmaster = findChildNamed("postgres");
  const children: ChildProcess[] = [];
  const start = async (script: string, ...args: string[]): Promise<string> => {
    const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    return line.toString().trim();
  };
  const account: Account = JSON.parse(await start("sandbox.ts", String(records)));
  const sinkUrl = await start("sink.ts");
  await writeFile(join(home, "catalog.json"), JSON.stringify(buildCatalogOverlay(account.url)));
  const env = {
    ...IN_CONTAINER.env,
    DATABASE_URL: postgres.connectionString,
    BUSBAR_ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 5).toString("base64")}`,
    BUSBAR_BOOTSTRAP_API_KEY: "b".repeat(40),
    BUSBAR_CATALOG: join(home, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    BUSBAR_MINUTE_MS: String(minuteMs),
  };
  const busbar = await startChildBusbar(join(home, "busbar"), env, IN_CONTAINER);
  const destination = { name: "sink", type: "webhook", metadata: { url: `${sinkUrl}/busbar` } };
  await requireMade(busbar.inProject("POST", "/destinations", destination));
  return {
    busbar,
    account,
    sinkUrl,
    databaseUrl: postgres.connectionString,
    start,
    deploy: (sourceYaml) => requireMade(busbar.inProject("PUT", "/integrations:batch", { sourceYaml })),
    install: (wanted) => install(busbar, account, wanted),
    requestCount: () => requestCount(account),
    processorMs: () => ({ node: readProcessorMs(busbar.pid), postgres: readProcessorMs(postmaster) }),
    async close() {
      busbar.signal("SIGTERM");
      await busbar.exited;
      for (const child of children) child.kill("SIGKILL");
      await postgres.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Returns the id in the answer; throws the text of a refusal. */
export async function requireMade(
  call: Promise<{ status: number; text: string; body: { id: string } }>,
): Promise<string> {
  const { status, text, body } = await call;
  if (status >= 300) throw new Error(text);
  return body.id;
}

async function install(
  busbar: ChildBusbar,
  account: Account,
  { integration, groupRef, provider }: Parameters<ReadBench["install"]>[0],
): Promise<string> {
  const { accessToken, refreshToken } = provider ? account.hubspot : account;
  await requireMade(
    busbar.inProject("POST", "/connections:generate", {
      provider: provider ?? "salesforce",
      groupRef,
      consumerRef: groupRef,
      ...(!provider && { providerWorkspaceRef: "acme" }),
      oauth2AuthorizationCode: { accessToken: { token: accessToken }, refreshToken: { token: refreshToken } },
    }),
  );
  return requireMade(
    busbar.inProject("POST", `/integrations/${integration}/installations?skipSampling=true`, {
      groupRef,
      config: { content: { provider: provider ?? "salesforce" } },
    }),
  );
}

async function requestCount({ url }: Account): Promise<number> {
  const answer = await fetch(`${url}/sandbox/requests/counts?provider=salesforce`);
  const { counts } = (await answer.json()) as { counts: { count: number }[] };
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Reads the contacts of every customer of the integration. */
export const buildManifest = (integration: string, schedule: string, backfill: string): string => `
specVersion: 1.0.0
integrations:
  - name: ${integration}
    provider: salesforce
    read:
      objects:
        - objectName: Contact
          destination: sink
          schedule: "${schedule}"
          enabled: always
          requiredFields: [${FIELDS.map((name) => `{fieldName: ${name}}`).join(", ")}]
          backfill: {defaultPeriod: {${backfill}}}
`;

/** Installs for this many customers, 20 at a time. */
export async function installMany(bench: ReadBench, integration: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += 20) {
    const some = Array.from({ length: Math.min(20, count - first) }, (_, index) => `many-${first + index}`);
    await Promise.all(some.map((groupRef) => bench.install({ integration, groupRef })));
  }
}

export const computeQuantile = (all: number[], share: number): number =>
  all.toSorted((a, b) => a - b)[Math.floor((all.length - 1) * share)] ?? 0;

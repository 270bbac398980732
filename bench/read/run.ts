/**
 * Measures the cost of reading: a backfill against a bare loop that pages and posts the same, and incremental reads of many
 * customers that find nothing against the same calls made directly, in turns. See bench/README.md.
 *
 *     node bench/read/run.ts [--quick] [--records 1000000] [--customers 1000]
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { catalogOverlay } from "../../sandbox/catalog-overlay.ts";
import { createLog } from "../../server/ground/log.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import { startChildBusbar, type ChildBusbar } from "../../tests/harness/child-busbar.ts";
import { childNamed, processorMs } from "../processor-time.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, records: { type: "string" }, customers: { type: "string" } },
});
const quick = values.quick === true;
const RECORDS = Number(values.records ?? (quick ? 40_000 : 1_000_000));
const CUSTOMERS = Number(values.customers ?? (quick ? 100 : 1_000));
const ROUNDS = quick ? 2 : 3;
const FIELDS = ["LastName", "FirstName", "Email", "Phone"];
const ROOT = join(import.meta.dirname, "../..");
const children: ChildProcess[] = [];

interface Account {
  url: string;
  accessToken: string;
  refreshToken: string;
}

interface Figures {
  perSecond: number;
  nodeUs: number;
  postgresUs: number;
}

/** Starts a script and returns the first line that it prints. */
async function start(script: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, "bench/read", script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return line.toString().trim();
}

const received = async (sinkUrl: string): Promise<{ records: number; lastMs: number }> =>
  (await fetch(sinkUrl)).json() as Promise<{ records: number; lastMs: number }>;

async function bareLoop(account: Account, sinkUrl: string): Promise<Figures> {
  const printed = await start("bare-loop.ts", account.url, account.accessToken, sinkUrl, FIELDS.join(","));
  const { records, seconds, cpuMs }: { records: number; seconds: number; cpuMs: number } =
    JSON.parse(printed);
  return { perSecond: records / seconds, nodeUs: (cpuMs * 1_000) / records, postgresUs: 0 };
}

const manifestOf = (integration: string, schedule: string, backfill: string): string => `
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

async function made(call: Promise<{ status: number; text: string; body: { id: string } }>): Promise<string> {
  const { status, text, body } = await call;
  if (status >= 300) throw new Error(text);
  return body.id;
}

const deploy = (busbar: ChildBusbar, sourceYaml: string) =>
  made(busbar.inProject("PUT", "/integrations:batch", { sourceYaml }));

async function install(
  busbar: ChildBusbar,
  account: Account,
  integration: string,
  groupRef: string,
): Promise<string> {
  await made(
    busbar.inProject("POST", "/connections:generate", {
      provider: "salesforce",
      groupRef,
      consumerRef: groupRef,
      providerWorkspaceRef: "acme",
      oauth2AuthorizationCode: {
        accessToken: { token: account.accessToken },
        refreshToken: { token: account.refreshToken },
      },
    }),
  );
  return made(
    busbar.inProject("POST", `/integrations/${integration}/installations`, {
      groupRef,
      config: { content: { provider: "salesforce" } },
    }),
  );
}

const memoryMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;

/** Installs for a new customer and measures until all records have arrived. */
async function backfill(
  busbar: ChildBusbar,
  account: Account,
  sinkUrl: string,
  round: number,
): Promise<Figures & { memoryMib: number }> {
  await fetch(sinkUrl, { method: "DELETE" });
  const before = {
    node: processorMs(busbar.pid),
    postgres: processorMs(postmaster),
    memory: memoryMib(busbar.pid),
  };
  const startedMs = performance.timeOrigin + performance.now();
  const groupRef = `customer-${round}`;
  const id = await install(busbar, account, "backfilled", groupRef);
  let mostMemory = before.memory;
  let arrived = await received(sinkUrl);
  while (arrived.records < RECORDS) {
    await wait(100);
    mostMemory = Math.max(mostMemory, memoryMib(busbar.pid));
    arrived = await received(sinkUrl);
  }
  const figures = {
    perSecond: (RECORDS * 1_000) / (arrived.lastMs - startedMs),
    nodeUs: ((processorMs(busbar.pid) - before.node) * 1_000) / RECORDS,
    postgresUs: ((processorMs(postmaster) - before.postgres) * 1_000) / RECORDS,
    memoryMib: mostMemory - before.memory,
  };
  await busbar.inProject("DELETE", `/integrations/backfilled/installations/${id}`);
  return figures;
}

/** Lets all customers' objects become due again and again, and measures the processor time of each read that finds nothing. */
async function incremental(
  busbar: ChildBusbar,
  account: Account,
): Promise<{ reads: number; nodeUs: number; postgresUs: number; perSecond: number }> {
  await deploy(busbar, manifestOf("incremental", "*/10 * * * *", "days: 0"));
  for (let first = 0; first < CUSTOMERS; first += 20) {
    const some = Array.from(
      { length: Math.min(20, CUSTOMERS - first) },
      (_, index) => `many-${first + index}`,
    );
    await Promise.all(some.map((groupRef) => install(busbar, account, "incremental", groupRef)));
  }
  const reads = async (): Promise<number> => {
    const counts = (await (
      await fetch(`${account.url}/sandbox/requests/counts?provider=salesforce`)
    ).json()) as {
      counts: { count: number }[];
    };
    return counts.counts.reduce((sum, { count }) => sum + count, 0);
  };
  await wait(3_000);
  const before = { node: processorMs(busbar.pid), postgres: processorMs(postmaster), reads: await reads() };
  const startedMs = performance.now();
  await wait(quick ? 5_000 : 20_000);
  const count = (await reads()) - before.reads;
  return {
    reads: count,
    perSecond: (count * 1_000) / (performance.now() - startedMs),
    nodeUs: ((processorMs(busbar.pid) - before.node) * 1_000) / count,
    postgresUs: ((processorMs(postmaster) - before.postgres) * 1_000) / count,
  };
}

const told = ({ perSecond, nodeUs, postgresUs }: Figures): string =>
  `${Math.round(perSecond)}/s (${nodeUs.toFixed(1)} µs of Node${postgresUs ? `, ${postgresUs.toFixed(1)} µs of PostgreSQL` : ""})`;
const median = (all: number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

const home = await mkdtemp(join(tmpdir(), "busbar-bench-"));
const postgres = await startEmbeddedPostgres({ dataDir: join(home, "database"), log: createLog("error") });
const postmaster = childNamed("postgres");
let busbar: ChildBusbar | undefined;
try {
  const account: Account = JSON.parse(await start("sandbox.ts", String(RECORDS)));
  const sinkUrl = await start("sink.ts");
  await writeFile(join(home, "catalog.json"), JSON.stringify(catalogOverlay(account.url)));
  busbar = await startChildBusbar(join(home, "busbar"), {
    DATABASE_URL: postgres.connectionString,
    BUSBAR_ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 5).toString("base64")}`,
    BUSBAR_BOOTSTRAP_API_KEY: "b".repeat(40),
    BUSBAR_CATALOG: join(home, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    // Ten minutes of a schedule are five seconds.
    BUSBAR_MINUTE_MS: "500",
  });
  const destination = { name: "sink", type: "webhook", metadata: { url: `${sinkUrl}/busbar` } };
  await made(busbar.inProject("POST", "/destinations", destination));
  await deploy(busbar, manifestOf("backfilled", "0 0 1 1 *", "fullHistory: true"));
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const bare = await bareLoop(account, sinkUrl);
    const ours = await backfill(busbar, account, sinkUrl, round);
    ratios.push(ours.perSecond / bare.perSecond);
    console.log(
      `round ${round}: bare loop ${told(bare)}; Busbar ${told(ours)}, memory +${Math.round(ours.memoryMib)} MiB; ratio ${(ours.perSecond / bare.perSecond).toFixed(2)}`,
    );
  }
  console.log(`backfill of ${RECORDS} records, ratio, median: ${median(ratios).toFixed(2)} (target 0.6)`);
  const idle = await incremental(busbar, account);
  console.log(
    `incremental reads that find nothing, ${CUSTOMERS} customers: ${told(idle)} each, ${idle.reads} in all (target 1,000 µs)`,
  );
} finally {
  busbar?.signal("SIGTERM");
  await busbar?.exited;
  for (const child of children) child.kill("SIGKILL");
  await postgres.stop();
  await rm(home, { recursive: true, force: true });
}

/**
 * The crash drill: accepts asynchronous writes while it kills the worker process (-9) at random times. Afterwards every
 * operation must have ended, every update must have been applied in order, and no create may exist twice unless its
 * operation reports an unknown outcome.
 *
 *     node tests/drills/crash-drill.ts [--writes 2000] [--kills 10]
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { createLog } from "../../ground/log.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import type { BootstrapFile } from "../harness/child-busbar.ts";
import { openClient, type Client } from "../harness/client.ts";
import { until } from "../harness/until.ts";
import { connectCustomer, type Customer } from "../harness/connect-customer.ts";
import { endDrill } from "./run-drill.ts";

interface DrillReport {
  accepted: number;
  kills: number;
  ended: number;
  succeeded: number;
  unknownOutcomes: number;
  failedOtherwise: string[];
  createsTwice: string[];
  createsMissing: string[];
  updatesOutOfOrder: string[];
  updatesMissing: string[];
  seconds: number;
}

interface DrillOptions {
  writes: number;
  kills: number;
  /** Called with the progress about once a second. */
  onProgress?(text: string): void;
}

const COMPANIES = 40;
const END_WITHIN_MS = 300_000;

/** Runs the drill with its own PostgreSQL, sandbox and processes. */
export async function crashDrill(options: DrillOptions): Promise<DrillReport> {
  const started = performance.now();
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-drill-"));
  const postgres = await startEmbeddedPostgres({
    dataDir: join(dataDir, "database"),
    log: createLog("error"),
  });
  const sandbox = await startSandbox({ limits: "off", requestLogSize: options.writes * 20 });
  await writeFile(join(dataDir, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const house = new House(dataDir, postgres.connectionString);
  try {
    const builder = await house.open();
    const customer = await connectCustomer(
      { ...builder, sandbox },
      { provider: "hubspot", objects: ["companies"], expiresInSeconds: 86_400 },
    );
    // Calls are slow, so that each kill interrupts some.
    sandbox.addFault({
      provider: "hubspot",
      path: "/crm/v3/objects/companies",
      delayMs: 20,
      count: 1_000_000,
    });
    const killing = house.killAtRandom(options.kills, () => sandbox.requests({ provider: "hubspot" }).length);
    const expected = await acceptWrites(customer, options);
    await killing;
    const operations = await waitForAllEnded(builder, expected, options);
    const report = judge(sandbox, expected, operations);
    return { ...report, kills: options.kills, seconds: (performance.now() - started) / 1000 };
  } finally {
    await house.close();
    await sandbox.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The API process, which keeps running, and the worker process, which is killed and restarted. */
class House {
  readonly #dataDir: string;
  readonly #databaseUrl: string;
  #api: ChildProcess | undefined;
  #worker: ChildProcess | undefined;
  #closing = false;

  constructor(dataDir: string, databaseUrl: string) {
    this.#dataDir = dataDir;
    this.#databaseUrl = databaseUrl;
  }

  async open(): Promise<Client> {
    this.#api = this.#start("api");
    const file = join(this.#dataDir, "api", "bootstrap.json");
    const bootstrap: BootstrapFile = JSON.parse(
      await until(() =>
        readFile(file, "utf8").then(
          (text) => text !== "" && text,
          () => false,
        ),
      ),
    );
    this.#worker = this.#start("worker");
    return openClient({ ...bootstrap, urls: () => bootstrap.urls });
  }

  /** Kills the worker when it has begun to call the provider; resolves when its last successor has started. */
  async killAtRandom(kills: number, calls: () => number): Promise<void> {
    for (let kill = 0; kill < kills && !this.#closing; kill++) {
      const before = calls();
      for (let waitedMs = 0; calls() < before + 20 && waitedMs < 5_000; waitedMs += 5) await sleep(5);
      await sleep(Math.random() * 100);
      const worker = this.#worker;
      const gone = new Promise((resolve) => worker?.once("exit", resolve));
      worker?.kill("SIGKILL");
      await gone;
      this.#worker = this.#start("worker");
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const child of [this.#api, this.#worker]) {
      if (!child || child.exitCode !== null) continue;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    }
  }

  #start(role: "api" | "worker"): ChildProcess {
    const env = {
      ...process.env,
      DATABASE_URL: this.#databaseUrl,
      BUSBAR_DATA_DIR: join(this.#dataDir, role),
      BUSBAR_ROLES: role,
      BUSBAR_PORT: "0",
      BUSBAR_PROXY_PORT: "0",
      BUSBAR_CATALOG: join(this.#dataDir, "catalog.json"),
      BUSBAR_EGRESS_ALLOW: "127.0.0.1",
      BUSBAR_ENCRYPTION_KEYS: `drill:${Buffer.alloc(32, 1).toString("base64")}`,
      BUSBAR_LOG_LEVEL: "error",
      BUSBAR_RETRY_BASE_SECONDS: "0.1",
    };
    const command = join(import.meta.dirname, "../../server/busbar.mjs");
    return spawn(process.execPath, [command, "start"], { env, stdio: ["ignore", "inherit", "inherit"] });
  }
}

interface Expected {
  /** Name of each created record by its operation. */
  creates: Map<string, string>;
  /** Operations by record, in the order they were accepted. */
  updates: Map<string, { operationId: string; value: string }[]>;
}

/** Sends two creates per update; updates rotate through a few records, each with a number that must only increase. */
async function acceptWrites(customer: Customer, { writes, onProgress }: DrillOptions): Promise<Expected> {
  const expected: Expected = { creates: new Map(), updates: new Map() };
  for (let n = 0; n < COMPANIES; n++) {
    const { result } = await customer.succeed("companies", {
      type: "create",
      record: { name: `target ${n}` },
    });
    if (result) expected.updates.set(result.recordId, []);
  }
  const targets = [...expected.updates.keys()];
  const one = async (n: number): Promise<void> => {
    const mode = "asynchronous";
    if (n % 3 !== 0) {
      const { operationId } = await customer.succeed("companies", {
        type: "create",
        mode,
        record: { name: `drill ${n}.` },
      });
      expected.creates.set(operationId, `drill ${n}.`);
      return;
    }
    const id = targets[(n / 3) % targets.length] ?? "";
    const value = String(n);
    const { operationId } = await customer.succeed("companies", {
      type: "update",
      mode,
      record: { id, numberofemployees: value },
    });
    expected.updates.get(id)?.push({ operationId, value });
  };
  // Each round contains each record once, so that the order of acceptance is defined.
  const round = COMPANIES * 3;
  for (let n = 0; n < writes; n += round) {
    await Promise.all(Array.from({ length: Math.min(round, writes - n) }, (_, index) => one(n + index)));
    onProgress?.(`${Math.min(n + round, writes)} of ${writes} accepted`);
  }
  return expected;
}

interface Ended {
  id: string;
  status: string;
  result: string;
}

async function waitForAllEnded(
  builder: Client,
  expected: Expected,
  options: DrillOptions,
): Promise<Map<string, Ended>> {
  const open = new Set([
    ...expected.creates.keys(),
    ...[...expected.updates.values()].flat().map((u) => u.operationId),
  ]);
  const ended = new Map<string, Ended>();
  const deadline = performance.now() + END_WITHIN_MS;
  while (open.size > 0 && performance.now() < deadline) {
    for (const id of open) {
      const { status, text, body } = await builder.inProject("GET", `/operations/${id}`);
      if (status !== 200) throw new Error(`operation ${id}: ${text}`);
      const operation: Ended = body;
      if (operation.status === "in_progress") continue;
      ended.set(id, operation);
      open.delete(id);
    }
    if (open.size > 0) {
      options.onProgress?.(`${open.size} operations still under way`);
      await sleep(500);
    }
  }
  return ended;
}

function judge(
  sandbox: Sandbox,
  expected: Expected,
  operations: Map<string, Ended>,
): Omit<DrillReport, "kills" | "seconds"> {
  const companies = sandbox.records("hubspot", "companies").map((record) => JSON.stringify(record));
  const isUnknown = (operation: Ended | undefined) => operation?.result.includes("unknown") ?? false;
  const copies = (name: string) => companies.filter((company) => company.includes(`"${name}"`)).length;
  const creates = [...expected.creates];
  const updates = [...expected.updates].flatMap(([id, list]) => list.map((update) => ({ id, ...update })));
  const applied = new Map<string, number[]>();
  for (const request of sandbox.requests({ provider: "hubspot", method: "PATCH" })) {
    const id = request.path.split("/").at(-1) ?? "";
    const { properties } = JSON.parse(request.body) as { properties: { numberofemployees: string } };
    if (request.status === 200)
      applied.set(id, [...(applied.get(id) ?? []), Number(properties.numberofemployees)]);
  }
  return {
    accepted: creates.length + updates.length,
    ended: operations.size,
    succeeded: [...operations.values()].filter((operation) => operation.status === "success").length,
    unknownOutcomes: [...operations.values()].filter(isUnknown).length,
    failedOtherwise: [...operations.values()]
      .filter((o) => o.status === "failure" && !isUnknown(o))
      .map((o) => o.result),
    createsTwice: creates
      .filter(([id, name]) => copies(name) > 1 && !isUnknown(operations.get(id)))
      .map(([, n]) => n),
    createsMissing: creates
      .filter(([id, name]) => operations.get(id)?.status === "success" && copies(name) === 0)
      .map(([, name]) => name),
    // An update may be repeated, but not after a later one.
    updatesOutOfOrder: [...applied]
      .filter(([, values]) => values.some((v, i) => v < (values[i - 1] ?? v)))
      .map(([id]) => id),
    updatesMissing: updates
      .filter(({ id, value }) => !applied.get(id)?.includes(Number(value)))
      .map(({ value }) => value),
  };
}

/** Returns the violations; empty if the drill passed. */
export const listFaults = (report: DrillReport): string[] => [
  ...(report.ended === report.accepted ? [] : [`${report.accepted - report.ended} operations never ended`]),
  ...(
    ["failedOtherwise", "createsTwice", "createsMissing", "updatesOutOfOrder", "updatesMissing"] as const
  ).flatMap((name) => (report[name].length === 0 ? [] : [`${name}: ${report[name].slice(0, 5).join("; ")}`])),
];

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

if (import.meta.main) {
  const { values } = parseArgs({ options: { writes: { type: "string" }, kills: { type: "string" } } });
  const report = await crashDrill({
    writes: Number(values.writes ?? 2000),
    kills: Number(values.kills ?? 10),
    onProgress: (text) => console.log(text),
  });
  endDrill(report, listFaults(report));
}

/** Measures the cost of writes: intake, drain, auto-batching and synchronous overhead, as ratios. See bench/README.md. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, Pool } from "undici";
import { Client as Postgres } from "pg";
import { createLog } from "../../server/ground/log.ts";
import { measureCustomers, type Intake } from "./customers.ts";
import { rate } from "./rate.ts";
import { median, per, ratio, tell } from "./report.ts";
import { until, whenThere } from "./until.ts";
import { childNamed, processorMs } from "../processor-time.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";

const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 2 : 5;
const ROUND_MS = quick ? 700 : 2_000;
const CONNECTIONS = 64;
/** Number of customers: a worker runs at most sixteen calls for each at a time. */
const GROUPS = Array.from({ length: 16 }, (_, n) => `group-${n}`);
const DRAIN_WRITES = quick ? 1_000 : 10_000;
const SYNC_WRITES = quick ? 200 : 1_000;

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hub
    provider: hubspot
    write:
      objects:
        - objectName: companies
`;
const ROOT = join(import.meta.dirname, "../..");
const children: ChildProcess[] = [];

interface Bench {
  dataDir: string;
  databaseUrl: string;
  sandboxUrl: string;
  token: string;
  origin: string;
  apiKey: string;
  projectId: string;
  installationId: string;
  apiPid: number | undefined;
  postgresPid: number | undefined;
  sandboxPid: number | undefined;
}

function start(script: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout ?? child, "data")) as [Buffer];
  child.stdout?.resume();
  return chunk.toString().split("\n")[0] ?? "";
}

async function open(): Promise<Bench & { close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-bench-"));
  const postgres = await startEmbeddedPostgres({
    dataDir: join(dataDir, "database"),
    log: createLog("error"),
  });
  const sandbox = start("bench/write/sandbox.ts", []);
  const { url, token } = JSON.parse(await firstLine(sandbox)) as { url: string; token: string };
  const catalog = await (await fetch(`${url}/sandbox/catalog`)).text();
  await writeFile(join(dataDir, "catalog.json"), catalog);
  const environment = busbarEnvironment(dataDir, postgres.connectionString, "api");
  const api = start("server/busbar.mjs", ["start"], environment);
  api.stdout?.resume();
  const { apiKey, projectId, urls } = JSON.parse(await whenThere(join(dataDir, "api", "bootstrap.json")));
  const origin = new URL(urls.base).origin;
  const installationId = await install(origin, apiKey, token);
  return {
    dataDir,
    databaseUrl: postgres.connectionString,
    sandboxUrl: url,
    token,
    origin,
    apiKey,
    projectId,
    installationId,
    apiPid: api.pid,
    postgresPid: childNamed("postgres"),
    sandboxPid: sandbox.pid,
    async close() {
      for (const child of children) child.kill("SIGKILL");
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const busbarEnvironment = (dataDir: string, databaseUrl: string, role: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  BUSBAR_DATA_DIR: join(dataDir, role),
  BUSBAR_ROLES: role,
  BUSBAR_PORT: "0",
  BUSBAR_PROXY_PORT: "0",
  BUSBAR_CATALOG: join(dataDir, "catalog.json"),
  BUSBAR_EGRESS_ALLOW: "127.0.0.1",
  BUSBAR_ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 1).toString("base64")}`,
  BUSBAR_LOG_LEVEL: "warn",
});

async function install(origin: string, apiKey: string, token: string): Promise<string> {
  const call = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const response = await fetch(`${origin}/v1/projects/default${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { id: string };
  };
  await call("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
  const oauth2AuthorizationCode = { accessToken: { token } };
  const config = { content: { provider: "hubspot" } };
  let installationId = "";
  for (const groupRef of GROUPS) {
    const customer = { groupRef, consumerRef: groupRef, provider: "hubspot", oauth2AuthorizationCode };
    await call("POST", "/connections:generate", customer);
    ({ id: installationId } = await call("POST", "/integrations/hub/installations", { groupRef, config }));
  }
  return installationId;
}

const WRITE_PATH = "/write/v1/projects/default/integrations/hub/objects/companies";

async function intake(bench: Bench): Promise<void> {
  const one = start("bench/write/one-commit-server.ts", [
    bench.databaseUrl,
    bench.projectId,
    bench.installationId,
  ]);
  const oneOrigin = new URL(await firstLine(one)).origin;
  const headers = { "content-type": "application/json", "x-api-key": bench.apiKey };
  const body = JSON.stringify({
    groupRef: GROUPS[0],
    type: "create",
    mode: "asynchronous",
    record: { name: "Intake", city: "Berlin" },
  });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const load = { headers, bodyOf: () => body, connections: CONNECTIONS, forMs: ROUND_MS };
    const a = await rate({ ...load, origin: bench.origin, path: WRITE_PATH });
    const b = await rate({ ...load, origin: oneOrigin, path: "/" });
    if (round === 0) continue; // warm-up
    ours.push(a);
    theirs.push(b);
  }
  one.kill("SIGKILL");
  tell(
    "intake, 64 connections",
    `${per(median(ours))} accepted; one commit per request ${per(median(theirs))}`,
    ratio(ours, theirs),
    "4",
  );
}

/** Measures intake of many customers, in turns with few; see `customers.ts`. */
async function customers(bench: Bench): Promise<void> {
  const { databaseUrl, origin, apiKey, installationId, apiPid } = bench;
  const [most, renewed] = quick ? [1_000, 200] : [10_000, 2_000];
  const { quiet, ...others } = await measureCustomers({
    databaseUrl,
    origin,
    path: WRITE_PATH,
    apiKey,
    installationId,
    pid: apiPid,
    connections: CONNECTIONS,
    // Short rounds, so that what else happens on the machine strikes all alike.
    roundMs: quick ? ROUND_MS : 800,
    rounds: quick ? ROUNDS : 14,
    most,
    renewed,
  });
  const nodeUs = (intakes: Intake[]) => Math.round(median(intakes.map((one) => one.nodeUs)));
  const rates = (intakes: Intake[]) => intakes.map((one) => one.rate);
  const what = { renewed: `${renewed} customers, 50 tokens renewed a second`, many: `${most} customers` };
  for (const name of ["renewed", "many"] as const) {
    tell(
      `intake of ${what[name]}`,
      `${per(median(rates(others[name])))} accepted, ${nodeUs(others[name])} µs of Node each; ` +
        `16 quiet customers ${per(median(rates(quiet)))}, ${nodeUs(quiet)} µs`,
      ratio(rates(others[name]), rates(quiet)),
      "0.9",
    );
  }
}

/** Measures updates of one record, which are executed one after the other. */
async function sameRecord(bench: Bench): Promise<void> {
  const count = quick ? 150 : 1_500;
  const headers = { "content-type": "application/json", "x-api-key": bench.apiKey };
  const path = "/hubspot/crm/v3/objects/companies";
  const created = await fetch(`${bench.sandboxUrl}${path}`, {
    method: "POST",
    headers: bearer(bench),
    body: JSON.stringify({ properties: { name: "One" } }),
  });
  const { id } = (await created.json()) as { id: string };
  const database = new Postgres({ connectionString: bench.databaseUrl });
  database.on("error", () => {});
  await database.connect();
  await database.query("delete from writes");
  const record = (n: number) => ({ id, name: `One ${n}` });
  const bodyOf = (n: number) => ({
    groupRef: GROUPS[0],
    type: "update",
    mode: "asynchronous",
    record: record(n),
  });
  await fill(bench.origin, headers, bodyOf, count);
  const environment = busbarEnvironment(bench.dataDir, bench.databaseUrl, "worker");
  const worker = start("server/busbar.mjs", ["start"], environment);
  worker.stdout?.resume();
  const left = async () => Number((await database.query("select count(*) from writes")).rows[0].count);
  await until(async () => (await left()) < count);
  const [from, waiting] = [performance.now(), await left()];
  await until(async () => (await left()) === 0);
  const perSecond = (waiting * 1_000) / (performance.now() - from);
  tell(`${count} updates of one record`, `${per(perSecond)}, one after the other`, perSecond, "100", "/s");
  worker.kill("SIGKILL");
  await database.end();
}

/** Measures how fast accepted writes are executed, in turns with the sandbox called directly; warm after one round. */
async function drain(bench: Bench): Promise<void> {
  const database = new Postgres({ connectionString: bench.databaseUrl });
  // If the bench fails, the database stops before this connection is closed.
  database.on("error", () => {});
  await database.connect();
  await database.query("delete from writes");
  const headers = { "content-type": "application/json", "x-api-key": bench.apiKey };
  const body = { type: "create", mode: "asynchronous", record: { name: "Drain" } };
  const environment = busbarEnvironment(bench.dataDir, bench.databaseUrl, "worker");
  const worker = start("server/busbar.mjs", ["start"], environment);
  worker.stdout?.resume();
  const bodyOf = (n: number) => ({ ...body, groupRef: GROUPS[n % GROUPS.length] });
  await fill(bench.origin, headers, bodyOf, 1);
  await until(() => isDrained(database));
  const ours: number[] = [];
  const direct: number[] = [];
  const spent = { worker: [] as number[], postgres: [] as number[], sandbox: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    worker.kill("SIGSTOP");
    await fill(bench.origin, headers, bodyOf, DRAIN_WRITES);
    const pids = { worker: worker.pid, postgres: bench.postgresPid, sandbox: bench.sandboxPid };
    const before = Object.values(pids).map((pid) => processorMs(pid));
    const fromMs = Date.now();
    worker.kill("SIGCONT");
    await until(() => isDrained(database));
    const after = Object.values(pids).map((pid) => processorMs(pid));
    const rateOfOurs = (DRAIN_WRITES * 1_000) / ((await lastEndMs(database)) - fromMs);
    const rateOfDirect = await rate({
      origin: bench.sandboxUrl,
      path: "/hubspot/crm/v3/objects/companies",
      headers: bearer(bench),
      bodyOf: () => JSON.stringify({ properties: { name: "Direct" } }),
      connections: CONNECTIONS,
      forMs: ROUND_MS,
    });
    if (round === 0) continue; // warm-up
    ours.push(rateOfOurs);
    direct.push(rateOfDirect);
    Object.values(spent).forEach((list, index) =>
      list.push((((after[index] ?? 0) - (before[index] ?? 0)) * 1_000) / DRAIN_WRITES),
    );
  }
  const us = (list: number[]) => `${Math.round(median(list))} µs`;
  tell(
    "drain, one record each",
    `${per(median(ours))} finished (processor time of each: worker ${us(spent.worker)}, PostgreSQL ${us(spent.postgres)}, ` +
      `sandbox ${us(spent.sandbox)}); sandbox driven directly ${per(median(direct))}`,
    ratio(ours, direct),
    "0.5",
  );

  await fetch(`${bench.sandboxUrl}/sandbox/requests`, { method: "DELETE" });
  const grouped = { ...body, groupRef: GROUPS[0], autoBatchPolicy: { maxDelayMinutes: 1440 } };
  await fill(bench.origin, headers, () => grouped, 2_000);
  await until(() => isDrained(database));
  const log = (await (await fetch(`${bench.sandboxUrl}/sandbox/requests`)).json()) as {
    requests?: { path: string }[];
  } & { path: string }[];
  const calls = (log.requests ?? log).filter(({ path }) => path.includes("/batch/create")).length;
  tell("auto-batched writes", `2,000 records in ${calls} provider calls`, 2_000 / calls, "100");
  worker.kill("SIGKILL");
  await database.end();
}

/** Returns whether no write is left, without counting, which would load the database. */
const isDrained = async (database: Postgres): Promise<boolean> =>
  (await database.query("select from writes limit 1")).rowCount === 0;

/** Returns the end time of the last operation. */
const lastEndMs = async (database: Postgres): Promise<number> =>
  (await database.query("select max(update_time) as time from operations")).rows[0].time.getTime();

async function fill(
  origin: string,
  headers: Record<string, string>,
  bodyOf: (n: number) => object,
  count: number,
): Promise<void> {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const body = JSON.stringify(bodyOf(next++));
      await (await pool.request({ method: "POST", path: WRITE_PATH, headers, body })).body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  await pool.close();
}

const bearer = ({ token }: Bench) => ({
  "content-type": "application/json",
  authorization: `Bearer ${token}`,
});

/** Measures the milliseconds that Busbar adds at the median; the two callers take turns. */
async function overhead(bench: Bench): Promise<void> {
  const ours = new Client(bench.origin);
  const direct = new Client(bench.sandboxUrl);
  const headers = { "content-type": "application/json", "x-api-key": bench.apiKey };
  const body = JSON.stringify({ groupRef: GROUPS[0], type: "create", record: { name: "Sync" } });
  const properties = JSON.stringify({ properties: { name: "Sync" } });
  const times: { ours: number[]; direct: number[] } = { ours: [], direct: [] };
  for (let n = 0; n < SYNC_WRITES + 50; n++) {
    const a = await timed(() => ours.request({ method: "POST", path: WRITE_PATH, headers, body }));
    const path = "/hubspot/crm/v3/objects/companies";
    const b = await timed(() =>
      direct.request({ method: "POST", path, headers: bearer(bench), body: properties }),
    );
    if (n < 50) continue; // warm-up
    times.ours.push(a);
    times.direct.push(b);
  }
  const added = median(times.ours) - median(times.direct);
  tell(
    "synchronous overhead, p50",
    `${median(times.ours).toFixed(2)} ms against ${median(times.direct).toFixed(2)} ms directly`,
    added,
    "< 5 ms",
    " ms",
  );
  await Promise.all([ours.close(), direct.close()]);
}

async function timed(
  call: () => Promise<{ statusCode: number; body: { text(): Promise<string> } }>,
): Promise<number> {
  const started = performance.now();
  const { statusCode, body } = await call();
  const text = await body.text();
  if (statusCode >= 300) throw new Error(text);
  return performance.now() - started;
}

/** Returns whether a part runs: all, or only the one of `--only=drain`. */
const asked = (part: string): boolean =>
  process.argv.every((word) => !word.startsWith("--only=") || word === `--only=${part}`);

const bench = await open();
try {
  if (asked("overhead")) await overhead(bench);
  if (asked("intake")) await intake(bench);
  if (asked("customers")) await customers(bench);
  if (asked("record")) await sameRecord(bench);
  if (asked("drain")) await drain(bench);
} finally {
  await bench.close();
}

/** Opens what the benchmarks of writing share: PostgreSQL, the sandbox CRM and a Busbar that only accepts, each in a process of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { createLog } from "../../ground/log.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import { findChildNamed } from "../processor-time.ts";
import { waitUntilThere } from "./until.ts";

export const quick = process.argv.includes("--quick");
export const ROUNDS = quick ? 2 : 5;
export const ROUND_MS = quick ? 700 : 2_000;
export const CONNECTIONS = 64;
/** Number of customers: a worker runs at most sixteen calls for each at a time. */
export const GROUPS = Array.from({ length: 16 }, (_, n) => `group-${n}`);
export const WRITE_PATH = "/write/v1/projects/default/integrations/hub/objects/companies";

export const CRM_PATH = "/hubspot/crm/v3/objects/companies";

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

export interface Bench {
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

export function start(script: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

export async function readFirstLine(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout ?? child, "data")) as [Buffer];
  child.stdout?.resume();
  return chunk.toString().split("\n")[0] ?? "";
}

export async function openBench(): Promise<Bench & { close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-bench-"));
  const postgres = await startEmbeddedPostgres({
    dataDir: join(dataDir, "database"),
    log: createLog("error"),
  });
  const sandbox = start("bench/write/sandbox.ts", []);
  const { url, token } = JSON.parse(await readFirstLine(sandbox)) as { url: string; token: string };
  const catalog = await (await fetch(`${url}/sandbox/catalog`)).text();
  await writeFile(join(dataDir, "catalog.json"), catalog);
  const environment = buildBusbarEnvironment(dataDir, postgres.connectionString, "api");
  const api = start("server/busbar.mjs", ["start"], environment);
  api.stdout?.resume();
  const { apiKey, projectId, urls } = JSON.parse(
    await waitUntilThere(join(dataDir, "api", "bootstrap.json")),
  );
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
    postgresPid: findChildNamed("postgres"),
    sandboxPid: sandbox.pid,
    async close() {
      for (const child of children) child.kill("SIGKILL");
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export const buildBusbarEnvironment = (
  dataDir: string,
  databaseUrl: string,
  role: string,
): Record<string, string> => ({
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

export async function fill(
  origin: string,
  headers: Record<string, string>,
  buildBody: (n: number) => object,
  count: number,
): Promise<void> {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const body = JSON.stringify(buildBody(next++));
      await (await pool.request({ method: "POST", path: WRITE_PATH, headers, body })).body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  await pool.close();
}

export const toBearer = ({ token }: Bench) => ({
  "content-type": "application/json",
  authorization: `Bearer ${token}`,
});

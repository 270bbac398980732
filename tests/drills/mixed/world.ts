/** The environment of the mixed drill: a PostgreSQL, two providers, a webhook receiver, and Busbar with two processes. */
import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startSandbox, type Sandbox } from "../../../sandbox/sandbox.ts";
import { openSink, type Sink } from "../../harness/deliveries/sink.ts";
import { createLog } from "../../../ground/log.ts";
import { startEmbeddedPostgres } from "../../../server/postgres/start-embedded-postgres.ts";
import { startProvider, type Provider } from "./provider.ts";

export interface World {
  apiUrl: string;
  proxyUrl: string;
  apiKey: string;
  projectId: string;
  /** The installation whose calls are proxied to `provider`. */
  installationId: string;
  databaseUrl: string;
  sandbox(): Sandbox;
  provider: Provider;
  sink: Sink;
  /** The outages; each resolves when it is over. */
  restartProviders(awayMs: number): Promise<void>;
  restartDatabase(awayMs: number): Promise<void>;
  /** Kills the younger of the two processes, and waits until there are two again. */
  killProcess(): Promise<void>;
  /** The parent and its two processes, oldest first. */
  pids(): number[];
  close(): Promise<void>;
}

const PROCESSES = 2;
const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: acme-sync
    provider: acme
    proxy: {enabled: true}
  - name: hub
    provider: hubspot
    write:
      objects:
        - objectName: companies
`;

export async function openWorld(): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-mixed-"));
  const log = createLog("error");
  let postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, "database"), log });
  const databaseUrl = postgres.connectionString;
  const provider = await startProvider();
  const sink = await openSink();
  let sandbox = await startSandbox({ limits: "off" });
  const port = Number(new URL(sandbox.url).port);
  const { providers } = sandbox.catalog();
  const catalog = { providers: { ...providers, acme: buildAcme(provider.url) } };
  await writeFile(join(dataDir, "catalog.json"), JSON.stringify(catalog));
  const parent = startBusbar(dataDir, databaseUrl);
  const children = () => listChildren(parent.pid ?? 0);
  const close = async (): Promise<void> => {
    await waitUntilEnded(parent);
    await Promise.all([sandbox.close(), sink.close(), provider.down()]);
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const file = JSON.parse(await waitUntilThere(join(dataDir, "bootstrap.json"), parent));
    const { apiKey, projectId, urls } = file as { apiKey: string; projectId: string; urls: Urls };
    const apiUrl = new URL(urls.base).origin;
    await until(() => children().length === PROCESSES);
    const installationId = await furnish(apiUrl, apiKey, { sandbox, sink });
    return {
      apiUrl,
      proxyUrl: urls.proxy,
      apiKey,
      projectId,
      installationId,
      databaseUrl,
      sandbox: () => sandbox,
      provider,
      sink,
      async restartProviders(awayMs) {
        await Promise.all([provider.down(), sandbox.close()]);
        await wait(awayMs);
        await provider.up();
        sandbox = await startSandbox({ limits: "off", port });
      },
      async restartDatabase(awayMs) {
        await postgres.stop();
        await wait(awayMs);
        postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, "database"), log });
      },
      async killProcess() {
        const victim = children().at(-1) ?? 0;
        process.kill(victim, "SIGKILL");
        await until(() => children().length === PROCESSES && !children().includes(victim));
      },
      pids: () => [parent.pid ?? 0, ...children()],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Urls {
  base: string;
  proxy: string;
}

const buildAcme = (baseURL: string): object => ({
  displayName: "Acme",
  authType: "apiKey",
  apiKeyOpts: { attachmentType: "header", header: { name: "X-Acme-Key" } },
  baseURL,
  support: { proxy: true },
});

function startBusbar(dataDir: string, databaseUrl: string): ChildProcess {
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    BUSBAR_DATA_DIR: dataDir,
    BUSBAR_PORT: "0",
    BUSBAR_PROXY_PORT: "0",
    BUSBAR_CATALOG: join(dataDir, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1",
    BUSBAR_ENCRYPTION_KEYS: `drill:${Buffer.alloc(32, 1).toString("base64")}`,
    BUSBAR_LOG_LEVEL: "fatal",
    BUSBAR_WEBHOOK_RETRY_SECONDS: "1,2,5,5,10,10",
  };
  const command = join(import.meta.dirname, "../../../server/busbar.mjs");
  return spawn(process.execPath, [command, "start", "--processes", String(PROCESSES)], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** Creates a customer with both installations, and a webhook for asynchronous writes. Returns the installation of acme. */
async function furnish(
  apiUrl: string,
  apiKey: string,
  { sandbox, sink }: { sandbox: Sandbox; sink: Sink },
): Promise<string> {
  const call = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const url = `${apiUrl}/v1/projects/default${path}`;
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as { id: string };
  };
  await call("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
  const customer = { groupRef: "drill", consumerRef: "drill" };
  await call("POST", "/connections:generate", { ...customer, provider: "acme", apiKey: "acme-key" });
  const oauth2AuthorizationCode = { accessToken: { token: sandbox.hubspot.staticToken } };
  await call("POST", "/connections:generate", { ...customer, provider: "hubspot", oauth2AuthorizationCode });
  const install = (integration: string, provider: string) =>
    call("POST", `/integrations/${integration}/installations`, {
      groupRef: "drill",
      config: { content: { provider, ...(provider === "acme" && { proxy: { enabled: true } }) } },
    });
  await install("hub", "hubspot");
  const topic = await call("POST", "/topics", { name: "drill" });
  const metadata = { url: `${sink.url}/drill` };
  const destination = await call("POST", "/destinations", { name: "drill", type: "webhook", metadata });
  const route = { eventType: "write.async.done", topicId: topic.id };
  await call("POST", "/notification-event-topic-routes", route);
  await call("POST", "/topic-destination-routes", { topicId: topic.id, destinationId: destination.id });
  return (await install("acme-sync", "acme")).id;
}

const listChildren = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);

/** Resident memory in MiB. */
export const readMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

/** Returns the number of sockets of a process, listening ones included. */
export function countSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const names = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return "";
    }
  });
  return names.filter((name) => name.startsWith("socket:")).length;
}

/** Returns an empty text if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

async function waitUntilEnded(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

async function waitUntilThere(path: string, by: ChildProcess): Promise<string> {
  for (let tries = 0; tries < 600 && by.exitCode === null; tries++) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text) return text;
    await wait(50);
  }
  throw new Error(`${path} did not appear`);
}

export async function until(holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) return false;
    await wait(50);
  }
  return true;
}

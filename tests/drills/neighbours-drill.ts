/**
 * The drill of neighbours: one project has 200 customers whose provider takes seconds for each write, 200 receivers that take
 * seconds for each webhook and a token endpoint that takes seconds for each refresh. Meanwhile another project writes,
 * receives webhooks and refreshes tokens. Its median latency may at most double.
 *
 *     node tests/drills/neighbours-drill.ts [--slow 200] [--seconds 30]
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildCatalogOverlay } from "../../sandbox/catalog-overlay.ts";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import { openClient, type Client } from "../harness/client.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";
import { measureLatency, type Latency } from "./measure-latency.ts";
import { startRotatingEndpoint, type RotatingEndpoint } from "./refresh/rotating-endpoint.ts";
import { endDrill } from "./run-drill.ts";

interface NeighboursOptions {
  /** Slow customers, receivers and connections of the other project. */
  slow: number;
  /** How long each of the two measurements takes. */
  seconds: number;
  slowMs?: number;
}

const CALLS = ["writtenAndReported", "refreshed"] as const;
type Kind = (typeof CALLS)[number];

interface NeighboursReport {
  usual: Record<Kind, Latency>;
  besides: Record<Kind, Latency>;
  /** What the other project got done meanwhile. */
  other: { written: number; webhooks: number; refreshed: number };
}

const SLOW_MS = 3_000;
const PAUSE_MS = 50;
const PATIENCE_MS = 300_000;
/** Each slow customer always has this many writes waiting. */
const WAITING_WRITES = 5;

export async function runNeighboursDrill(options: NeighboursOptions): Promise<NeighboursReport> {
  const { slow, seconds, slowMs = SLOW_MS } = options;
  const home = await mkdtemp(join(tmpdir(), "drill-neighbours-"));
  const [quick, slowProvider] = [
    await startSandbox({ limits: "off" }),
    await startSandbox({ limits: "off" }),
  ];
  const [quickTokens, slowTokens] = [await startRotatingEndpoint(5), await startRotatingEndpoint(slowMs)];
  const receivers = await startReceivers(slowMs);
  await writeFile(join(home, "catalog.json"), readCatalog({ quick, slowProvider, quickTokens, slowTokens }));
  const busbar = await startChildBusbar(join(home, "data"), {
    BUSBAR_CATALOG: join(home, "catalog.json"),
    BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
    BUSBAR_BOOTSTRAP_API_KEY: "neighbours-drill-key-0123456789-0123456789",
  });
  try {
    const own = await openOwnProject(busbar, { sandbox: quick, tokens: quickTokens, receivers });
    const usual = await measureLatency(own, { seconds, pauseMs: PAUSE_MS });
    const other = await openSlowProject(busbar, {
      sandbox: slowProvider,
      tokens: slowTokens,
      receivers,
      slow,
    });
    slowProvider.addFault({ provider: "salesforce", path: "/sobjects/", delayMs: slowMs, count: 1_000_000 });
    const before = slowTokens.counts.refreshed;
    const stop = keepBusy(other);
    const countOther = () => ({
      written: slowProvider.records("salesforce", "Contact").length,
      webhooks: receivers.counts.slow,
      refreshed: slowTokens.counts.refreshed - before,
    });
    // Until every slow customer, receiver and connection is busy.
    await wait(2 * slowMs);
    // On a busy machine it takes longer until the first of them is.
    await until(() => Object.values(countOther()).every((count) => count > 0));
    const besides = await measureLatency(own, { seconds, pauseMs: PAUSE_MS });
    stop();
    return { usual, besides, other: countOther() };
  } finally {
    busbar.signal("SIGTERM");
    receivers.close();
    await busbar.exited;
    await Promise.all([quick.close(), slowProvider.close()]);
    quickTokens.close();
    slowTokens.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Differences below this are noise of the machine. */
const FLOOR_MS = 20;

/** Returns the violations that any machine can show. */
export function listFailures({ usual, besides, other }: NeighboursReport): string[] {
  const idle = Object.entries(other).filter(([, count]) => count === 0);
  const failed = CALLS.filter((kind) => usual[kind].failed + besides[kind].failed > 0);
  return [
    ...failed.map((kind) => `${kind}: calls failed`),
    ...idle.map(([name]) => `the other project did nothing (${name}), so nothing was tried`),
  ];
}

/** Returns all violations; empty if the drill passed. */
function listFaults(report: NeighboursReport): string[] {
  const { usual, besides } = report;
  const slow = CALLS.filter((kind) => besides[kind].p50Ms > 2 * usual[kind].p50Ms + FLOOR_MS);
  return [
    ...listFailures(report),
    ...slow.map((kind) => `${kind}: ${besides[kind].p50Ms} ms instead of ${usual[kind].p50Ms} ms`),
  ];
}

function readCatalog(world: {
  quick: Sandbox;
  slowProvider: Sandbox;
  quickTokens: RotatingEndpoint;
  slowTokens: RotatingEndpoint;
}): string {
  const { hubspot } = buildCatalogOverlay(world.quick.url).providers;
  const { salesforce } = buildCatalogOverlay(world.slowProvider.url).providers;
  const tokens = { quickTokens: world.quickTokens.catalogEntry, slowTokens: world.slowTokens.catalogEntry };
  return JSON.stringify({ providers: { hubspot, salesforce, ...tokens } });
}

interface Receivers {
  url: string;
  counts: { slow: number };
  /** Resolves when the webhook of this operation has arrived. */
  reported(operationId: string): Promise<void>;
  close(): void;
}

/** Receives webhooks: at `/quick` at once, elsewhere slowly. */
async function startReceivers(slowMs: number): Promise<Receivers> {
  const waiting = new Map<string, () => void>();
  const early = new Set<string>();
  const counts = { slow: 0 };
  const server = createServer((request, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url !== "/quick") {
        counts.slow += 1;
        setTimeout(() => response.writeHead(200).end(), slowMs);
        return;
      }
      response.writeHead(200).end();
      const { operationId }: { operationId: string } = JSON.parse(
        Buffer.concat(chunks).toString("utf8"),
      ).data;
      const resolve = waiting.get(operationId);
      if (resolve) resolve();
      else early.add(operationId);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    counts,
    reported: (operationId) =>
      new Promise((resolve, reject) => {
        if (early.delete(operationId)) return resolve();
        waiting.set(operationId, resolve);
        setTimeout(() => reject(new Error(`no webhook within ${PATIENCE_MS} ms`)), PATIENCE_MS).unref();
      }),
    close: () => void server.close().closeAllConnections(),
  };
}

async function createProject(call: ReturnType<Client["call"]>): Promise<{ id: string; key: string }> {
  const { status, body, text } = await call;
  if (status >= 300) throw new Error(text);
  return body;
}

interface World {
  sandbox: Sandbox;
  tokens: RotatingEndpoint;
  receivers: Receivers;
}

/** Measured calls of a project, one of each kind. */
type Calls = Record<Kind, () => Promise<unknown>>;

async function openOwnProject(busbar: ChildBusbar, { sandbox, tokens, receivers }: World): Promise<Calls> {
  const customer = await connectCustomer(
    { ...busbar, sandbox },
    { provider: "hubspot", objects: ["contacts"] },
  );
  await route(busbar, `${receivers.url}/quick`, 1, "write.async.done");
  const [connectionId = ""] = await connectTokens(busbar, "quickTokens", tokens, 1);
  let written = 0;
  return {
    async writtenAndReported() {
      const record = { email: `neighbour-${(written += 1)}@example.com` };
      const { operationId } = await customer.succeed("contacts", {
        type: "create",
        mode: "asynchronous",
        record,
      });
      await receivers.reported(operationId);
    },
    refreshed: () => createProject(busbar.inProject("GET", `/connections/${connectionId}?refresh=force`)),
  };
}

interface SlowProject {
  client: Client;
  customers: string[];
  connections: string[];
  /** Makes an event that all receivers get. */
  connectAnother(groupRef: string): Promise<unknown>;
}

async function openSlowProject(
  busbar: ChildBusbar,
  { sandbox, tokens, receivers, slow }: World & { slow: number },
): Promise<SlowProject> {
  const { orgId, urls } = busbar.file;
  const project = await createProject(
    busbar.call("POST", "/v1/projects", { orgId, name: "slow", appName: "Slow" }),
  );
  const { key } = await createProject(
    busbar.call("POST", `/v1/projects/${project.id}/api-keys`, { label: "drill", scopes: ["full"] }),
  );
  const open = openClient({ apiKey: key, projectId: project.id, urls: () => urls });
  // The client's shortcuts name the default project.
  const client: Client = {
    ...open,
    inProject: (method, path, body, headers) => open.call(method, `/v1/projects/slow${path}`, body, headers),
    write: (integration, object, body, headers) =>
      open.call(
        "POST",
        `/write/v1/projects/slow/integrations/${integration}/objects/${object}`,
        body,
        headers,
      ),
  };
  const customers = Array.from({ length: slow }, (_, index) => `slow-${index}`);
  for (const groupRef of customers) {
    await connectCustomer({ ...client, sandbox }, { provider: "salesforce", groupRef, objects: ["Contact"] });
  }
  const connections = await connectTokens(client, "slowTokens", tokens, slow);
  await route(client, receivers.url, slow, "connection.created");
  const connectAnother = (groupRef: string) => connectOne(client, "slowTokens", tokens, groupRef);
  return { client, customers, connections, connectAnother };
}

/** Routes events of a type to so many receivers. */
async function route(client: Client, url: string, receivers: number, eventType: string): Promise<void> {
  const topic = await createProject(client.inProject("POST", "/topics", { name: "told" }));
  const event = { eventType, topicId: topic.id };
  await createProject(client.inProject("POST", "/notification-event-topic-routes", event));
  for (let index = 0; index < receivers; index += 1) {
    const metadata = { url: receivers === 1 ? url : `${url}/slow-${index}` };
    const { id } = await createProject(
      client.inProject("POST", "/destinations", { name: `receiver-${index}`, type: "webhook", metadata }),
    );
    await createProject(
      client.inProject("POST", "/topic-destination-routes", { topicId: topic.id, destinationId: id }),
    );
  }
}

async function connectTokens(
  client: Client,
  provider: string,
  tokens: RotatingEndpoint,
  count: number,
): Promise<string[]> {
  await createProject(
    client.inProject("POST", "/provider-apps", { provider, clientId: "drill", clientSecret: "secret" }),
  );
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await connectOne(client, provider, tokens, `tokens-${index}`)).id);
  }
  return ids;
}

const connectOne = (
  client: Client,
  provider: string,
  tokens: RotatingEndpoint,
  groupRef: string,
): Promise<{ id: string }> =>
  createProject(
    client.inProject("POST", "/connections:generate", {
      provider,
      groupRef,
      consumerRef: "drill",
      oauth2AuthorizationCode: {
        accessToken: { token: "old", expiresAt: "2020-01-01T00:00:00Z" },
        refreshToken: { token: tokens.grant(`${provider}-${groupRef}`) },
      },
    }),
  );

/** Keeps every customer, receiver and connection of the slow project busy until the returned function is called. */
function keepBusy({ client, customers, connections, connectAnother }: SlowProject): () => void {
  const stopping = new AbortController();
  const repeat = async (work: () => Promise<unknown>): Promise<void> => {
    while (!stopping.signal.aborted) await work().catch(() => wait(100));
  };
  let serial = 0;
  for (const groupRef of customers) {
    void repeat(async () => {
      for (let waiting = 0; waiting < WAITING_WRITES; waiting += 1) {
        const record = { LastName: `Slow ${(serial += 1)}` };
        await client.write("salesforce", "Contact", {
          groupRef,
          type: "create",
          mode: "asynchronous",
          record,
        });
      }
      await wait(WAITING_WRITES * SLOW_MS);
    });
  }
  // One event a second is a message a second for each receiver, which takes three for it.
  let connected = 0;
  void repeat(async () => {
    await connectAnother(`another-${(connected += 1)}`);
    await wait(1_000);
  });
  for (const id of connections) {
    void repeat(() => client.inProject("GET", `/connections/${id}?refresh=force`));
  }
  return () => stopping.abort();
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { slow: { type: "string" }, seconds: { type: "string" } } });
  const report = await runNeighboursDrill({
    slow: Number(values.slow ?? 200),
    seconds: Number(values.seconds ?? 30),
  });
  endDrill(report, listFaults(report));
}

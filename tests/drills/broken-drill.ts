/**
 * The drill "everything broken once": a wrong key, a revoked grant, a required field that is gone, a receiver that is dead, a
 * destination that is disabled or gone, a provider that is down or breaks every create, a full disk. Each happens to a customer of its own while accounts
 * change, the disk to a Busbar of its own; 10 and 60 seconds later it prints what every surface says. None may be green.
 *
 *     node tests/drills/broken-drill.ts [--seconds 10,60]
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { openTestBusbar, type Answer, type TestBusbar } from "../harness/busbar.ts";
import { runCli } from "../harness/command-line.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { FAULTS, manifest, type Fault, type World } from "./broken/faults.ts";
import { runFullDiskDrill, listGreenOfDisk } from "./broken/full-disk.ts";

/** What the surfaces say of one customer. */
interface Sight {
  what: string;
  seconds: number;
  installation: string;
  /** The installation in the list of all. */
  list: string;
  /** The customer's page, and its line in the list of customers. */
  customer: string;
  customers: string;
  connection: string;
  /** Page of the destination, if there is one. */
  destination: string;
  doctor: string;
  /** What the metric says that the alert `BusbarCustomersUnhealthy` watches. */
  metrics: string;
  /** Types of the events about the customer since the fault. */
  events: string;
  /** When the customer was healthy since the observation before, each second. */
  between: string;
}

async function runBrokenDrill(secondsAfter: readonly number[]): Promise<Sight[]> {
  const keyed = await openKeyed();
  const sink = await openSink();
  // Ten minutes are five seconds: a reading of ten minutes meets a fault at its next tick.
  const busbar = await openTestBusbar({
    env: {
      BUSBAR_METRICS: "true",
      BUSBAR_MINUTE_MS: "500",
      BUSBAR_WEBHOOK_RETRY_SECONDS: "1,1,5,5,10,10,60",
    },
    providers: { keyed: keyed.facts },
  });
  const client = new Client({ connectionString: busbar.connectionString });
  await client.connect();
  const world = { busbar, client, sink, keys: keyed.keys };
  const changes = setInterval(() => change(busbar), 1_000);
  try {
    for (const provider of ["hubspot", "salesforce"] as const) busbar.sandbox[provider].setLimits("off");
    const customers = await connectAll(world);
    const calls = setInterval(() => {
      void callKeyed(busbar);
      void createRecords(busbar);
    }, 1_000);
    await untilDelivered(sink);
    const brokenTime = new Date();
    for (const fault of FAULTS) {
      const customer = customers.get(fault.name);
      if (customer) await fault.act(world, customer);
    }
    await untilRefused(sink);
    const startMs = Date.now();
    const sights: Sight[] = [];
    for (const seconds of secondsAfter) {
      const healthy = await watch(busbar, startMs + seconds * 1_000);
      for (const fault of FAULTS)
        sights.push(
          await observe(busbar, fault, { seconds, brokenTime, healthy, ids: customers.get(fault.name) }),
        );
    }
    clearInterval(calls);
    return sights;
  } finally {
    clearInterval(changes);
    await client.end();
    await busbar.stop();
    await sink.close();
    keyed.close();
  }
}

/** Returns where a surface was green; empty if the drill passed. */
const listGreen = (sights: readonly Sight[]): string[] =>
  sights.flatMap((sight) => {
    const isLater = sights.some(({ what, seconds }) => what === sight.what && seconds < sight.seconds);
    const again =
      isLater && sight.between !== "never healthy" ? [`${sight.what}: healthy at ${sight.between}`] : [];
    const also = FAULTS.find(({ what }) => what === sight.what)?.also ?? [];
    const green = (["installation", "list", "customer", "customers", "doctor", ...also] as const)
      .filter((surface) => /^(healthy|working|in order|healthy .*|idle.*)$/.test(sight[surface]))
      .map((surface) => `${sight.what}, after ${sight.seconds} s: ${surface} says "${sight[surface]}"`);
    const unrung =
      sight.metrics.endsWith(" 0") || sight.metrics === ""
        ? [`${sight.what}, after ${sight.seconds} s: metrics say "${sight.metrics}"`]
        : [];
    const isReported = /installation\.health\.changed|connection\.error/.test(sight.events);
    return [
      ...green,
      ...again,
      ...unrung,
      ...(isReported ? [] : [`${sight.what}, after ${sight.seconds} s: no event says it`]),
    ];
  });

/** A provider that knows its callers by keys, with a health check. */
async function openKeyed() {
  const keys = new Set(["good-key"]);
  const server = createServer(({ headers }, response) => {
    const isKnown = keys.has((headers.authorization ?? "").replace("Bearer ", ""));
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const facts = {
    authType: "apiKey",
    baseURL: url,
    support: { proxy: true },
    apiKeyOpts: { attachmentType: "header", header: { name: "Authorization", valuePrefix: "Bearer " } },
    authHealthCheck: { url: `${url}/me`, successStatusCodes: [200] },
  };
  return { keys, facts, close: () => server.close() };
}

function change(busbar: TestBusbar): void {
  const stamp = String(Date.now());
  const { hubspot, salesforce } = busbar.sandbox;
  hubspot.account.put("contacts", { id: "501", values: { jobtitle: stamp }, stamp: true });
  hubspot.account.put("companies", { values: { name: stamp }, stamp: true });
  salesforce.account.put("Account", { id: "001Sb0000000001IAA", values: { Phone: stamp }, stamp: true });
}

interface Ids {
  connectionId: string;
  installationId: string;
  refreshToken: string | undefined;
}

async function connectAll({ busbar, sink }: World): Promise<Map<string, Ids>> {
  const post = async (path: string, body: object): Promise<Answer> => {
    const answer = await busbar.inProject("POST", path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
    return answer;
  };
  for (const { name, object } of FAULTS)
    if (object !== undefined)
      await post("/destinations", { name, type: "webhook", metadata: { url: `${sink.url}/${name}` } });
  const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest });
  if (deployed.status !== 200) throw new Error(deployed.text);
  const wrong = { provider: "keyed", groupRef: "wrong-key", consumerRef: "ada", apiKey: "wrong" };
  const refused = await busbar.inProject("POST", "/connections:generate", wrong);
  console.log(`connecting with a wrong key: ${refused.status} ${refused.body.detail ?? refused.text}`);
  if (refused.status !== 422) throw new Error("a wrong key was stored");
  const customers = new Map<string, Ids>();
  for (const { name, provider } of FAULTS) {
    const tokens = provider === "keyed" ? undefined : busbar.sandbox[provider].mintToken();
    const credentials = tokens
      ? {
          oauth2AuthorizationCode: {
            accessToken: { token: tokens.accessToken },
            refreshToken: { token: tokens.refreshToken },
          },
        }
      : { apiKey: "good-key" };
    const made = { provider, groupRef: name, consumerRef: "ada", ...credentials };
    const { body: connection } = await post("/connections:generate", made);
    const config = { content: { provider, proxy: { enabled: true } } };
    const installed = await post(`/integrations/${name}/installations`, { groupRef: name, config });
    customers.set(name, {
      connectionId: connection.id,
      installationId: installed.body.id,
      refreshToken: tokens?.refreshToken,
    });
  }
  return customers;
}

const callKeyed = (busbar: TestBusbar): Promise<unknown> =>
  busbar.proxied({ integration: "wrong-key", groupRef: "wrong-key" }, "/things").catch(() => undefined);

const createRecords = (busbar: TestBusbar): Promise<unknown> =>
  Promise.all(
    FAULTS.map(async ({ name, creates }) => {
      if (creates === undefined) return;
      const record = { dealname: String(Date.now()) };
      await busbar.write(name, creates, { groupRef: name, type: "create", record }).catch(() => undefined);
    }),
  );

/** Waits until every customer that reads has got a message: all was well. */
async function untilDelivered(sink: Sink): Promise<void> {
  const reading = FAULTS.filter(({ object }) => object !== undefined);
  const endMs = Date.now() + 120_000;
  while (!reading.every(({ name }) => sink.at(`/${name}`).length > 0)) {
    if (Date.now() > endMs) throw new Error("nothing was read before the faults");
    await wait(200);
  }
}

/** Waits until the dead receiver has got a message: nobody can know earlier that it is dead. */
async function untilRefused(sink: Sink): Promise<void> {
  const before = sink.at("/dead-receiver").length;
  const endMs = Date.now() + 60_000;
  while (sink.at("/dead-receiver").length === before) {
    if (Date.now() > endMs) throw new Error("the dead receiver got no message");
    await wait(50);
  }
}

/** Returns when each customer was healthy, until that time. */
async function watch(busbar: TestBusbar, untilMs: number): Promise<Map<string, string[]>> {
  const healthy = new Map<string, string[]>(FAULTS.map(({ name }) => [name, []]));
  while (Date.now() < untilMs) {
    const { body } = await busbar.inProject("GET", "/groups?pageSize=100");
    for (const { groupRef, healthStatus } of body.results)
      if (healthStatus === "healthy") healthy.get(groupRef)?.push(new Date().toISOString());
    await wait(Math.min(1_000, Math.max(0, untilMs - Date.now())));
  }
  return healthy;
}

async function observe(
  busbar: TestBusbar,
  { name, what, object, reason }: Fault,
  {
    seconds,
    brokenTime,
    healthy,
    ids,
  }: {
    seconds: number;
    brokenTime: Date;
    healthy: Map<string, string[]>;
    ids: Ids | undefined;
  },
): Promise<Sight> {
  const get = async (path: string): Promise<Answer["body"]> => (await busbar.inProject("GET", path)).body;
  const named = <One extends Record<string, unknown>>(all: One[], member: string) =>
    all.find(
      (one) => one[member] === name || (one["group"] as { groupRef?: string } | undefined)?.groupRef === name,
    );
  const connection = await get(`/connections/${ids?.connectionId}`);
  const destination = object === undefined ? undefined : await get(`/destinations/${name}`);
  const groups = (await get("/groups?pageSize=100")).results;
  const env = { BUSBAR_URL: new URL(busbar.server.urls.base).origin, BUSBAR_API_KEY: busbar.apiKey };
  const { stdout } = await runCli(["doctor", "--json"], { env: { ...env, BUSBAR_PROJECT: "default" } });
  const findings: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
  const doctor = findings.filter(({ ok, check, detail }) => !ok && `${check} ${detail}`.includes(name));
  const metrics = (await busbar.call("GET", "/metrics", undefined, {})).text;
  const events: { type: string; time: string }[] = (await get(`/events?groupRef=${name}&pageSize=100`))
    .results;
  return {
    what,
    seconds,
    installation: readHealth(await get(`/integrations/${name}/installations/${ids?.installationId}`)),
    list: readHealth(named(await get("/installations"), "groupRef")),
    customer: readHealth(await get(`/groups/${name}`)),
    customers: readHealth(named(groups, "groupRef")),
    connection: connection.status,
    destination: destination ? readDestinationState(destination) : "none",
    doctor: doctor.length === 0 ? "in order" : doctor.map(({ detail }) => detail).join("; "),
    metrics:
      metrics
        .split("\n")
        .find((line) => line.startsWith(`busbar_installations_unhealthy{reason="${reason}"}`)) ?? "",
    events: [
      ...new Set(events.filter(({ time }) => new Date(time) >= brokenTime).map(({ type }) => type)),
    ].join(),
    between: healthy.get(name)?.join() || "never healthy",
  };
}

interface Healthy {
  healthStatus?: string;
  healthReasons?: { type: string; name: string; detail: string }[];
}

function readHealth(one: Healthy | undefined): string {
  const reasons = (one?.healthReasons ?? []).map(({ type, name, detail }) => `${type} ${name}: ${detail}`);
  return [one?.healthStatus ?? "absent", ...reasons].join("; ");
}

function readDestinationState(one: Answer["body"]): string {
  if (one.disabledTime) return `disabled: ${one.disabledReason}`;
  return one.health ? `${one.health.state}, ${one.health.waiting} waiting` : `absent: ${one.detail}`;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { seconds: { type: "string", default: "10,60" } } });
  const secondsAfter = values.seconds.split(",").map(Number);
  const sights = await runBrokenDrill(secondsAfter);
  for (const { what, seconds, ...surfaces } of sights) {
    console.log(`\n${what}, ${seconds} s later`);
    for (const [surface, reported] of Object.entries(surfaces))
      console.log(`  ${surface.padEnd(13)} ${reported}`);
  }
  const disk = (await runFullDiskDrill(secondsAfter)) ?? [];
  for (const { seconds, said } of disk) console.log(`\nthe disk is full, ${seconds} s later`, said);
  const green = [...listGreen(sights), ...listGreenOfDisk(disk)];
  console.log(green.length === 0 ? "\nNothing was green." : `\nGREEN:\n${green.join("\n")}`);
  if (green.length > 0) process.exitCode = 1;
}

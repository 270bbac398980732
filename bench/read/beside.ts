/**
 * Measures what a large backfill does to others: the latency of synchronous writes of the same customer, and the time until
 * a change of another customer arrives by schedule. See bench/README.md.
 *
 *     node bench/read/beside.ts [--quick] [--records 1000000] [--seconds 60]
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { requireMade, openReadBench, computeQuantile, type ReadBench } from "./read-bench.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, records: { type: "string" }, seconds: { type: "string" } },
});
const quick = values.quick === true;
const RECORDS = Number(values.records ?? (quick ? 40_000 : 1_000_000));
/** Duration of each measurement; the one beside the backfill ends with it at the latest. */
const SECONDS = Number(values.seconds ?? (quick ? 8 : 60));
/** Ten minutes of the schedule, in the time of the benchmark. */
const INTERVAL_MS = 5_000;
const PAUSE_MS = 50;

/** With `backfill`, the deployment adds the object to the installation, so that its backfill begins. */
const writeManifest = (backfill: string): string => `
specVersion: 1.0.0
integrations:
  - name: written
    provider: salesforce
    write: {objects: [{objectName: Lead}]}${backfill}
  - name: watched
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: changes
          schedule: "*/10 * * * *"
          enabled: always
          requiredFields: [{fieldName: lastname}]
`;

const BACKFILL = `
    read:
      objects:
        - objectName: Contact
          destination: sink
          schedule: "0 0 1 1 *"
          enabled: always
          requiredFields: [{fieldName: LastName}, {fieldName: FirstName}, {fieldName: Email}, {fieldName: Phone}]
          backfill: {defaultPeriod: {fullHistory: true}}
`;

interface Besides {
  writesMs: number[];
  /** The same create, sent to the sandbox directly: its process serves the backfill, too. */
  directMs: number[];
  changesMs: number[];
}

/** A receiver that knows when each last name has arrived. */
async function openReceiver() {
  const arrived = new Map<string, number>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { result = [] } = JSON.parse(Buffer.concat(parts).toString()) as {
        result?: { fields: { lastname?: string } }[];
      };
      for (const { fields } of result) arrived.set(fields.lastname ?? "", performance.now());
      response.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { arrived, url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** Changes a contact of the other customer and returns the milliseconds until the change has arrived. */
async function changeMs({ account }: ReadBench, { arrived }: Receiver, name: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${account.hubspot.accessToken}`,
    "content-type": "application/json",
  };
  const startedMs = performance.now();
  const body = JSON.stringify({ properties: { lastname: name } });
  const answer = await fetch(`${account.url}/hubspot/crm/v3/objects/contacts`, {
    method: "POST",
    headers,
    body,
  });
  if (!answer.ok) throw new Error(await answer.text());
  while (!arrived.has(name)) {
    if (performance.now() - startedMs > 60_000) throw new Error(`${name} has not arrived within a minute`);
    await wait(20);
  }
  return (arrived.get(name) ?? 0) - startedMs;
}

async function writeMs({ busbar }: ReadBench, name: string): Promise<number> {
  const startedMs = performance.now();
  const path = "/write/v1/projects/default/integrations/written/objects/Lead";
  const record = { LastName: name, Company: "Bench" };
  const { status, text } = await busbar.call("POST", path, {
    groupRef: "large",
    type: "create",
    record,
  });
  if (status >= 300) throw new Error(text);
  return performance.now() - startedMs;
}

/** Sends the same create to the sandbox directly. */
async function directMs({ account }: ReadBench, name: string): Promise<number> {
  const startedMs = performance.now();
  const answer = await fetch(`${account.url}/salesforce/services/data/v60.0/sobjects/Lead`, {
    method: "POST",
    headers: { authorization: `Bearer ${account.accessToken}`, "content-type": "application/json" },
    body: JSON.stringify({ LastName: name, Company: "Bench" }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return performance.now() - startedMs;
}

/** Writes and changes one after the other until `isOver`. */
async function measure(
  bench: ReadBench,
  receiver: Receiver,
  what: string,
  isOver: () => boolean,
): Promise<Besides> {
  const besides: Besides = { writesMs: [], directMs: [], changesMs: [] };
  const repeat = async (all: number[], one: (name: string) => Promise<number>): Promise<void> => {
    for (let n = 1; !isOver(); n += 1) {
      all.push(await one(`${what} ${n}`));
      await wait(PAUSE_MS);
    }
  };
  await Promise.all([
    repeat(besides.writesMs, (name) => writeMs(bench, name)),
    repeat(besides.directMs, (name) => directMs(bench, name)),
    repeat(besides.changesMs, (name) => changeMs(bench, receiver, name)),
  ]);
  return besides;
}

/** Waits until the backfill has begun; returns a function that finds out whether it has ended. */
async function openBackfill({ busbar }: ReadBench, installationId: string): Promise<() => Promise<boolean>> {
  const path = `/integrations/written/installations/${installationId}/objects/Contact/backfill-progress`;
  for (;;) {
    const { status, body } = await busbar.inProject("GET", path);
    if (status === 200)
      return async () =>
        (await busbar.inProject("GET", `/operations/${body.operationId}`)).body.status === "in_progress";
    await wait(50);
  }
}

const createTimer = (seconds: number): (() => boolean) => {
  const endMs = performance.now() + seconds * 1_000;
  return () => performance.now() >= endMs;
};

const formatShown = (all: number[]): string =>
  `p50 ${computeQuantile(all, 0.5).toFixed(1)} ms, p99 ${computeQuantile(all, 0.99).toFixed(1)} ms (${all.length})`;

const bench = await openReadBench({ records: RECORDS });
const receiver = await openReceiver();
try {
  const changes = { name: "changes", type: "webhook", metadata: { url: receiver.url } };
  await requireMade(bench.busbar.inProject("POST", "/destinations", changes));
  await bench.deploy(writeManifest(""));
  await bench.install({ integration: "watched", groupRef: "other", provider: "hubspot" });
  const large = await bench.install({ integration: "written", groupRef: "large" });
  await measure(bench, receiver, "warm", createTimer(2));
  const usual = await measure(bench, receiver, "usual", createTimer(SECONDS));
  await bench.deploy(writeManifest(BACKFILL));
  const isBusy = await openBackfill(bench, large);
  const isOver = createTimer(SECONDS);
  let busy = true;
  const watch = setInterval(() => void isBusy().then((is) => (busy = is)), 500);
  const besides = await measure(bench, receiver, "besides", () => !busy || isOver());
  clearInterval(watch);
  console.log(`writes of the same customer: usually ${formatShown(usual.writesMs)}`);
  console.log(
    `  while all ${RECORDS} records are read: ${formatShown(besides.writesMs)} (target: at most twice)`,
  );
  console.log(`the same create, sent to the sandbox directly: usually ${formatShown(usual.directMs)}`);
  console.log(`  while all ${RECORDS} records are read: ${formatShown(besides.directMs)}`);
  console.log(
    `changes of another customer, schedule of ${INTERVAL_MS} ms: usually ${formatShown(usual.changesMs)}`,
  );
  console.log(`  while all ${RECORDS} records are read: ${formatShown(besides.changesMs)}`);
} finally {
  receiver.close();
  await bench.close();
}

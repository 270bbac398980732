/** Customers in several databases: each is served from its own, lists read all, and an outage of one is no outage of another. */
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { createEmptyDatabase } from "../harness/database.ts";
import { drawRoute } from "../harness/deliveries/routes.ts";
import { openSink } from "../harness/deliveries/sink.ts";
import { startServer } from "../harness/replicating-postgres.ts";
import { openRestartablePostgres } from "../harness/restartable-postgres.ts";
import { until } from "../harness/until.ts";
import { waitForCopies } from "../harness/wait-for-copies.ts";

const SHARDS = ["main", "a", "b"] as const;

/** Places a customer who has nothing yet in a shard, and connects it. */
async function connectIn(busbar: TestBusbar, shard: string, urls: Record<string, string>) {
  const groupRef = `customer-${shard}`;
  await busbar.inProject("POST", "/groups", { groupRef, groupName: shard });
  const control = new Client({ connectionString: busbar.connectionString });
  await control.connect();
  if (shard !== "main")
    await control.query("update groups set shard = $1 where group_ref = $2", [shard, groupRef]);
  await control.end();
  const customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef });
  const dataUrl = urls[shard];
  if (dataUrl !== undefined) await waitForCopies({ connectionString: busbar.connectionString, dataUrl });
  return customer;
}

/** Starts a Busbar with a customer in each shard. `b` is on a server of its own. */
async function openScene(t: TestContext) {
  const last: (() => Promise<void>)[] = [];
  const sink = await openSink();
  const home = await mkdtemp(join(tmpdir(), "busbar-shard-"));
  await chmod(home, 0o711);
  const dataDir = join(home, "b");
  let server = await startServer(dataDir);
  const a = await createEmptyDatabase({ after: (callback) => void last.push(callback) });
  const urls = { a, b: server.url };
  const busbar = await openTestBusbar({
    isDivided: false,
    shards: urls,
    env: { BUSBAR_METRICS: "true" },
  });
  t.after(async () => {
    await busbar.stop();
    await sink.close();
    await server.close();
    for (const callback of last) await callback();
    await rm(home, { recursive: true, force: true });
  });
  await drawRoute(busbar, `${sink.url}/hook`, ["write.async.done"]);
  const customers = new Map<string, Awaited<ReturnType<typeof connectIn>>>();
  for (const shard of SHARDS) customers.set(shard, await connectIn(busbar, shard, urls));
  const count = async (shard: (typeof SHARDS)[number], table: string) => {
    const client = new Client({ connectionString: shard === "main" ? busbar.connectionString : urls[shard] });
    await client.connect();
    const { rows } = await client.query<{ count: number }>(`select count(*)::integer as count from ${table}`);
    await client.end();
    return rows[0]?.count;
  };
  return {
    busbar,
    sink,
    customers,
    count,
    stop: () => server.close(),
    async start() {
      server = await openRestartablePostgres(dataDir);
    },
  };
}

const write = (name: string) => ({ type: "create", mode: "asynchronous", record: { name } });

test("each customer's operations and messages are in its own shard; each write ends once and is told once; lists read all", async (t) => {
  const { busbar, sink, customers, count } = await openScene(t);
  const before = new Map<string, number | undefined>();
  for (const shard of SHARDS) before.set(shard, await count(shard, "operations"));
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1)
    for (const [shard, customer] of customers) {
      const answer = await customer.write("companies", write(`${shard} ${n}`), {
        "idempotency-key": `${shard} ${n}`,
      });
      assert.equal(answer.status, 200, answer.text);
      ids.push(String(answer.body.operationId));
      const again = await customer.write("companies", write(`${shard} ${n}`), {
        "idempotency-key": `${shard} ${n}`,
      });
      assert.equal(again.text, answer.text);
    }
  await until(() => sink.messagesAt("/hook").length >= ids.length);
  for (const id of ids) {
    const { body } = await busbar.inProject("GET", `/operations/${id}`);
    assert.equal(body.status, "success");
  }
  const listed: string[] = [];
  for (let token: string | undefined = ""; token !== undefined;) {
    const page = await busbar.inProject(
      "GET",
      `/operations?type=write&pageSize=5${token && `&pageToken=${token}`}`,
    );
    listed.push(...page.body.results.map(({ id }: { id: string }) => id));
    token = page.body.pagination.nextPageToken;
  }
  assert.deepEqual(listed, ids.toReversed());
  for (const shard of SHARDS)
    assert.equal(await count(shard, "operations"), (before.get(shard) ?? 0) + 4, shard);
  // What is known of each customer is told from its shard.
  const groups = await busbar.inProject("GET", "/groups?pageSize=2");
  const more = await busbar.inProject("GET", `/groups?pageToken=${groups.body.pagination.nextPageToken}`);
  const shown = [...groups.body.results, ...more.body.results];
  assert.deepEqual(
    shown.map(({ groupRef, healthStatus, lastActivityTime }) => [
      groupRef,
      healthStatus,
      typeof lastActivityTime,
    ]),
    ["a", "b", "main"].map((shard) => [`customer-${shard}`, "healthy", "string"]),
  );
  for (const path of [
    "/installations",
    "/installations:search",
    "/installations:search?healthStatus=healthy",
  ]) {
    const { body } = await busbar.inProject("GET", path);
    const statuses = (body.results ?? body).map((one: Record<string, unknown>) => one["lastOperationStatus"]);
    assert.deepEqual(statuses, ["success", "success", "success"], path);
  }
  const [destination] = (await busbar.inProject("GET", "/destinations")).body;
  assert.equal(destination.health.state, "working");
  const told = sink.messagesAt("/hook").map((message) => JSON.stringify(message));
  for (const id of ids) assert.equal(told.filter((text) => text.includes(id)).length, 1);
});

test("while a shard is away, its customers are refused and the others are served; afterwards all are", async (t) => {
  const { busbar, sink, customers, stop, start } = await openScene(t);
  const send = async (shard: string, name: string) => customers.get(shard)?.write("companies", write(name));
  const accepted = await send("b", "before");
  assert.equal(accepted?.status, 200, accepted?.text);
  await until(() => sink.messagesAt("/hook").length === 1);
  await stop();
  for (const shard of ["main", "a"]) {
    const answer = await send(shard, "meanwhile");
    assert.equal(answer?.status, 200, answer?.text);
  }
  assert.equal((await send("b", "meanwhile"))?.status, 503);
  await until(() => sink.messagesAt("/hook").length === 3);
  const id = String(accepted?.body.operationId);
  const { status, text } = await busbar.inProject("GET", `/operations/${id}`);
  assert.equal(status, 503, text);
  assert.match(text, /the shard `b`.* is away/);
  // A list has the rows of the others, and names what is away; that of another customer has nothing to name.
  for (const path of ["/operations", "/events", "/deliveries:search"]) {
    const { body, text } = await busbar.inProject("GET", path);
    assert.deepEqual(body.pagination?.unavailable, ["b"], text);
    assert.ok(body.results.length >= 2, text);
    const ofA = await busbar.inProject("GET", `${path}?groupRef=customer-a`);
    assert.equal(ofA.body.pagination.unavailable, undefined, ofA.text);
    assert.ok(ofA.body.results.length > 0, ofA.text);
    const ofB = await busbar.inProject("GET", `${path}?groupRef=customer-b`);
    assert.deepEqual([ofB.body.results, ofB.body.pagination.unavailable], [[], ["b"]], ofB.text);
  }
  const waiting = await busbar.inProject("GET", "/deliveries");
  assert.deepEqual(
    [waiting.status, waiting.body, waiting.headers.get("busbar-unavailable")],
    [200, [], "b"],
    waiting.text,
  );
  for (const path of [`/find?q=${id}`, "/activity?of=operations"]) {
    const { body, text } = await busbar.inProject("GET", path);
    assert.deepEqual(body.unavailable, ["b"], text);
  }
  const groups = await busbar.inProject("GET", "/groups");
  const healthBy = (rows: { groupRef?: string; group?: { groupRef: string }; healthStatus: string }[]) =>
    Object.fromEntries(rows.map((one) => [one.groupRef ?? one.group?.groupRef, one.healthStatus]));
  const expected = { "customer-a": "healthy", "customer-b": "unknown", "customer-main": "healthy" };
  assert.deepEqual(healthBy(groups.body.results), expected);
  assert.deepEqual(groups.body.pagination.unavailable, ["b"]);
  assert.deepEqual(healthBy((await busbar.inProject("GET", "/installations")).body), expected);
  const searched = await busbar.inProject("GET", "/installations:search");
  assert.deepEqual(healthBy(searched.body.results), expected);
  assert.deepEqual(searched.body.pagination.unavailable, ["b"]);
  for (const path of ["/groups", "/installations:search"]) {
    const { body, text } = await busbar.inProject("GET", `${path}?healthStatus=healthy`);
    assert.deepEqual(Object.keys(healthBy(body.results)).toSorted(), ["customer-a", "customer-main"], text);
    assert.deepEqual(body.pagination.unavailable, ["b"], text);
  }
  const [destination] = (await busbar.inProject("GET", "/destinations")).body;
  assert.deepEqual([destination.health.state, destination.health.unavailable], ["working", ["b"]]);
  const ready = await busbar.call("GET", "/readyz");
  assert.deepEqual([ready.status, ready.body.unavailable], [200, ["b"]], ready.text);
  const metrics = (await busbar.call("GET", "/metrics")).text;
  assert.match(metrics, /^busbar_shard_up\{shard="a"\} 1$/m);
  assert.match(metrics, /^busbar_shard_up\{shard="b"\} 0$/m);
  assert.match(metrics, /^busbar_database_up 1$/m);
  // It starts without that shard, too.
  await busbar.restart();
  assert.equal((await send("main", "after a start"))?.status, 200);
  const refused = await send("b", "after a start");
  assert.equal(refused?.status, 503, refused?.text);
  await start();
  const answer = await until(async () => {
    const sent = await send("b", "afterwards");
    return sent?.status === 200 && sent;
  });
  await until(() =>
    sink
      .messagesAt("/hook")
      .some((message) => JSON.stringify(message).includes(String(answer.body.operationId))),
  );
  assert.equal((await busbar.inProject("GET", `/operations/${id}`)).body.status, "success");
});

/** A customer is moved between shards while it is worked for: nothing that was accepted is lost, done twice or told twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeWrites, findMissingEvents } from "../drills/acknowledged-writes.ts";
import { Load } from "../drills/sides/load.ts";
import { openClient } from "../harness/client.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { accept } from "../harness/deliveries/sink.ts";
import { openMovingBusbar, type ShardName } from "../harness/moving-busbar.ts";
import { until } from "../harness/until.ts";

test("writes that are accepted before, while and after a customer moves end once, in the order of each record, and are told once", async (t) => {
  const { busbar, sink, move, breakOff } = await openMovingBusbar(t);
  // Otherwise the writes of both wait for the provider for minutes at the end.
  busbar.sandbox.hubspot.setLimits("off");
  const loads = { mover: new Load(), neighbour: new Load() };
  for (const [groupRef, load] of Object.entries(loads)) {
    const customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef });
    const made = await customer.succeed("companies", {
      type: "create",
      record: { name: `target ${groupRef}` },
    });
    load.create(() => busbar, groupRef, "asynchronous");
    if (groupRef === "neighbour") continue;
    load.create(() => busbar, groupRef, "synchronous");
    load.update(() => busbar, groupRef, made.result.recordId);
  }
  const somethingIsDone = async () => {
    const before = loads.mover.writes.size;
    await until(() => loads.mover.writes.size > before + 5);
  };
  for (const [to, killedAt] of [
    ["a", "copying"],
    ["b", "switching"],
    [null, "moving what has ended"],
  ] as const) {
    await somethingIsDone();
    await breakOff(to, killedAt);
    await move(to);
  }
  await somethingIsDone();
  for (const load of Object.values(loads)) await load.stop();
  for (const load of Object.values(loads)) {
    const { failed, lost, neverEnded, unknownOutcomes } = await judgeWrites(busbar, load.writes);
    assert.deepEqual(
      { failed, lost, neverEnded, unknownOutcomes },
      { failed: [], lost: [], neverEnded: [], unknownOutcomes: 0 },
    );
    assert.deepEqual(await findMissingEvents(sink, load.writes), []);
    const { answers, refusals: _, ...faults } = load.judge(busbar.sandbox, sink);
    for (const [name, found] of Object.entries(faults)) assert.deepEqual(found, [], name);
    const expected = load === loads.mover ? / (200|503)$/ : / 200$/;
    assert.deepEqual(
      Object.keys(answers).filter((key) => !expected.test(key)),
      [],
    );
  }
});

test("a closed gate holds in all processes in the customer's shard, and moves with the customer", async (t) => {
  const { busbar, move, connect } = await openMovingBusbar(t);
  const countGates = async (shard: ShardName) =>
    (await (await connect(shard)).query("select from connection_gates")).rows.length;
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: "mover",
  });
  const sibling = await busbar.sibling();
  const elsewhere = openClient({ ...busbar, urls: () => sibling.urls, repeatsRefused: true });
  const create = { type: "create", record: { name: "Limited" } };
  const writeElsewhere = () => elsewhere.write("hubspot", "companies", { groupRef: "mover", ...create });
  const erased: Promise<{ status: number }>[] = [];
  await move("a", (text) => {
    if (/copying|moving what/.test(text)) erased.push(busbar.inProject("DELETE", "/groups/mover"));
  });
  // Rows in two shards could not all be erased.
  for (const { status } of await Promise.all(erased)) assert.equal(status, 503);
  assert.ok(erased.length >= 2);
  assert.equal((await until(async () => (await writeElsewhere()).status === 200)) && true, true);
  busbar.sandbox.addFault({ preset: "hubspot.rate_limit", headers: { "retry-after": "3600" } });
  assert.equal((await customer.write("companies", create)).status, 429);
  await until(async () => (await writeElsewhere()).status === 429);
  assert.deepEqual([await countGates("main"), await countGates("a")], [0, 1]);
  busbar.sandbox.clearFaults();
  await move("b");
  assert.deepEqual([await countGates("a"), await countGates("b")], [0, 1]);
  const sent = () =>
    busbar.sandbox.requests({ provider: "hubspot", method: "POST", path: "/crm/v3/objects/companies" })
      .length;
  const before = sent();
  for (const write of [() => customer.write("companies", create), writeElsewhere]) {
    const refused = await until(async () => {
      const answer = await write();
      return answer.status !== 503 && answer;
    });
    assert.equal(refused.status, 429, refused.text);
  }
  assert.equal(sent(), before);
});

test("a write that waits is not cancelled while its customer moves, and is cancelled in its new shard", async (t) => {
  const { busbar, move, breakOff } = await openMovingBusbar(t);
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: "mover",
  });
  const create = { type: "create", record: { name: "Waiting" } };
  busbar.sandbox.addFault({ preset: "hubspot.rate_limit", headers: { "retry-after": "3600" } });
  assert.equal((await customer.write("companies", create)).status, 429);
  const { operationId } = await customer.succeed("companies", { ...create, mode: "asynchronous" });
  const cancel = () => busbar.inProject("POST", `/operations/${operationId}:cancel`);
  await breakOff("a", "opening the gate");
  // The write is in both shards.
  assert.equal((await cancel()).status, 503);
  await move("a");
  const cancelled = await cancel();
  assert.deepEqual([cancelled.status, cancelled.body.status], [200, "failure"], cancelled.text);
});

const READ_MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hubspot
    provider: hubspot
    read: { objects: [{ objectName: contacts, destination: drill, requiredFields: [{ fieldName: email }] }] }
`;

test("a read that waits is not cancelled while its customer moves, and is cancelled in its new shard", async (t) => {
  const { busbar, move, breakOff } = await openMovingBusbar(t);
  await connectCustomer(busbar, {
    provider: "hubspot",
    groupRef: "mover",
    manifest: READ_MANIFEST,
    integration: "hubspot",
  });
  busbar.sandbox.addFault({ preset: "hubspot.rate_limit", headers: { "retry-after": "3600" } });
  const begun = await busbar.call("POST", "/read/v1/projects/default/integrations/hubspot/objects/contacts", {
    groupRef: "mover",
    mode: "async",
  });
  assert.equal(begun.status, 201, begun.text);
  const { operationId } = begun.body;
  const cancel = () => busbar.inProject("POST", `/operations/${operationId}:cancel`);
  await breakOff("a", "opening the gate");
  assert.equal((await cancel()).status, 503);
  await move("a");
  const cancelled = await until(async () => {
    const answer = await cancel();
    return answer.status !== 503 && answer;
  });
  assert.deepEqual([cancelled.status, cancelled.body.status], [200, "failure"], cancelled.text);
});

test("a message that is sent again while its customer moves is sent as often as that was accepted", async (t) => {
  const { busbar, sink, move } = await openMovingBusbar(t);
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: "mover",
  });
  const record = { name: "Told again" };
  const { operationId } = await customer.succeed("companies", {
    type: "create",
    mode: "asynchronous",
    record,
  });
  const count = () => sink.received.filter(({ body }) => body.includes(operationId)).length;
  await until(() => count() === 1);
  const id = sink.received.find(({ body }) => body.includes(operationId))?.headers["webhook-id"] ?? "";
  let accepted = 0;
  const asked = new Map<string, Promise<unknown>>();
  const sendAgain = async () => {
    // While it is being sent, and while the customer is refused, it is asked again.
    await until(async () => {
      const { status } = await busbar.inProject("POST", `/destinations/drill/deliveries/${id}:resend`);
      assert.ok([200, 409, 503].includes(status), String(status));
      return status === 200;
    });
    accepted += 1;
    await until(() => count() >= 1 + accepted);
  };
  await move("a", (text) => {
    for (const step of ["switching", "moving what has ended"])
      if (text.includes(step) && !asked.has(step))
        asked.set(step, Promise.all(asked.values()).then(sendAgain));
  });
  await Promise.all(asked.values());
  assert.equal(asked.size, 2);
  await sendAgain();
  assert.equal(count(), 4);
});

test("from the moment when the new shard decides, an operation, its steps, its event and its delivery are shown as they are there", async (t) => {
  const { busbar, sink, breakOff, move } = await openMovingBusbar(t);
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: "mover",
  });
  const create = { type: "create", mode: "asynchronous", record: { name: "Shown" } };
  sink.answer = (_received, response) => void response.writeHead(500).end();
  const told = await customer.succeed("companies", create);
  await until(() => sink.received.length > 0);
  const id = sink.received[0]?.headers["webhook-id"] ?? "";
  busbar.sandbox.addFault({ preset: "hubspot.rate_limit", headers: { "retry-after": "3600" } });
  assert.equal((await customer.write("companies", { ...create, mode: "synchronous" })).status, 429);
  const { operationId } = await customer.succeed("companies", create);
  await breakOff("a", "moving what has ended");
  const get = async (path: string) => (await busbar.inProject("GET", path)).body;
  sink.answer = accept;
  await busbar.inProject("POST", `/destinations/drill/deliveries/${id}:resend`);
  await until(
    async () => (await get("/deliveries:search?status=delivered&groupRef=mover")).results.length > 0,
  );
  const cancelled = await until(async () => {
    const answer = await busbar.inProject("POST", `/operations/${operationId}:cancel`);
    return answer.status !== 503 && answer;
  });
  assert.equal(cancelled.status, 200, cancelled.text);
  const steps = await get(`/operations/${operationId}/logs`);
  assert.match(JSON.stringify(steps), /cancel/i);
  // Either of the two shards may be the first to answer.
  for (let nth = 0; nth < 20; nth += 1) {
    assert.equal((await get(`/operations/${operationId}`)).status, "failure");
    assert.deepEqual(await get(`/operations/${operationId}/logs`), steps);
    assert.equal((await get(`/destinations/drill/deliveries/${id}`)).status, "delivered");
    assert.equal((await get(`/events/${id}`)).deliveries[0]?.status, "delivered");
  }
  const kinds = (await get(`/find?q=${operationId}`)).results.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual(
    kinds.filter((kind: string) => kind === "operation"),
    ["operation"],
  );
  assert.equal(
    (await get(`/operations/${told.operationId}`)).status,
    "success",
    "has ended, and is still in main",
  );
  await move("a");
  assert.equal((await get(`/operations/${told.operationId}`)).status, "success");
});

/** What a customer has is listed while it is moved: its rows are in two databases, in each of them some, and some in both. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { carryHistory, UnseenEvents } from "../../server/store/moves/carry-history.ts";
import { findCustomer } from "../../server/store/moves/customer-tables.ts";
import { passGuards } from "../../server/store/moves/guard-customer.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { openMovingBusbar } from "../harness/moving-busbar.ts";
import { until } from "../harness/until.ts";

const WRITES = 3;
const CALLS = 3;

test("lists of a customer who is moved show each row once, wherever it is, and in the order of before", async (t) => {
  const { busbar, sink, breakOff, move, connect } = await openMovingBusbar(t);
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: "mover",
  });
  for (let nth = 0; nth < WRITES; nth += 1)
    await customer.succeed("companies", {
      type: "create",
      mode: "asynchronous",
      record: { name: `n ${nth}` },
    });
  const [{ id: integrationId }] = (await busbar.inProject("GET", "/integrations")).body;
  const path = `/integrations/${integrationId}/installations/${customer.installationId}`;
  for (let nth = 0; nth < CALLS; nth += 1)
    await busbar.inProject("POST", `${path}:call`, { method: "GET", path: "/crm/v3/objects/companies" });
  // One operation waits, so that it is in both databases.
  busbar.sandbox.addFault({ preset: "hubspot.rate_limit", headers: { "retry-after": "3600" } });
  const create = { type: "create", record: { name: "Waiting" } };
  assert.equal((await customer.write("companies", create)).status, 429);
  await customer.succeed("companies", { ...create, mode: "asynchronous" });

  type Entry = Record<string, unknown>;
  /** Reads a list to its end, in pages of two. */
  const read = async (list: string): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for (let token = ""; ;) {
      const mark = list.includes("?") ? "&" : "?";
      const { status, body, text } = await busbar.inProject("GET", `${list}${mark}pageSize=2${token}`);
      assert.equal(status, 200, text);
      entries.push(...body.results);
      assert.equal(body.pagination.unavailable, undefined);
      if (body.pagination.done) return entries;
      token = `&pageToken=${body.pagination.nextPageToken}`;
    }
  };
  const lists = {
    operations: "/operations?groupRef=mover",
    operationsHere: `${path}/operations`,
    events: "/events?groupRef=mover",
    deliveries: "/deliveries:search?groupRef=mover",
    deliveriesHere: "/destinations/drill/deliveries?groupRef=mover",
    calls: "/proxy-calls?groupRef=mover",
    callsHere: `${path}/proxy-calls`,
  };
  const readAll = async () => {
    const all: Record<string, Entry[]> = {};
    // Lines of proxied calls get other ids.
    for (const [name, list] of Object.entries(lists))
      all[name] = (await read(list)).map(({ id, ...entry }) =>
        name.startsWith("calls") ? entry : { id, ...entry },
      );
    return all;
  };
  await until(() => sink.received.length >= WRITES);
  const before = await until(async () => {
    const all = await readAll();
    const counts = Object.values(all).map(({ length }) => length);
    const isDelivered = all["deliveries"]?.every(({ status }) => status === "delivered");
    return isDelivered && all["calls"]?.length === CALLS && Math.min(...counts) >= WRITES && all;
  });

  await breakOff("a", "switching");
  assert.deepEqual(await readAll(), before, "the gate is closed");
  await breakOff("a", "opening the gate");
  assert.deepEqual(await readAll(), before, "the new shard decides");
  await breakOff("a", "moving what has ended");
  const [from, to] = [await connect("main"), await connect("a")];
  for (const client of [from, to]) await passGuards(client);
  const { rows } = await from.query(
    "select id as group_id, project_id, group_ref from groups where group_ref = 'mover'",
  );
  const [{ group_id: groupId, project_id: projectId, group_ref: groupRef }] = rows;
  const mover = await findCustomer(from, { groupId, projectId, groupRef });
  let batches = 0;
  for (let isCarried = false; !isCarried; batches += 1) {
    const onRows = () => {
      throw new Error("killed");
    };
    isCarried = await carryHistory({ from, to, customer: mover, events: new UnseenEvents(), onRows }).then(
      () => true,
      (error: Error) => {
        assert.equal(error.message, "killed");
        return false;
      },
    );
    assert.deepEqual(await readAll(), before, `after ${batches + 1} batches`);
  }
  assert.ok(batches >= 4, String(batches));
  await move("a");
  assert.deepEqual(await readAll(), before);
});

/** Rows that follow a moved customer: those of nobody else, whatever happens to their places meanwhile. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { createTestDatabase } from "../../../tests/harness/database.ts";
import { nowMs } from "../../../ground/clock.ts";
import { buildFirstId, FIRST_ID, newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase } from "../database/open-database.ts";
import { claimDeliveries, updateDeliveries } from "../deliveries/deliveries.ts";
import { carryHistory, carryRest, UnseenEvents } from "./carry-history.ts";

/** Opens two connections to the database that a customer leaves, and one to the other. */
async function openScene(t: TestContext) {
  const [source, target] = [
    await createTestDatabase({ isDivided: false }),
    await createTestDatabase({ isDivided: false }),
  ];
  const clients = [source, source, target].map(
    ({ connectionString }) => new Client({ connectionString }),
  ) as [Client, Client, Client];
  t.after(async () => {
    for (const client of clients) await client.end();
    for (const { drop } of [source, target]) await drop();
  });
  for (const client of clients) {
    await client.connect();
    // The connections of customers are not what is looked at.
    await client.query(
      "alter table connection_gates drop constraint if exists connection_gates_connection_id_fkey",
    );
  }
  const [from, others, to] = clients;
  return { from, others, to, connectionString: source.connectionString };
}

const closeGate = (client: Client, connectionId: string) =>
  client.query("insert into connection_gates values ($1, now() + interval '1 hour', true)", [connectionId]);

async function listGates(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>("select connection_id as id from connection_gates");
  return rows.map(({ id }) => id);
}

test("a row of another customer that got the place of a moved one stays where it is", async (t) => {
  const { from, others, to } = await openScene(t);
  const [own, foreign] = [newId(), newId()];
  await closeGate(others, own);
  const findPlace = async (id: string) =>
    (await others.query("select ctid::text as place from connection_gates where connection_id = $1", [id]))
      .rows[0]?.place;
  const place = await findPlace(own);
  // Between the statement that finds the places, and the one that copies what is there.
  const query = from.query.bind(from);
  t.mock.method(from, "query", async (text: string, values?: unknown[]) => {
    const found = await query(text, values);
    if (!text.startsWith("select ctid::text as key from connection_gates") || found.rows.length === 0)
      return found;
    await others.query("delete from connection_gates where connection_id = $1", [own]);
    await others.query("vacuum connection_gates");
    await closeGate(others, foreign);
    return found;
  });
  const customer = {
    groupId: newId(),
    projectId: newId(),
    groupRef: "mover",
    installationIds: [newId()],
    connectionIds: [own],
  };
  await carryHistory({ from, to, customer, events: new UnseenEvents(), onRows: () => {} });
  assert.equal(await findPlace(foreign), place);
  assert.deepEqual([await listGates(from), await listGates(to)], [[foreign], []]);
});

const HOUR_MS = 3_600_000;

test("an event that ends after a pass has left it is carried over, and events of others are looked at once", async (t) => {
  const { from, others, to } = await openScene(t);
  const { rows } = await others.query<{ id: string }>("select gen_random_uuid()::text as id");
  const customer = {
    groupId: newId(),
    projectId: rows[0]?.id ?? "",
    groupRef: "mover",
    installationIds: [newId()],
    connectionIds: [newId()],
  };
  for (const client of [others, to])
    await client.query("alter table events drop constraint if exists events_project_id_fkey");
  const insert = async (id: string, groupRef: string) =>
    others.query(
      "insert into events (id, project_id, type, data) values ($1, $2, 'connection.updated', $3)",
      [id, customer.projectId, JSON.stringify({ groupRef })],
    );
  const [old, foreign] = [2, 3].map((hours) => buildFirstId(nowMs() - hours * HOUR_MS)) as [string, string];
  await insert(foreign, "neighbour");
  await insert(old, "mover");
  await others.query("insert into unrouted_events (event_id) values ($1)", [old]);
  const query = from.query.bind(from);
  const pages: string[][] = [[]];
  t.mock.method(from, "query", async (text: string, values?: unknown[]) => {
    const found = await query(text, values);
    if (/^\s*select 'asynchronous writes'/.test(text)) pages.push([]);
    if (!/from events where id > '/.test(text)) return found;
    pages.at(-1)?.push(/id > '([^']*)'/.exec(text)?.[1] ?? "");
    // In the second pass that has nothing to carry over, it ends when it has been left.
    if (pages.length === 3) await others.query("delete from unrouted_events where event_id = $1", [old]);
    return found;
  });
  await carryRest({ from, to, events: new UnseenEvents(), onRows: () => {} }, async () => customer);
  const listEvents = async (client: Client) =>
    (await client.query<{ id: string }>("select id from events order by id")).rows.map(({ id }) => id);
  assert.deepEqual(await listEvents(others), [foreign]);
  assert.deepEqual(await listEvents(to), [old]);
  const [, first, ...later] = pages;
  assert.deepEqual(first, [FIRST_ID, old]);
  assert.ok(later.length >= 2);
  for (const begun of later.flat()) assert.ok(begun > old, begun);
});

test("a delivery that a worker claims while its event is carried over is left until it has ended", async (t) => {
  const { from, others, to, connectionString } = await openScene(t);
  const database = await openDatabase({ connectionString, log: createLog("silent"), poolSize: 2 });
  const [projectId, destinationId] = [newId(), newId()];
  const eventId = buildFirstId(nowMs() - 2 * HOUR_MS);
  const customer = {
    groupId: newId(),
    projectId,
    groupRef: "mover",
    installationIds: [newId()],
    connectionIds: [newId()],
  };
  for (const client of [others, to]) {
    await client.query("alter table events drop constraint if exists events_project_id_fkey");
    await client.query("alter table destinations drop constraint if exists destinations_project_id_fkey");
  }
  await others.query(
    `insert into destinations (id, project_id, name, type, metadata, secrets_sealed) values ($1, $2, 'd', 'webhook', '{}', '')`,
    [destinationId, projectId],
  );
  await others.query(
    `insert into events (id, project_id, type, data) values ($1, $2, 'connection.updated', '{"groupRef":"mover"}')`,
    [eventId, projectId],
  );
  await others.query(
    "insert into deliveries (destination_id, event_id, state, due_time) values ($1, $2, 'waiting', now())",
    [destinationId, eventId],
  );
  const count = async (client: Client, what: string) =>
    (await client.query<{ count: number }>(`select count(*)::integer as count from ${what}`)).rows[0]?.count;
  const query = from.query.bind(from);
  let passes = 0;
  t.mock.method(from, "query", async (text: string, values?: unknown[]) => {
    if (/^\s*select 'asynchronous writes'/.test(text)) passes += 1;
    const found = await query(text, values);
    if (!/from events where id > '/.test(text)) return found;
    const limits = { capacity: 10, depth: 10, failingDepth: 4, lanes: [], fullProjects: [] };
    if (passes === 1) await claimDeliveries(database.data, { workerId: 1, ...limits });
    if (passes === 3) {
      const attempt = { time: "2026-01-01", durationMs: 1 };
      const result = { destinationId, eventId, state: "delivered" as const, retryInMs: 0, attempt };
      await updateDeliveries(database.data, 1, [{ kind: "attempted", ...result }]);
    }
    return found;
  });
  try {
    await carryRest({ from, to, events: new UnseenEvents(), onRows: () => {} }, async () => customer);
    assert.deepEqual([await count(from, "events"), await count(from, "deliveries")], [0, 0]);
    assert.deepEqual(
      [await count(to, "events"), await count(to, "deliveries where state = 'delivered'")],
      [1, 1],
    );
  } finally {
    await database.close();
  }
});

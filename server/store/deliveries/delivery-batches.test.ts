/** First attempts: the process that owns them, their recovery after its death, and what lists show meanwhile. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { testDatabase } from "../../../tests/harness/database.ts";
import { bootstrap } from "../../access/bootstrap.ts";
import { newId } from "../../../ground/ids.ts";
import type { Database } from "../database/database.ts";
import {
  claimDeliveries,
  buildClaimStatement,
  insertDeliveries,
  updateDeliveries,
  listDeliveryClaimers,
  releaseDeliveries,
} from "./deliveries.ts";
import { releaseBatches, routeEvents, routeStatement } from "./delivery-batches.ts";
import { listWaitingDeliveries } from "./delivery-lists.ts";
import { listDeliveries } from "./delivery-pages.ts";
import { insertDestination } from "./destinations.ts";
import { insertEvents } from "./events.ts";
import { eventTopicRoutes, topicDestinationRoutes } from "./topic-routes.ts";
import { insertTopic } from "./topics.ts";
import { prepareGuards, setGuard } from "../moves/guard-customer.ts";

const WORKER = 7;
const MUCH = { capacity: 100, depth: 100, failingDepth: 4, lanes: [], fullProjects: [] };

/** Opens a project whose events of one type have this many destinations, with three events to route. */
async function threeEvents(t: TestContext, destinations = 1) {
  const database = await testDatabase(t);
  const { queries } = database;
  const { projectId } = await queries
    .transaction()
    .execute((deps) => bootstrap(deps, { org: "o", project: "p" }));
  const topic = await insertTopic(queries, projectId, "topic");
  await eventTopicRoutes.insert(queries, projectId, { topicId: topic.id, eventType: "connection.created" });
  const destinationIds = Array.from({ length: destinations }, () => newId());
  for (const id of destinationIds) {
    const secretsSealed = "sealed";
    await insertDestination(queries, {
      id,
      projectId,
      name: id,
      type: "webhook",
      metadata: {},
      secretsSealed,
    });
    await topicDestinationRoutes.insert(queries, projectId, { topicId: topic.id, destinationId: id });
  }
  const eventIds = [newId(), newId(), newId()];
  await insertEvents(
    queries,
    eventIds.map((id) => ({ id, projectId, type: "connection.created", data: `{"event":"${id}"}` })),
  );
  return { database, projectId, destinationId: destinationIds[0] ?? "", eventIds };
}

const route = ({ queries }: Database, batchId = newId(), workerId = WORKER) =>
  routeEvents(queries, { batchId, workerId, maxEvents: 10, maxBytes: 1_000_000, known: new Map() });

const readDeliveries = async ({ queries }: Database, destinationId: string) => {
  const { projectId } = await queries
    .selectFrom("destinations")
    .select("projectId")
    .limit(1)
    .executeTakeFirstOrThrow();
  return (await listDeliveries(queries, { projectId, destinationId, range: { limit: 10 } })).rows;
};

const listStates = async (database: Database, destinationId: string) =>
  (await readDeliveries(database, destinationId)).map(({ eventId, state, attempts }) => ({
    eventId,
    state,
    attempts: attempts.length,
  }));

const delivered = {
  kind: "attempted" as const,
  state: "delivered" as const,
  retryInMs: 0,
  attempt: { time: "2026-01-01", durationMs: 1 },
};

test("an event is routed once, and its data is returned once however many destinations it has", async (t) => {
  const { database, eventIds } = await threeEvents(t, 3);
  const [one, other] = await Promise.all([route(database), route(database)]);
  assert.equal(one.events + other.events, 3);
  const first = one.events > 0 ? one : other;
  assert.equal(first.deliveries.length, 9);
  assert.deepEqual([...first.stored.keys()].toSorted(), eventIds);
  assert.equal(first.stored.get(eventIds[1] ?? "")?.data, `{"event":"${eventIds[1]}"}`);
  assert.deepEqual(await route(database), { events: 0, mayBeMore: false, deliveries: [], stored: new Map() });
});

test("data that the process has in memory is not read, and each destination gets it", async (t) => {
  const { database, eventIds } = await threeEvents(t);
  const [known = "", ...others] = eventIds;
  const routed = await routeEvents(database.queries, {
    batchId: newId(),
    workerId: WORKER,
    maxEvents: 10,
    maxBytes: 1_000_000,
    known: new Map([
      [known, "as it is in memory"],
      [newId(), "of another event"],
    ]),
  });
  assert.equal(routed.stored.get(known)?.data, "as it is in memory");
  for (const id of others) assert.equal(routed.stored.get(id)?.data, `{"event":"${id}"}`);
  assert.equal(routed.stored.size, 3);
});

test("one statement routes the events that fit into memory, and at least one", async (t) => {
  const { database, projectId, destinationId } = await threeEvents(t);
  const { queries } = database;
  await route(database);
  const data = JSON.stringify({ text: "x".repeat(1_000) });
  const message = () => ({ id: newId(), projectId, type: "read", data, destinationId });
  await insertEvents(queries, Array.from({ length: 6 }, message));
  const routed = async (maxBytes: number) => {
    const batch = {
      batchId: newId(),
      workerId: WORKER,
      maxEvents: 10,
      maxBytes,
      known: new Map<string, string>(),
    };
    return (await routeEvents(queries, batch)).deliveries.length;
  };
  assert.deepEqual([await routed(2_500), await routed(1), await routed(1_000_000)], [3, 1, 2]);
});

test("first attempts are listed as `sending` while a worker makes them", async (t) => {
  const { database, destinationId, projectId, eventIds } = await threeEvents(t);
  await route(database);
  const sending = eventIds.toReversed().map((eventId) => ({ eventId, state: "sending", attempts: 0 }));
  assert.deepEqual(await listStates(database, destinationId), sending);
  assert.equal((await listWaitingDeliveries(database.queries, projectId, 10)).length, 3);
  assert.deepEqual(await listDeliveryClaimers(database.queries), [WORKER]);
});

test("after a worker's death its saved results stay, and its other deliveries are due at once", async (t) => {
  const { database, destinationId, eventIds } = await threeEvents(t);
  const { queries } = database;
  const batchId = newId();
  await route(database, batchId);
  const [first = "", ...rest] = eventIds;
  await insertDeliveries(queries, WORKER, [{ destinationId, eventId: first, ...delivered, batchId }], []);
  await releaseDeliveries(queries, [WORKER]);
  assert.deepEqual(await listDeliveryClaimers(queries), []);
  const claimed = await claimDeliveries(queries, { workerId: 8, ...MUCH });
  assert.deepEqual(claimed.map(({ eventId }) => eventId).toSorted(), rest);
  assert.deepEqual(await listDeliveryClaimers(queries), [8]);
  // The worker was not dead, and saves its results.
  const late = rest.map((eventId) => ({
    destinationId,
    eventId,
    ...delivered,
    state: "failed" as const,
    batchId,
  }));
  await insertDeliveries(queries, WORKER, late, [batchId]);
  const states = async () => (await listStates(database, destinationId)).map(({ state }) => state);
  assert.deepEqual(await states(), ["sending", "sending", "delivered"]);
  await updateDeliveries(
    queries,
    8,
    claimed.map((delivery) => ({ ...delivery, ...delivered })),
  );
  assert.deepEqual(await states(), ["delivered", "delivered", "delivered"]);
});

test("a delivery that an unfinished batch gave back is listed once, and its next claim outlives the first worker", async (t) => {
  const { database, destinationId, eventIds } = await threeEvents(t);
  const { queries } = database;
  const [eventId = "", ...unsaved] = eventIds;
  const batchId = newId();
  await route(database, batchId);
  await insertDeliveries(queries, WORKER, [{ kind: "released", destinationId, eventId, batchId }], []);
  const claim = async (workerId: number) =>
    (await claimDeliveries(queries, { workerId, ...MUCH })).map((one) => one.eventId);
  assert.deepEqual(await claim(8), [eventId]);
  const sending = eventIds.toReversed().map((id) => ({ eventId: id, state: "sending", attempts: 0 }));
  assert.deepEqual(await listStates(database, destinationId), sending);
  // The other worker is sending it.
  await releaseDeliveries(queries, [WORKER]);
  assert.deepEqual((await claim(9)).toSorted(), unsaved);
});

test("no delivery of a customer who moves to another shard is claimed, with an attempt or without", async (t) => {
  const { database, projectId, destinationId, eventIds } = await threeEvents(t);
  const { queries, pool } = database;
  const [eventId = ""] = eventIds;
  const batchId = newId();
  await route(database, batchId);
  const result = { ...delivered, state: "waiting" as const, destinationId, eventId, batchId };
  await insertDeliveries(queries, WORKER, [result], []);
  await releaseDeliveries(queries, [WORKER]);
  const group = newId();
  await pool.query("insert into groups values ($1, $2, 'mover', '')", [group, projectId]);
  await pool.query(`update events set data = '{"groupRef":"mover"}'`);
  const claim = async () =>
    (await claimDeliveries(queries, { workerId: 8, ...MUCH })).map((one) => one.eventId);
  const client = await pool.connect();
  try {
    await prepareGuards(client);
    for (const state of ["leaving", "coming"] as const) {
      await setGuard(client, group, state);
      assert.deepEqual(await claim(), []);
    }
    await setGuard(client, group, "arrived");
    assert.deepEqual((await claim()).toSorted(), eventIds);
  } finally {
    client.release();
  }
});

test("a statement ends only the batches that it lists, not others of the same worker", async (t) => {
  const { database, destinationId, eventIds } = await threeEvents(t);
  const { queries } = database;
  const batchId = newId();
  await route(database, batchId);
  const finished = eventIds.map((eventId) => ({ destinationId, eventId, ...delivered, batchId }));
  await releaseBatches(queries, [WORKER], [batchId]);
  assert.deepEqual(await listDeliveryClaimers(queries), [WORKER]);
  // Saving them again, as after a lost answer of the database, changes nothing.
  await insertDeliveries(queries, WORKER, finished.slice(0, 2), []);
  await insertDeliveries(queries, WORKER, finished, [batchId]);
  assert.deepEqual(await listDeliveryClaimers(queries), []);
  await insertDeliveries(queries, WORKER, finished, [batchId]);
  assert.deepEqual(
    (await listStates(database, destinationId)).map(({ state, attempts }) => [state, attempts]),
    [1, 2, 3].map(() => ["delivered", 1]),
  );
});

test("any text of a receiver's answer can be stored", async (t) => {
  const { database, destinationId, eventIds } = await threeEvents(t);
  const batchId = newId();
  await route(database, batchId);
  const attempt = { time: "2026-01-01", durationMs: 1, answer: "a\0b\ud800", error: "\udc00" };
  const finished = eventIds.map((eventId) => ({ destinationId, eventId, ...delivered, attempt, batchId }));
  await insertDeliveries(database.queries, WORKER, finished, [batchId]);
  const [noted] = await readDeliveries(database, destinationId);
  assert.deepEqual(noted?.attempts, [{ ...attempt, answer: "a\ufffdb\ufffd", error: "\ufffd" }]);
});

test("a released delivery is due at once, a skipped one has failed; neither counts as a failed attempt", async (t) => {
  const { database, destinationId, eventIds } = await threeEvents(t);
  const { queries } = database;
  const [released = "", skipped = "", attempted = ""] = eventIds;
  const batchId = newId();
  await route(database, batchId);
  await insertDeliveries(
    queries,
    WORKER,
    [
      { kind: "released", destinationId, eventId: released, batchId },
      { kind: "skipped", destinationId, eventId: skipped, batchId },
      { ...delivered, destinationId, eventId: attempted, batchId },
    ],
    [batchId],
  );
  const { rows } = await database.pool.query(
    "select state, failures, attempts -> 0 ->> 'error' as error from deliveries order by event_id",
  );
  assert.deepEqual(rows, [
    { state: "waiting", failures: 0, error: null },
    { state: "failed", failures: 0, error: "not attempted: the destination is disabled" },
    { state: "delivered", failures: 0, error: null },
  ]);
  const [again] = await claimDeliveries(queries, { workerId: WORKER, ...MUCH });
  assert.deepEqual([again?.eventId, again?.failures], [released, 0]);
});

test("a repeated attempt is added to those before it", async (t) => {
  const { database, destinationId, eventIds } = await threeEvents(t);
  const { queries } = database;
  const batchId = newId();
  await route(database, batchId);
  const results = (state: "waiting" | "delivered") =>
    eventIds.map((eventId) => ({ destinationId, eventId, ...delivered, state, batchId }));
  await insertDeliveries(queries, WORKER, results("waiting"), [batchId]);
  const again = await claimDeliveries(queries, { workerId: WORKER, ...MUCH });
  assert.deepEqual(
    again.map(({ failures }) => failures),
    [1, 1, 1],
  );
  await updateDeliveries(queries, WORKER, results("delivered"));
  assert.deepEqual(
    (await listStates(database, destinationId)).map(({ state, attempts }) => [state, attempts]),
    [1, 2, 3].map(() => ["delivered", 2]),
  );
});

test("a claim reads the index of waiting deliveries, not every destination", async (t) => {
  const { database, destinationId, eventIds } = await threeEvents(t);
  await database.pool.query(`insert into destinations (id, project_id, name, type, metadata, secrets_sealed)
    select gen_random_uuid(), project_id, 'd' || nth, type, metadata, secrets_sealed
    from destinations, generate_series(1, 2000) nth`);
  await database.pool.query("analyze destinations");
  const claim = buildClaimStatement({ workerId: WORKER, ...MUCH }).compile(database.queries);
  const pagesRead = async (): Promise<number> => {
    const explain = `explain (analyze, buffers, format json) ${claim.sql}`;
    const { rows } = await database.pool.query(explain, [...claim.parameters]);
    return rows[0]["QUERY PLAN"][0].Plan["Shared Hit Blocks"];
  };
  await pagesRead();
  assert.ok((await pagesRead()) < 20);
  await database.pool.query(
    "insert into deliveries (destination_id, event_id, state, due_time) select $1, unnest($2::uuid[]), 'waiting', now()",
    [destinationId, eventIds],
  );
  assert.ok((await pagesRead()) < 200);
  const { rows } = await database.pool.query(
    "select count(*)::int from all_deliveries where state = 'sending'",
  );
  assert.deepEqual(rows, [{ count: 3 }]);
});

test("with the statistics of an empty queue, routing does not compare all events with each other", async (t) => {
  const { database, projectId } = await threeEvents(t);
  const many = 600;
  const add = () =>
    insertEvents(
      database.queries,
      Array.from({ length: many }, () => ({
        id: newId(),
        projectId,
        type: "connection.created",
        data: "{}",
      })),
    );
  await database.pool.query("alter table unrouted_events set (autovacuum_enabled = off)");
  await add();
  await database.pool.query("delete from unrouted_events");
  // Pages without rows: the planner takes the table for empty, however much it holds afterwards.
  await database.pool.query("analyze unrouted_events");
  await add();
  const routing = {
    batchId: newId(),
    workerId: WORKER,
    maxEvents: many,
    maxBytes: 1_000_000,
    known: new Map(),
  };
  const statement = routeStatement(routing).compile(database.queries);
  const explain = `explain (analyze, timing off, format json) ${statement.sql}`;
  const { rows } = await database.pool.query(explain, [...statement.parameters]);
  assert.ok(rowsCompared(rows[0]["QUERY PLAN"][0].Plan) < many * 10);
});

interface PlanNode {
  "Rows Removed by Join Filter"?: number;
  Plans?: PlanNode[];
}

/** Returns the number of pairs of rows that joins compared for nothing. */
const rowsCompared = ({ Plans = [], ...node }: PlanNode): number =>
  Plans.reduce((sum, plan) => sum + rowsCompared(plan), node["Rows Removed by Join Filter"] ?? 0);

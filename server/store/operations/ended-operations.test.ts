/** Events of ended operations: which ones are routed, and what the others miss. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../../tests/harness/database.ts";
import { bootstrap } from "../../access/bootstrap.ts";
import { newId } from "../../../ground/ids.ts";
import { routeEvents } from "../deliveries/delivery-batches.ts";
import { listTopicsOfEvent } from "../deliveries/event-pages.ts";
import { insertDestination } from "../deliveries/destinations.ts";
import { insertEvents } from "../deliveries/events.ts";
import { endOperations, insertOperations } from "./operations.ts";
import { eventTopicRoutes, topicDestinationRoutes } from "../deliveries/topic-routes.ts";
import { insertTopic } from "../deliveries/topics.ts";

const TYPES = ["no.topic", "no.destination", "routed.once", "routed.often"];

test("the events of operations that end together go where routing would send them, each by the routes of its project", async (t) => {
  const { queries } = await testDatabase(t);
  const { projectId } = await bootstrap(queries, { org: "o", project: "p" });
  const { projectId: otherId } = await bootstrap(queries, { org: "o2", project: "p2" });
  const addTopic = async (types: string[], destinations: number) => {
    const topic = await insertTopic(queries, projectId, newId());
    for (const eventType of types)
      await eventTopicRoutes.insert(queries, projectId, { topicId: topic.id, eventType });
    for (let count = 0; count < destinations; count += 1) {
      const id = newId();
      const row = { id, projectId, name: id, type: "webhook", metadata: {}, secretsSealed: "sealed" };
      await insertDestination(queries, row);
      await topicDestinationRoutes.insert(queries, projectId, { topicId: topic.id, destinationId: id });
    }
  };
  await addTopic(["no.destination", "routed.often"], 0);
  await addTopic(["routed.once", "routed.often"], 1);
  await addTopic(["routed.often"], 2);

  const events = [projectId, projectId, otherId].flatMap((owner) =>
    TYPES.map((type) => ({ id: newId(), projectId: owner, type, data: "{}" })),
  );
  const about = { configId: newId(), actionType: "write", objectName: "contacts", claimedBy: 1 };
  const ended = events.map((event) => ({
    id: newId(),
    status: "success" as const,
    result: "",
    metadata: {},
    log: [],
    event,
  }));
  await insertOperations(
    queries,
    ended.map(({ id, event }) => ({
      ...about,
      id,
      projectId: event.projectId,
      integrationId: newId(),
      installationId: newId(),
    })),
  );
  await endOperations(queries, ended);
  // Again, as after an answer that was lost: nothing is recorded twice.
  await endOperations(queries, ended);

  const unrouted = await queries.selectFrom("unroutedEvents").select("eventId").execute();
  const listIds = (list: { id: string }[]) => list.map(({ id }) => id).toSorted();
  assert.deepEqual(
    unrouted.map(({ eventId }) => eventId).toSorted(),
    listIds(events.filter((event) => event.projectId === projectId && event.type.startsWith("routed"))),
  );

  const listMissing = async (list: { id: string; type: string; projectId: string }[]) => {
    const rows = await queries
      .selectFrom("eventsNowhere")
      .select(["eventId", "projectId", "missing"])
      .execute();
    const byId = new Map(rows.map((row) => [row.eventId, `${row.missing} of ${row.projectId}`]));
    return list.map(({ id, type }) => [type, byId.get(id)]);
  };
  const listTopics = (list: { id: string; type: string }[]) =>
    Promise.all(list.map(async ({ id, type }) => [type, await listTopicsOfEvent(queries, id)]));
  const routing = { workerId: 1, maxEvents: 100, maxBytes: 1_000_000, known: new Map() };
  const again = events.map((event) => ({ ...event, id: newId() }));
  await insertEvents(queries, again);
  const { deliveries } = await routeEvents(queries, { ...routing, batchId: newId() });
  assert.equal(
    deliveries.length,
    2 * 2 * (1 + 3),
    "twice as many events, of two types with one and three destinations",
  );
  assert.deepEqual(await listMissing(events), await listMissing(again));
  const topics = await listTopics(events);
  assert.deepEqual(topics, await listTopics(again));
  assert.deepEqual(
    topics.map(([, list]) => list?.length),
    [0, 1, 1, 3, 0, 1, 1, 3, 0, 0, 0, 0],
  );
  await queries.deleteFrom("events").execute();
  assert.deepEqual(await queries.selectFrom("eventTopics").selectAll().execute(), []);
});

/** Routes from event types to topics and from topics to destinations, through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { until } from "../../../tests/harness/until.ts";
import { createLog } from "../../../ground/log.ts";
import type { Database } from "../../store/database/database.ts";
import { openDatabase } from "../../store/database/open-database.ts";

describe("routes from event types to topics", () => {
  let busbar: TestBusbar;
  let topicId: string;
  after(() => busbar.stop());
  before(async () => {
    busbar = await openTestBusbar();
    topicId = (await busbar.inProject("POST", "/topics", { name: "customers" })).body.id;
  });

  const PATH = "/notification-event-topic-routes";
  const create = (eventType: string, topic = topicId) =>
    busbar.inProject("POST", PATH, { eventType, topicId: topic });

  test("routes are created, listed by topic and event type, and deleted", async () => {
    const { status, body: route } = await create("connection.created");
    assert.equal(status, 201);
    assert.equal((await create("connection.deleted")).status, 201);
    const listed = (query: string) => busbar.inProject("GET", `${PATH}?${query}`);
    assert.equal((await listed(`topicId=${topicId}`)).body.length, 2);
    assert.deepEqual((await listed("eventType=connection.created")).body, [route]);
    assert.equal((await busbar.inProject("DELETE", `${PATH}/${route.id}`)).status, 204);
    assert.equal((await busbar.inProject("DELETE", `${PATH}/${route.id}`)).status, 404);
  });

  test("a second route of the same kind is refused with 409", async () => {
    assert.equal((await create("installation.created")).status, 201);
    assert.equal((await create("installation.created")).status, 409);
  });

  test("an unknown event type and an unknown topic are refused and named", async () => {
    const event = await create("coffee.ready");
    assert.equal(event.status, 422, event.text);
    assert.equal(event.body.issues[0].name, "eventType");
    const topic = await create("connection.error", "01a1fecd-d759-75de-a63c-a80eaf0833b4");
    assert.equal(topic.status, 404, topic.text);
    assert.match(topic.body.detail, /01a1fecd/);
  });
});

describe("a route to what is just being deleted", () => {
  let busbar: TestBusbar;
  let database: Database;
  after(async () => {
    await database.close();
    await busbar.stop();
  });
  before(async () => {
    busbar = await openTestBusbar();
    const { connectionString, dataUrl } = busbar;
    database = await openDatabase({ connectionString, dataUrl, log: createLog("silent"), poolSize: 2 });
  });

  let counter = 0;
  const createTopic = async (): Promise<string> =>
    (await busbar.inProject("POST", "/topics", { name: `topic-${(counter += 1)}` })).body.id;
  const createDestination = async (): Promise<string> =>
    (
      await busbar.inProject("POST", "/destinations", {
        name: `log-${(counter += 1)}`,
        type: "log",
        metadata: {},
      })
    ).body.id;

  /** The answer to a call that was made before the deletion was committed and could end only after it. */
  async function callAmidDeletion(table: string, id: string, path: string, body: object) {
    const client = await database.pool.connect();
    try {
      await client.query("begin");
      await client.query(`delete from ${table} where id = $1`, [id]);
      const answer = busbar.inProject("POST", path, body);
      await until(async () => {
        const { rowCount } = await database.pool.query(
          `select 1 from pg_stat_activity where datname = current_database()
             and wait_event_type = 'Lock' and query like '%insert into%routes%'`,
        );
        return rowCount === 1;
      });
      await client.query("commit");
      return await answer;
    } finally {
      client.release();
    }
  }

  test("is not found, whichever end goes", async () => {
    const eventType = "connection.created";
    const ends = async () => ({ topicId: await createTopic(), destinationId: await createDestination() });
    const toDestination = await ends();
    const toTopic = await ends();
    const event = { topicId: await createTopic(), eventType };
    for (const [table, id, path, body] of [
      ["destinations", toDestination.destinationId, "/topic-destination-routes", toDestination],
      ["topics", toTopic.topicId, "/topic-destination-routes", toTopic],
      ["topics", event.topicId, "/notification-event-topic-routes", event],
    ] as const) {
      const answer = await callAmidDeletion(table, id, path, body);
      assert.equal(answer.status, 404, answer.text);
      assert.match(answer.body.detail, new RegExp(id));
    }
  });
});

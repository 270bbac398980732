/** Routes that are drawn while what they lead to is being deleted. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { until } from "../../../tests/harness/until.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase, type Database } from "../../store/database.ts";

describe("a route to what is just being deleted", () => {
  let on: TestBusbar;
  let database: Database;
  after(async () => {
    await database.close();
    await on.stop();
  });
  before(async () => {
    on = await openTestBusbar();
    const { connectionString } = on;
    database = await openDatabase({ connectionString, log: createLog("silent"), poolSize: 2 });
  });

  let counter = 0;
  const createTopic = async (): Promise<string> =>
    (await on.inProject("POST", "/topics", { name: `topic-${(counter += 1)}` })).body.id;
  const createDestination = async (): Promise<string> =>
    (
      await on.inProject("POST", "/destinations", {
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
      const answer = on.inProject("POST", path, body);
      await until(async () => {
        const { rowCount } = await database.pool.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into%routes%'",
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

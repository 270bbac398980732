/** Deliveries do without the wake-up of a process that died after its commit, and without a connection that listens. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import { openDelivering } from "../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../tests/harness/deliveries/routes.ts";
import { until } from "../../tests/harness/until.ts";
import { sampleEvent } from "../events/sample-event.ts";
import { recordEvent } from "../events/record-event.ts";
import type { DB } from "../store/database/rows.gen.ts";

const all = await openDelivering();
after(() => all.close());

describe("deliveries without a wake-up", () => {
  test("an event whose process died before it could wake anybody is delivered", async () => {
    const { busbar, sink, database } = all;
    const { name } = await drawRoute(busbar, `${sink.url}/lost`, ["connection.created"]);
    // Over pg's own pool nothing is sent after the commit.
    const silent = new Kysely<DB>({
      dialect: new PostgresDialect({ pool: database.dataPool ?? database.pool }),
      plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    });
    await silent
      .transaction()
      .execute((queries) => recordEvent(queries, sampleEvent("connection.created", busbar.projectId)));
    await all.untilStatus(name, "delivered");
    assert.equal(sink.messagesAt("/lost").length, 1);
  });

  test("an event that is recorded while no connection listens is delivered once", async () => {
    const { busbar, sink, database } = all;
    const { name } = await drawRoute(busbar, `${sink.url}/deaf`, ["connection.updated"]);
    const { rowCount } = await database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'busbar changes'",
    );
    assert.equal(rowCount, 1);
    await all.happens("connection.updated");
    await all.untilStatus(name, "delivered");
    await until(async () => {
      const listening =
        "select from pg_stat_activity where datname = current_database() and application_name = 'busbar changes'";
      return (await database.pool.query(listening)).rowCount === 1;
    });
    assert.equal(sink.messagesAt("/deaf").length, 1);
  });
});

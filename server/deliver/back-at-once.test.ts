/** What waits for a receiver that was away is sent as soon as the receiver is back. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDelivering, type Delivering } from "../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../tests/harness/deliveries/routes.ts";
import { accept } from "../../tests/harness/deliveries/sink.ts";
import { until } from "../../tests/harness/until.ts";

describe("after an outage of a receiver", () => {
  let all: Delivering;
  after(() => all.close());
  before(async () => {
    // The next attempts of what failed would come in hours.
    const env = {
      BUSBAR_WEBHOOK_RETRY_SECONDS: "9000,9000,9000",
      BUSBAR_WEBHOOK_DISABLE_AFTER_SECONDS: "9000",
    };
    all = await openDelivering(env);
  });

  test("the first success brings all that waits, hours before its next attempt", async () => {
    const { busbar, sink } = all;
    let isAway = true;
    sink.answer = (received, response) =>
      isAway ? void response.writeHead(503).end() : accept(received, response);
    const { name } = await drawRoute(busbar, `${sink.url}/away`, ["connection.created"]);
    await all.happens("connection.created", 40);
    const waiting = () => all.untilStatus(name, "waiting", 40);
    const ids = (await waiting()).map(({ id }: { id: string }) => id);
    assert.equal(ids.length, 40);
    isAway = false;
    await all.happens("connection.created", 1);
    await until(() => sink.idsAt("/away").size === 41);
    const delivered = await all.untilStatus(name, "delivered", 41);
    for (const { attempts } of delivered) assert.ok(attempts.length <= 2);
    const { body } = await busbar.inProject("GET", `/destinations/${name}`);
    assert.equal(body.health.state, "working");
  });

  test("a test that the receiver accepts is a success, too", async () => {
    const { busbar, sink } = all;
    let isAway = true;
    sink.answer = (received, response) =>
      isAway ? void response.writeHead(503).end() : accept(received, response);
    const { name } = await drawRoute(busbar, `${sink.url}/tested`, ["connection.deleted"]);
    await all.happens("connection.deleted", 3);
    await all.untilStatus(name, "waiting", 3);
    const send = () => busbar.inProject("POST", `/destinations/${name}:test`);
    const health = async () => (await busbar.inProject("GET", `/destinations/${name}`)).body.health.state;
    assert.equal((await send()).body.delivered, false);
    assert.equal(await health(), "failing");
    isAway = false;
    assert.equal((await send()).body.delivered, true);
    await all.untilStatus(name, "delivered", 3);
    assert.equal(await health(), "working");
    // A later failure counts again, though a process remembers the first one.
    isAway = true;
    await all.happens("connection.deleted", 1);
    await until(async () => (await health()) === "failing");
  });

  test("a single message that was refused for a moment keeps its schedule while others succeed", async () => {
    const { busbar, sink } = all;
    const { name } = await drawRoute(busbar, `${sink.url}/picky`, ["connection.updated"]);
    let refused: string | undefined;
    sink.answer = (received, response) => {
      const id = received.headers["webhook-id"];
      refused ??= id;
      return id === refused ? void response.writeHead(500).end() : accept(received, response);
    };
    await all.happens("connection.updated", 1);
    await all.untilStatus(name, "waiting", 1);
    await all.happens("connection.updated", 5);
    await all.untilStatus(name, "delivered", 5);
    assert.equal(sink.at("/picky").filter(({ headers }) => headers["webhook-id"] === refused).length, 1);
  });
});

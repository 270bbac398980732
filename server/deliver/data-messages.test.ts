/** Data messages are sent to one destination, without envelope, and with a URL instead of a result that is too large. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { sql } from "kysely";
import { newId } from "../../ground/ids.ts";
import { insertEvents } from "../store/deliveries/events.ts";
import { openDelivering } from "../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../tests/harness/deliveries/routes.ts";
import { accept } from "../../tests/harness/deliveries/sink.ts";
import { until } from "../../tests/harness/until.ts";

const all = await openDelivering();
after(() => all.close());

describe("data messages", () => {
  /** Inserts a message for a destination and returns its id. */
  async function send(destinationId: string, message: object, type = "read"): Promise<string> {
    const event = {
      id: newId(),
      projectId: all.busbar.projectId,
      type,
      data: JSON.stringify(message),
      destinationId,
    };
    await insertEvents(all.database.queries, [event]);
    return event.id;
  }

  test("a data message goes to its destination alone, without the envelope of events", async () => {
    const { busbar, sink } = all;
    const target = await drawRoute(busbar, `${sink.url}/data`, []);
    const other = await drawRoute(busbar, `${sink.url}/others`, []);
    // A route of its type does not send it to another destination.
    await sql`
      insert into event_topic_routes (id, project_id, event_type, topic_id)
      values (${newId()}, ${busbar.projectId}, 'read', ${other.topicId})
    `.execute(all.database.queries);
    const message = {
      action: "read",
      objectName: "company",
      resultInfo: { type: "inline", numRecords: 0 },
      result: [],
    };
    const id = await send(target.id, message);
    const [delivery] = await all.untilStatus(target.name, "delivered");
    assert.deepEqual([delivery.id, delivery.eventType], [id, "read"]);
    assert.deepEqual(
      sink.at("/data").map(({ body }) => body),
      [JSON.stringify(message)],
    );
    assert.deepEqual(await all.listDeliveries(other.name), []);
  });

  test("a destination of another project gets nothing", async () => {
    const { busbar, sink } = all;
    const { id, name } = await drawRoute(busbar, `${sink.url}/own`, []);
    const orgId = busbar.server.bootstrap?.orgId;
    const other = await busbar.call("POST", "/v1/projects", { orgId, name: "other", appName: "Other" });
    const foreign = { id: newId(), projectId: other.body.id, type: "read", data: "{}", destinationId: id };
    await insertEvents(all.database.queries, [foreign]);
    const own = await send(id, { action: "read" });
    const deliveries = await all.untilStatus(name, "delivered");
    assert.deepEqual(
      deliveries.map((one: { id: string }) => one.id),
      [own],
    );
  });

  test("a result that is too large is replaced by a URL, which each attempt creates again", async () => {
    const { busbar, sink } = all;
    let failures = 0;
    sink.answer = (received, response) =>
      received.path === "/huge" && ++failures === 1
        ? void response.writeHead(503).end()
        : accept(received, response);
    const { id, name } = await drawRoute(busbar, `${sink.url}/huge`, []);
    const result = [{ id: "1", fields: {}, mappedFields: {}, raw: { text: "ü".repeat(200_000) } }];
    await send(id, {
      action: "read",
      objectName: "company",
      resultInfo: { type: "inline", numRecords: 1 },
      result,
    });
    await all.untilStatus(name, "delivered");
    const urls = sink.at("/huge").map(({ message }) => {
      const { resultInfo, ...members } = message as unknown as { resultInfo: Record<string, unknown> };
      assert.deepEqual(members, { action: "read", objectName: "company" });
      const { downloadUrl, ...info } = resultInfo;
      assert.deepEqual(info, { type: "url", numRecords: 1 });
      return String(downloadUrl);
    });
    assert.equal(new Set(urls).size, 2);
    for (const url of urls) assert.deepEqual(await (await fetch(url)).json(), result);
  });

  test("a message of exactly the limit is sent whole", async () => {
    const { busbar, sink } = all;
    const { id } = await drawRoute(busbar, `${sink.url}/full`, []);
    const message = { action: "read", result: [{ text: "" }] };
    message.result = [{ text: "x".repeat(300_000 - JSON.stringify(message).length) }];
    await send(id, message);
    const [one] = await until(() => sink.at("/full").length > 0 && sink.at("/full"));
    assert.equal(one?.body.length, 300_000);
  });

  test("lists name the type without the message, one delivery shows it, and resending sends the same id", async () => {
    const { busbar, sink } = all;
    const { id, name } = await drawRoute(busbar, `${sink.url}/again`, []);
    const message = { action: "schema.watch", objectName: "contacts", result: {} };
    const eventId = await send(id, message, "schema.watch");
    const [listed] = await all.untilStatus(name, "delivered");
    assert.equal(listed.eventType, "schema.watch");
    assert.ok(!("data" in listed));
    const path = `/destinations/${name}/deliveries/${eventId}`;
    assert.deepEqual((await busbar.inProject("GET", path)).body.data, message);
    assert.equal((await busbar.inProject("POST", `${path}:resend`)).status, 200);
    await until(() => sink.at("/again").length >= 2);
    assert.equal(sink.idsAt("/again").size, 1);
  });
});

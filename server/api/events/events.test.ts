/** Events through the API: their types, their list, and where each went. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { openDelivering } from "../../../tests/harness/deliveries/delivering.ts";
import { addDestination } from "../../../tests/harness/deliveries/routes.ts";
import { until } from "../../../tests/harness/until.ts";
import { EVENT_TYPES } from "../../events/event-types.ts";

interface Shown {
  id: string;
  type: string;
  time: string;
  groupRef?: string;
  nowhere: boolean;
  missing?: string;
  deliveries: { id: string; destinationName: string; status: string }[];
}

const all = await openDelivering();
after(() => all.close());

describe("events", () => {
  const list = async (query: string): Promise<Shown[]> => {
    const { status, body, text } = await all.busbar.inProject("GET", `/events?${query}`);
    assert.equal(status, 200, text);
    return body.results;
  };
  const happened = async (type: "connection.created" | "connection.updated" | "connection.deleted") => {
    await all.happens(type);
    return until(async () => {
      const [event] = await list(`type=${type}&pageSize=1`);
      return event && (event.nowhere || event.deliveries[0]?.status === "delivered") ? event : undefined;
    });
  };

  test("the types need no credential, and each sample is what a test of a destination sends", async () => {
    const { status, body } = await all.busbar.call("GET", "/v1/event-types", undefined, { "x-api-key": "" });
    assert.equal(status, 200);
    assert.deepEqual(
      body.map(({ type }: { type: string }) => type),
      EVENT_TYPES,
    );
    for (const { type, sample, description } of body) {
      assert.equal(sample.notificationType, type);
      assert.ok(sample.data.projectId ?? sample.data.approval);
      assert.match(description, /\.$/);
    }
  });

  test("an event that goes nowhere names what is missing, and one that goes somewhere its deliveries", async () => {
    const { busbar, sink } = all;
    const lost = await happened("connection.created");
    assert.deepEqual([lost.nowhere, lost.missing, lost.deliveries], [true, "topic", []]);
    const eventTypes = ["connection.created"];
    const { body: topic } = await busbar.inProject("POST", "/topics", { name: "half-drawn", eventTypes });
    assert.equal((await happened("connection.created")).missing, "destination");
    const { name } = await addDestination(busbar, `${sink.url}/events`, topic.id);
    const sent = await happened("connection.created");
    assert.equal(sent.missing, undefined);
    assert.deepEqual(
      sent.deliveries.map(({ id, destinationName, status }) => [id, destinationName, status]),
      [[sent.id, name, "delivered"]],
    );
    assert.ok(sink.idsAt("/events").has(sent.id));
    const ids = async (query: string) => (await list(`type=connection.created&${query}`)).map(({ id }) => id);
    assert.deepEqual(await ids("nowhere=false"), [sent.id]);
    assert.equal((await ids("nowhere=true")).at(-1), lost.id);
    assert.equal((await ids("nowhere=true")).length, 2);
    const { body } = await busbar.inProject("GET", `/events/${sent.id}`);
    assert.deepEqual(body.topics, [{ id: topic.id, name: "half-drawn" }]);
    assert.equal(body.data.groupRef, "sample-group");
    assert.deepEqual(body.deliveries, sent.deliveries);
  });

  test("the topics of an event are those that it was published under when it was routed", async () => {
    const { busbar, sink } = all;
    const eventTypes = ["connection.updated"];
    const { body: first } = await busbar.inProject("POST", "/topics", { name: "at-the-time", eventTypes });
    await addDestination(busbar, `${sink.url}/topics`, first.id);
    const { body: unheard } = await busbar.inProject("POST", "/topics", { name: "unheard", eventTypes });
    const { id } = await happened("connection.updated");
    await busbar.inProject("POST", "/topics", { name: "made-later", eventTypes });
    await busbar.inProject("PATCH", `/topics/${unheard.id}`, { name: "renamed" });
    assert.equal((await busbar.inProject("DELETE", `/topics/${first.id}`)).status, 204);
    const { body } = await busbar.inProject("GET", `/events/${id}`);
    assert.deepEqual(body.topics, [
      { id: first.id, name: "at-the-time" },
      { id: unheard.id, name: "unheard" },
    ]);
    const after = await happened("connection.updated");
    assert.equal(after.missing, "destination");
    const { body: lost } = await busbar.inProject("GET", `/events/${after.id}`);
    const names = lost.topics.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ["made-later", "renamed"]);
  });

  test("filters are joined by and, pages show each event once, and `after` shows the newer ones", async () => {
    const { busbar } = all;
    const first = await happened("connection.deleted");
    await all.happens("connection.deleted", 4);
    const path = "type=connection.deleted&groupRef=sample-group&pageSize=2";
    const seen: string[] = [];
    let pageToken = "";
    do {
      const { body } = await busbar.inProject("GET", `/events?${path}${pageToken}`);
      seen.push(...body.results.map(({ id }: Shown) => id));
      pageToken = body.pagination.done ? "" : `&pageToken=${body.pagination.nextPageToken}`;
    } while (pageToken);
    assert.equal(seen.length, 5);
    assert.deepEqual(seen, seen.toSorted().toReversed());
    assert.equal((await list(`type=connection.deleted&after=${first.id}`)).length, 4);
    assert.equal((await list("type=connection.deleted&groupRef=other")).length, 0);
    assert.equal((await list("type=connection.deleted&text=SAMPLE-GR")).length, 5);
    assert.equal((await list("type=connection.deleted&text=groupRef")).length, 0);
    assert.equal((await list(`type=connection.deleted&until=${first.time}`)).length, 0);
    assert.ok((await list(`since=${first.time}`)).length >= 5);
    assert.equal((await list("operationId=01a1fecd-d759-75de-a63c-a80eaf0833b4")).length, 0);
    assert.equal((await busbar.inProject("GET", "/events?type=nothing")).status, 400);
    assert.equal((await busbar.inProject("GET", "/events/01a1fecd-d759-75de-a63c-a80eaf0833b4")).status, 404);
  });
});

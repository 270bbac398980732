/** Topics through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";

const busbar = await shareTestBusbar();

describe("topics", () => {
  const create = (name: string) => busbar.inProject("POST", "/topics", { name });

  test("a topic is created, listed, renamed and deleted", async () => {
    const { status, body: topic } = await create("sales");
    assert.equal(status, 201);
    assert.deepEqual((await busbar.inProject("GET", `/topics/${topic.id}`)).body, topic);
    const renamed = await busbar.inProject("PATCH", `/topics/${topic.id}`, { name: "deals" });
    assert.equal(renamed.body.name, "deals");
    assert.ok(renamed.body.updateTime);
    assert.deepEqual((await busbar.inProject("GET", "/topics")).body, [renamed.body]);
    assert.equal((await busbar.inProject("DELETE", `/topics/${topic.id}`)).status, 204);
    assert.equal((await busbar.inProject("DELETE", `/topics/${topic.id}`)).status, 404);
  });

  test("a malformed name is refused with its place, on creation and renaming", async () => {
    const { body: topic } = await create("fine");
    for (const name of ["", "-a", "a b", "x".repeat(65)]) {
      for (const answer of [
        await create(name),
        await busbar.inProject("PATCH", `/topics/${topic.id}`, { name }),
      ]) {
        assert.equal(answer.status, 422, `${name}: ${answer.text}`);
        assert.equal(answer.body.issues[0].name, "name");
      }
    }
  });

  test("a name that is taken is refused with 409, on creation and renaming", async () => {
    const { body: topic } = await create("free");
    assert.equal((await create("taken")).status, 201);
    assert.equal((await create("taken")).status, 409);
    assert.equal((await busbar.inProject("PATCH", `/topics/${topic.id}`, { name: "taken" })).status, 409);
  });

  const receiver = async (name: string): Promise<string> =>
    (await busbar.inProject("POST", "/destinations", { name, type: "log", metadata: {} })).body.id;

  test("a topic is created with its routes in one call, and the routes are those of the route lists", async () => {
    const destinationId = await receiver("audit");
    const eventTypes = ["connection.error", "write.async.done"];
    const body = { name: "routed", eventTypes, destinationIds: [destinationId, destinationId] };
    const { status, body: topic } = await busbar.inProject("POST", "/topics", body);
    assert.equal(status, 201);
    assert.deepEqual([topic.eventTypes, topic.destinationIds], [eventTypes, [destinationId]]);
    assert.deepEqual((await busbar.inProject("GET", `/topics/${topic.id}`)).body, topic);
    const steps = await busbar.inProject("GET", `/notification-event-topic-routes?topicId=${topic.id}`);
    assert.deepEqual(
      steps.body.map((route: { eventType: string }) => route.eventType),
      eventTypes,
    );
    const ends = await busbar.inProject("GET", `/topic-destination-routes?topicId=${topic.id}`);
    assert.deepEqual(
      ends.body.map((route: { destinationId: string }) => route.destinationId),
      [destinationId],
    );
  });

  test("if one part of a topic is refused, nothing of it exists", async () => {
    const destinationIds = [await receiver("kept"), "01a1fecd-d759-75de-a63c-a80eaf0833b4"];
    const eventTypes = ["connection.error"];
    const refused = await busbar.inProject("POST", "/topics", { name: "half", eventTypes, destinationIds });
    assert.equal(refused.status, 404, refused.text);
    assert.match(refused.body.detail, /0833b4/);
    assert.equal(refused.body.issues[0].name, "destinationIds.1");
    const unknown = await busbar.inProject("POST", "/topics", {
      name: "half",
      eventTypes: [...eventTypes, "nothing"],
    });
    assert.equal(unknown.status, 422, unknown.text);
    assert.equal(unknown.body.issues[0].name, "eventTypes.1");
    const { body } = await busbar.inProject("GET", "/topics");
    assert.ok(!body.some((topic: { name: string }) => topic.name === "half"));

    const { body: topic } = await busbar.inProject("POST", "/topics", { name: "whole", eventTypes });
    const change = { name: "changed", eventTypes: ["installation.created"], destinationIds };
    assert.equal((await busbar.inProject("PATCH", `/topics/${topic.id}`, change)).status, 404);
    assert.deepEqual((await busbar.inProject("GET", `/topics/${topic.id}`)).body, topic);
  });

  test("an update replaces the sets that it names, keeps the others, and keeps routes that stay", async () => {
    const [first, second] = [await receiver("first"), await receiver("second")];
    const { body: topic } = await busbar.inProject("POST", "/topics", {
      name: "changing",
      eventTypes: ["connection.created", "connection.error"],
      destinationIds: [first],
    });
    const routes = () => busbar.inProject("GET", `/notification-event-topic-routes?topicId=${topic.id}`);
    const before = (await routes()).body;
    const change = (body: object) => busbar.inProject("PATCH", `/topics/${topic.id}`, body);
    const more = await change({ eventTypes: ["connection.error", "connection.deleted"] });
    assert.equal(more.status, 200, more.text);
    assert.equal(more.body.name, "changing");
    assert.deepEqual(more.body.destinationIds, [first]);
    const after = (await routes()).body;
    assert.equal(after[0].id, before[1].id);
    assert.deepEqual(more.body.eventTypes, ["connection.error", "connection.deleted"]);
    const other = await change({ destinationIds: [second] });
    assert.deepEqual([other.body.destinationIds, other.body.eventTypes.length], [[second], 2]);
    const none = await change({ eventTypes: [], destinationIds: [] });
    assert.deepEqual([none.body.eventTypes, none.body.destinationIds], [[], []]);
  });

  test("an unknown id is refused with 404", async () => {
    for (const id of ["nothing", "01a1fecd-d759-75de-a63c-a80eaf0833b4"]) {
      assert.equal((await busbar.inProject("GET", `/topics/${id}`)).status, 404);
      assert.equal((await busbar.inProject("PATCH", `/topics/${id}`, { name: "other" })).status, 404);
    }
  });
});

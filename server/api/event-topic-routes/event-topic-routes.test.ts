/** Routes from event types to topics through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";

describe("routes from event types to topics", () => {
  let on: TestBusbar;
  let topicId: string;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
    topicId = (await on.inProject("POST", "/topics", { name: "customers" })).body.id;
  });

  const PATH = "/notification-event-topic-routes";
  const create = (eventType: string, topic = topicId) =>
    on.inProject("POST", PATH, { eventType, topicId: topic });

  test("routes are created, listed by topic and event type, and deleted", async () => {
    const { status, body: route } = await create("connection.created");
    assert.equal(status, 201);
    assert.equal((await create("connection.deleted")).status, 201);
    const listed = (query: string) => on.inProject("GET", `${PATH}?${query}`);
    assert.equal((await listed(`topicId=${topicId}`)).body.length, 2);
    assert.deepEqual((await listed("eventType=connection.created")).body, [route]);
    assert.equal((await on.inProject("DELETE", `${PATH}/${route.id}`)).status, 204);
    assert.equal((await on.inProject("DELETE", `${PATH}/${route.id}`)).status, 404);
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

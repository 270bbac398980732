/** Slow receivers delay only themselves, over a real Busbar. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { bootstrap } from "../access/bootstrap.ts";
import { openDelivering } from "../../tests/harness/deliveries/delivering.ts";
import { addDestination, drawRoute } from "../../tests/harness/deliveries/routes.ts";
import { accept } from "../../tests/harness/deliveries/sink.ts";
import { until } from "../../tests/harness/until.ts";
import { recordEvents } from "../events/record-event.ts";
import { sampleEvent } from "../events/sample-event.ts";

const SLOW = 72;
const EVENTS = 110;

test("72 receivers that answer late delay no webhook of another project, nor another of their own", async (t) => {
  const all = await openDelivering({ BUSBAR_WEBHOOK_TIMEOUT_SECONDS: "60" });
  const { busbar, sink, database } = all;
  const held: (() => void)[] = [];
  t.after(async () => {
    sink.answer = accept;
    held.forEach((answer) => answer());
    await all.close();
  });
  const { projectId, apiKey } = await database.queries
    .transaction()
    .execute((queries) => bootstrap(queries, { org: "other", project: "other" }));
  const inOther = {
    ...busbar,
    inProject: (method: string, path: string, body?: unknown) =>
      busbar.call(method, `/v1/projects/${projectId}${path}`, body, { "x-api-key": apiKey }),
  };
  await drawRoute(inOther, `${sink.url}/other`, ["connection.created"]);
  await drawRoute(busbar, `${sink.url}/own`, ["connection.deleted"]);
  const { topicId } = await drawRoute(busbar, `${sink.url}/slow/0`, ["connection.created"]);
  await Promise.all(
    Array.from({ length: SLOW - 1 }, (_, nth) =>
      addDestination(busbar, `${sink.url}/slow/${nth + 1}`, topicId),
    ),
  );

  sink.answer = (received, response) => {
    if (received.path.startsWith("/slow/")) held.push(() => void response.writeHead(200).end());
    else accept(received, response);
  };
  await all.happens("connection.created", EVENTS);
  await until(() => held.length > 2_000);
  await wait(500);
  assert.ok(held.length < 4_000, `${held.length} requests under way`);
  for (let round = 1; round <= 3; round++) {
    await database.queries
      .transaction()
      .execute((queries) => recordEvents(queries, [sampleEvent("connection.created", projectId)]));
    await all.happens("connection.deleted");
    await until(() => sink.idsAt("/other").size === round && sink.idsAt("/own").size === round);
  }
});

test("a receiver that never answers delays no other", async (t) => {
  const all = await openDelivering({ BUSBAR_WEBHOOK_TIMEOUT_SECONDS: "60" });
  const { busbar, sink } = all;
  const held: (() => void)[] = [];
  t.after(async () => {
    sink.answer = accept;
    held.forEach((answer) => answer());
    await all.close();
  });
  sink.answer = (received, response) => {
    if (received.path === "/hangs") held.push(() => void response.writeHead(200).end());
    else accept(received, response);
  };
  const slow = await drawRoute(busbar, `${sink.url}/hangs`, ["read.triggered.done"]);
  const fast = await drawRoute(busbar, `${sink.url}/quick`, ["read.triggered.done"]);
  await all.happens("read.triggered.done", 300);
  await until(() => sink.idsAt("/quick").size === 300);
  const waiting = await all.listDeliveries(slow.name);
  assert.deepEqual(
    waiting.filter(({ status }) => status !== "sending" && status !== "waiting"),
    [],
  );
  const [first] = waiting;
  const one = await busbar.inProject("GET", `/destinations/${slow.name}/deliveries/${first.id}`);
  assert.equal(one.body.id, first.id);
  await all.untilStatus(fast.name, "delivered", 200);
});

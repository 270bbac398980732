/** Deliveries while their destinations and routes change: disabling, deleting, rerouting, retention. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { newId } from "../../ground/ids.ts";
import { createLog } from "../../ground/log.ts";
import { sweep } from "../jobs/retention.ts";
import { readQueueDepths } from "../store/processes/queue-depths.ts";
import type { Database } from "../store/database/database.ts";
import { sampleEvent } from "../events/sample-event.ts";
import { listDeliveryRetentionRules } from "./delivery-retention.ts";
import { recordEvent } from "../events/record-event.ts";
import { openDelivering } from "../../tests/harness/deliveries/delivering.ts";
import { addDestination, drawRoute } from "../../tests/harness/deliveries/routes.ts";
import { accept, type Answerer } from "../../tests/harness/deliveries/sink.ts";
import { until } from "../../tests/harness/until.ts";

const sweepDeliveries = (database: Database, retentionDays: number) =>
  sweep(
    createLog("error"),
    listDeliveryRetentionRules(database, { eventDays: retentionDays, deliveredDataDays: retentionDays }),
    () => false,
  );

const all = await openDelivering();
after(() => all.close());

describe("deliveries amid changes", () => {
  const refuse =
    (path: string, status: number): Answerer =>
    (received, response) =>
      received.path === path ? void response.writeHead(status).end("no") : accept(received, response);
  const disabledTime = async (name: string) =>
    (await all.busbar.inProject("GET", `/destinations/${name}`)).body.disabledTime;

  test("410 disables at once; the event goes to other destinations and never to the disabled one", async () => {
    const { busbar, sink } = all;
    sink.answer = refuse("/gone?key=secret", 410);
    const gone = await drawRoute(busbar, `${sink.url}/gone?key=secret`, [
      "connection.created",
      "destination.webhook.disabled",
    ]);
    const other = await drawRoute(busbar, `${sink.url}/news`, ["destination.webhook.disabled"]);
    await all.happens("connection.created");
    const [news] = await all.untilStatus(other.name, "delivered");
    assert.equal(news.eventType, "destination.webhook.disabled");
    assert.deepEqual(sink.at("/news")[0]?.message.data, {
      projectId: busbar.projectId,
      destinationId: gone.id,
      destinationName: gone.name,
      url: `${sink.url}/gone?…`,
    });
    assert.ok(await disabledTime(gone.name));
    assert.equal((await all.listDeliveries(gone.name)).length, 1);
    sink.answer = accept;
  });

  test("410 from an address that has been changed meanwhile disables nothing", async () => {
    const { busbar, sink } = all;
    let answer: (() => void) | undefined;
    sink.answer = (received, response) =>
      received.path === "/old"
        ? void (answer = () => response.writeHead(410).end())
        : accept(received, response);
    const { name } = await drawRoute(busbar, `${sink.url}/old`, ["connection.created"]);
    await all.happens("connection.created");
    await until(() => answer !== undefined);
    await busbar.inProject("PATCH", `/destinations/${name}`, {
      updateMask: ["metadata.url"],
      destination: { metadata: { url: `${sink.url}/new` } },
    });
    answer?.();
    await all.untilStatus(name, "failed");
    // Whether to disable is judged behind that, and before anything that happens from now on.
    await all.happens("connection.created");
    await all.untilStatus(name, "delivered");
    assert.equal(sink.idsAt("/new").size, 1);
    assert.equal(await disabledTime(name), undefined);
    sink.answer = accept;
  });

  test("a webhook that has only failed for long is disabled, others get the event, and enabled again it gets what is resent", async () => {
    const { busbar, sink } = all;
    sink.answer = refuse("/down", 500);
    const { name, id } = await drawRoute(busbar, `${sink.url}/down`, ["connection.updated"]);
    await drawRoute(busbar, `${sink.url}/told`, ["destination.webhook.disabled"]);
    const since = new Date().toISOString();
    let happened = 1;
    await until(async () => {
      happened += 1;
      await all.happens("connection.updated");
      return disabledTime(name);
    });
    await all.happens("connection.updated");
    await until(async () => {
      const made = await all.listDeliveries(name);
      return made.length === happened && made.every(({ status }) => status === "failed");
    });
    const [reported] = await until(() => sink.at("/told").length > 0 && sink.at("/told"));
    assert.equal(reported?.message.data["destinationId"], id);
    const failed = await all.listDeliveries(name);
    const { error, time } = failed[0].attempts.at(-1);
    assert.match(error, /destination is disabled/);
    assert.equal(new Date(time).toISOString(), time);
    sink.answer = accept;
    const attempts = sink.at("/down").length;
    const refused = await busbar.inProject("POST", `/destinations/${name}/deliveries:resend`, { since });
    assert.equal(refused.status, 409);

    const url = `${sink.url}/up`;
    const enabled = await busbar.inProject("PATCH", `/destinations/${name}`, {
      updateMask: ["metadata.url"],
      destination: { metadata: { url } },
    });
    assert.equal(enabled.body.disabledTime, undefined);
    assert.equal(sink.at("/up").length, 0);
    const resent = await busbar.inProject("POST", `/destinations/${name}/deliveries:resend`, { since });
    assert.equal(resent.body.count, failed.length);
    await all.untilStatus(name, "delivered", failed.length);
    assert.deepEqual(
      new Set(sink.at("/up").map(({ headers }) => headers["svix-id"])),
      new Set(failed.map(({ id }) => id)),
    );
    assert.equal(sink.at("/down").length, attempts);
  });

  test("one success between failures keeps a destination enabled", async () => {
    const { busbar, sink } = all;
    let count = 0;
    sink.answer = (received, response) =>
      received.path === "/moody" && count++ % 2 === 0
        ? void response.writeHead(500).end()
        : accept(received, response);
    const { name } = await drawRoute(busbar, `${sink.url}/moody`, ["connection.refreshed"]);
    const started = performance.now();
    while (performance.now() - started < 1_500) {
      await all.happens("connection.refreshed");
      await until(async () => (await all.listDeliveries(name)).every(({ status }) => status === "delivered"));
    }
    assert.equal(await disabledTime(name), undefined);
    sink.answer = accept;
  });

  test("while events occur, every destination gets exactly those that occurred while a route led to it", async () => {
    const { busbar, sink, database } = all;
    const early = await drawRoute(busbar, `${sink.url}/early`, ["installation.deleted"]);
    const reported: string[] = [];
    const flowing = new AbortController();
    const flow = (async () => {
      for (let index = 0; !flowing.signal.aborted; index++) {
        const event = sampleEvent("installation.deleted", busbar.projectId);
        await recordEvent(database.queries, {
          ...event,
          data: { ...event.data, groupRef: String(index) },
        } as typeof event);
        reported.push(String(index));
      }
    })();
    const arrived = (path: string) => sink.at(path).map(({ message }) => String(message.data["groupRef"]));
    await until(() => arrived("/early").length > 20);
    await addDestination(busbar, `${sink.url}/late`, early.topicId);
    const lateFrom = reported.length + 1;
    await busbar.inProject("PATCH", `/topics/${early.topicId}`, { name: "renamed" });
    await until(() => arrived("/late").length > 20);
    const [route] = (await busbar.inProject("GET", `/topic-destination-routes?destinationId=${early.id}`))
      .body;
    // What happened before the route goes is on its way when nothing is left to route.
    const before = reported.length;
    await until(() => arrived("/early").includes(String(before - 1)));
    await busbar.inProject("DELETE", `/topic-destination-routes/${route.id}`);
    const goneFrom = reported.length + 1;
    await until(() => reported.length > goneFrom + 20);
    flowing.abort();
    await flow;
    await until(() => arrived("/late").includes(reported.at(-1) ?? ""));
    await until(async () => (await busbar.inProject("GET", "/deliveries")).body.length === 0);
    const late = new Set(arrived("/late"));
    assert.deepEqual(
      reported.slice(lateFrom).filter((index) => !late.has(index)),
      [],
    );
    const earlyOnes = new Set(arrived("/early"));
    assert.deepEqual(
      reported.slice(0, before).filter((index) => !earlyOnes.has(index)),
      [],
    );
    assert.deepEqual(
      reported.slice(goneFrom).filter((index) => earlyOnes.has(index)),
      [],
    );
    assert.equal(earlyOnes.size, sink.idsAt("/early").size);
  });

  test("a deleted destination gets nothing more, and its waiting deliveries are removed", async () => {
    const { busbar, sink, database } = all;
    const held: (() => void)[] = [];
    sink.answer = (received, response) =>
      received.path === "/leaves"
        ? void held.push(() => response.writeHead(503).end())
        : accept(received, response);
    const { name, id } = await drawRoute(busbar, `${sink.url}/leaves`, ["write.async.done"]);
    const stays = await drawRoute(busbar, `${sink.url}/stays`, ["write.async.done"]);
    await all.happens("write.async.done", 500);
    await until(() => held.length >= 64);
    assert.equal((await busbar.inProject("DELETE", `/destinations/${name}`)).status, 204);
    await until(() => sink.idsAt("/stays").size === 500);
    const seen = sink.at("/leaves").length;
    held.forEach((answer) => answer());
    await all.happens("write.async.done", 10);
    await all.untilStatus(stays.name, "delivered", 200);
    await until(async () => (await busbar.inProject("GET", "/deliveries")).body.length === 0);
    assert.equal(sink.at("/leaves").length, seen);
    const left = async () =>
      (await database.pool.query("select 1 from deliveries where destination_id = $1", [id])).rowCount;
    await until(async () => (await left()) === 500);
    assert.equal((await readQueueDepths(database)).deliveries, 0, "nobody waits for what waits there");
    // What is still being handed over when the sweep comes by goes with the next one.
    await until(async () => {
      await sweepDeliveries(database, 30);
      return (await left()) === 0;
    });
    sink.answer = accept;
  });

  test("when the database drops its connections, everything arrives and nothing is left behind", async () => {
    const { busbar, sink, database } = all;
    const { name } = await drawRoute(busbar, `${sink.url}/dropped`, ["read.triggered.error"]);
    for (let round = 0; round < 5; round++) {
      await all.happens("read.triggered.error", 200);
      await until(() => sink.at("/dropped").length > round * 200 + 20);
      await database.pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'busbar deliveries' and datname = current_database()",
      );
    }
    await until(() => sink.idsAt("/dropped").size === 1_000);
    await until(async () => (await busbar.inProject("GET", "/deliveries")).body.length === 0);
    assert.equal((await all.listDeliveries(name)).filter(({ status }) => status !== "delivered").length, 0);
  });

  test("events and deliveries older than the retention are removed, younger ones stay", async () => {
    const { database } = all;
    const counts = async () => {
      const { rows } = await database.pool.query(
        "select (select count(*) from events)::int as events, (select count(*) from deliveries)::int as deliveries",
      );
      return rows[0];
    };
    const before = await counts();
    await sweepDeliveries(database, 1);
    assert.deepEqual(await counts(), before);
    await until(async () => {
      await sweepDeliveries(database, -1);
      const { events, deliveries } = await counts();
      return events === 0 && deliveries === 0;
    });
  });

  test("deliveries claimed by a statement whose answer was lost are released, even without a later error", async () => {
    const { busbar, sink, database } = all;
    const { id, name } = await drawRoute(busbar, `${sink.url}/forgotten`, []);
    await recordEvent(database.queries, sampleEvent("connection.created", busbar.projectId));
    const { rows } = await database.pool.query("select id from events order by id desc limit 1");
    await database.pool.query(
      `insert into delivery_batches (id, worker_id, destination_ids, event_ids)
         select $1, (select last_value from worker_ids), array[$2::uuid], array[$3::uuid]`,
      [newId(), id, rows[0].id],
    );
    await all.untilStatus(name, "delivered");
    await database.pool.query(
      `update deliveries set state = 'sending', claimed_by = (select last_value from worker_ids)
         where destination_id = $1`,
      [id],
    );
    await until(() => sink.at("/forgotten").length >= 2);
  });
});

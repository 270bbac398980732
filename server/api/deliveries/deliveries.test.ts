/** Looking deliveries up and sending them again, through the API. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { openDelivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { accept } from "../../../tests/harness/deliveries/sink.ts";
import { addPerson } from "../../../tests/harness/people.ts";
import { until } from "../../../tests/harness/until.ts";

const all = await openDelivering({
  BUSBAR_WEBHOOK_RETRY_SECONDS: "3600",
  // No destination may be disabled here, however slow the machine is.
  BUSBAR_WEBHOOK_DISABLE_AFTER_SECONDS: "600",
});
after(() => all.close());

describe("deliveries through the API", () => {
  test("pages show every delivery once, the newest first, and can be narrowed to a status", async () => {
    const { busbar, sink } = all;
    const { name } = await drawRoute(busbar, `${sink.url}/pages`, ["connection.created"]);
    await all.happens("connection.created", 25);
    await all.untilStatus(name, "delivered", 25);
    const seen: string[] = [];
    let pageToken = "";
    do {
      const path = `/destinations/${name}/deliveries?pageSize=10&status=delivered${pageToken}`;
      const { results, pagination } = (await busbar.inProject("GET", path)).body;
      seen.push(...results.map(({ id }: { id: string }) => id));
      pageToken = pagination.done ? "" : `&pageToken=${pagination.nextPageToken}`;
    } while (pageToken);
    assert.equal(seen.length, 25);
    assert.deepEqual(seen, [...new Set(seen)].toSorted().toReversed());
    const failed = await busbar.inProject("GET", `/destinations/${name}/deliveries?status=failed`);
    assert.deepEqual(failed.body, { results: [], pagination: { done: true } });
    assert.equal((await busbar.inProject("GET", `/destinations/${name}/deliveries?pageToken=x`)).status, 400);
  });

  test("what waits is listed with its next attempt, and resending attempts it now", async () => {
    const { busbar, sink } = all;
    sink.answer = (_received, response) => void response.writeHead(500).end();
    const { name } = await drawRoute(busbar, `${sink.url}/waits`, ["connection.updated"]);
    await all.happens("connection.updated");
    const [waiting] = await until(async () => {
      const list = (await busbar.inProject("GET", "/deliveries")).body;
      return list[0]?.status === "waiting" && list;
    });
    assert.ok(Date.parse(waiting.nextAttemptTime) > Date.now() + 2_000_000);
    sink.answer = accept;
    const resent = await busbar.inProject("POST", `/destinations/${name}/deliveries/${waiting.id}:resend`);
    assert.equal(resent.status, 200, resent.text);
    const [delivered] = await all.untilStatus(name, "delivered");
    assert.equal(delivered.attempts.length, 2);
    assert.deepEqual((await busbar.inProject("GET", "/deliveries")).body, []);
  });

  test("after an outage, what waits for a retry is attempted at once by one call, and is not counted again", async () => {
    const { busbar, sink } = all;
    sink.answer = (_received, response) => void response.writeHead(500).end();
    const { name } = await drawRoute(busbar, `${sink.url}/outage`, ["connection.error"]);
    await all.happens("connection.error", 3);
    await all.untilStatus(name, "waiting", 3);
    sink.answer = accept;
    const resend = { since: "2020-01-01T00:00:00Z", status: "undelivered" };
    const path = `/destinations/${name}/deliveries:resend`;
    assert.deepEqual((await busbar.inProject("POST", path, resend)).body, { count: 3 });
    await all.untilStatus(name, "delivered", 3);
    assert.deepEqual((await busbar.inProject("POST", path, resend)).body, { count: 0 });
  });

  test("a range is resent with the ids it had; a range that ends before it begins is refused", async () => {
    const { busbar, sink } = all;
    const { name } = await drawRoute(busbar, `${sink.url}/range`, ["connection.deleted"]);
    const since = new Date().toISOString();
    await all.happens("connection.deleted", 5);
    await all.untilStatus(name, "delivered", 5);
    const end = new Date(Date.now() + 1).toISOString();
    const path = `/destinations/${name}/deliveries:resend`;
    assert.deepEqual((await busbar.inProject("POST", path, { since })).body, { count: 0 });
    const resent = await busbar.inProject("POST", path, { since, until: end, status: "delivered" });
    assert.deepEqual(resent.body, { count: 5 });
    await until(() => sink.at("/range").length >= 10);
    assert.equal(sink.idsAt("/range").size, 5);
    const refusals: [body: object, says: RegExp][] = [
      [{ since: end, until: since }, /^until: must be later/],
      [{ since: "2999-01-01T00:00:00Z" }, /^since: must lie in the past/],
      [{ since: "yesterday" }, /^since: must be a time with its zone such as /],
    ];
    for (const [body, says] of refusals) {
      const refused = await busbar.inProject("POST", path, body);
      assert.equal(refused.status, 400);
      assert.match(refused.body.detail, says);
      assert.equal(refused.body.issues.length, 1);
    }
  });

  test("the attempts show the request as it was sent, without the values of the destination's own headers", async () => {
    const { busbar, sink } = all;
    const headers = { "X-Tenant": "acme-secret" };
    const { name } = await drawRoute(busbar, `${sink.url}/sent?key=of-ours`, ["installation.created"], {
      headers,
    });
    await all.happens("installation.created");
    const [{ id, attempts }] = await all.untilStatus(name, "delivered");
    assert.equal(attempts[0].request, undefined);
    const { body, text } = await busbar.inProject("GET", `/destinations/${name}/deliveries/${id}`);
    const [received] = sink.at("/sent?key=of-ours");
    assert.ok(received);
    const { request } = body.attempts[0];
    assert.deepEqual([request.method, request.url], ["POST", `${sink.url}/sent?key=of-ours`]);
    assert.equal(request.body, received.body);
    assert.equal(request.headers["x-tenant"], "…");
    assert.ok(!text.includes("acme-secret"));
    const viewer = (await addPerson(busbar, "viewer")).headers;
    const path = `/destinations/${name}/deliveries/${id}`;
    const seen = await busbar.inProject("GET", path, undefined, viewer);
    assert.equal(seen.body.attempts[0].request.url, `${sink.url}/sent?…`);
    for (const [header, value] of Object.entries(request.headers))
      if (header !== "x-tenant") assert.equal(received.headers[header], value, header);
    for (const header of [
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
      "svix-signature",
      "content-type",
    ])
      assert.ok(request.headers[header], header);
  });

  test("deliveries of all destinations are one list, narrowed by destination, event, type, customer and period", async () => {
    const { busbar, sink } = all;
    const one = await drawRoute(busbar, `${sink.url}/one`, ["installation.updated"]);
    const two = await drawRoute(busbar, `${sink.url}/two`, ["installation.updated"]);
    await all.happens("installation.updated", 3);
    await all.untilStatus(one.name, "delivered", 3);
    await all.untilStatus(two.name, "delivered", 3);
    const search = async (query: string) => {
      const { status, body, text } = await busbar.inProject("GET", `/deliveries:search?${query}`);
      assert.equal(status, 200, text);
      return body;
    };
    const seen: string[] = [];
    let pageToken = "";
    do {
      const body = await search(`type=installation.updated&pageSize=4${pageToken}`);
      for (const { eventId, destinationName } of body.results) seen.push(`${eventId} ${destinationName}`);
      pageToken = body.pagination.done ? "" : `&pageToken=${body.pagination.nextPageToken}`;
    } while (pageToken);
    assert.deepEqual([seen.length, new Set(seen).size], [6, 6]);
    const { results } = await search(`destination=${one.name}`);
    assert.deepEqual([results.length, results[0].groupRef], [3, "sample-group"]);
    const [newest, middle] = results;
    assert.equal((await search(`eventId=${middle.eventId}`)).results.length, 2);
    assert.equal((await search(`after=${middle.id}&destination=${two.id}`)).results[0].id, newest.id);
    assert.equal((await search(`destination=${one.id}&until=${results[2].eventTime}`)).results.length, 0);
    assert.equal((await search(`destination=${one.id}&groupRef=sample-group`)).results.length, 3);
    for (const nothing of [
      "groupRef=other",
      "destination=none",
      "eventId=none",
      "status=failed&type=installation.updated",
    ])
      assert.deepEqual((await search(nothing)).results, [], nothing);
    assert.equal((await busbar.inProject("GET", "/deliveries:search?type=nothing")).status, 400);
  });

  test("a destination tells what waits and has failed; a dry run counts what a resend sends", async () => {
    const { busbar, sink } = all;
    const { name } = await drawRoute(busbar, `${sink.url}/broken`, [
      "read.triggered.done",
      "read.triggered.error",
    ]);
    const resend = async (body: object) =>
      (await busbar.inProject("POST", `/destinations/${name}/deliveries:resend`, body)).body;
    const readHealth = async () => (await busbar.inProject("GET", `/destinations/${name}`)).body.health;
    assert.deepEqual(await readHealth(), { state: "idle", waiting: 0, failed: 0 });
    await all.happens("read.triggered.done");
    await all.untilStatus(name, "delivered");
    const working = await until(async () => {
      const health = await readHealth();
      return health.state === "working" && health;
    });
    assert.ok(Date.parse(working.lastDeliveredTime) <= Date.now());
    sink.answer = ({ path }, response) => void response.writeHead(path === "/broken" ? 500 : 200).end();
    await all.happens("read.triggered.done", 3);
    await all.happens("read.triggered.error");
    await all.untilStatus(name, "waiting", 4);
    const failing = await until(async () => {
      const health = await readHealth();
      return health.state === "failing" && health;
    });
    assert.equal(failing.waiting, 4);
    assert.equal(failing.lastDeliveredTime, working.lastDeliveredTime);
    assert.ok(failing.failingSince >= working.lastDeliveredTime);
    const undelivered = { since: "2020-01-01T00:00:00Z", status: "undelivered", dryRun: true };
    assert.equal((await resend({ ...undelivered, status: "failed" })).count, 0);
    assert.equal((await resend(undelivered)).count, 4);
    await all.database.pool.query("update deliveries set state = 'failed' where state = 'waiting'");
    assert.equal((await resend(undelivered)).count, 4);
    assert.deepEqual([(await readHealth()).failed, (await readHealth()).waiting], [4, 0]);
    sink.answer = accept;
    const failed = (await busbar.inProject("GET", `/destinations/${name}/deliveries?status=failed`)).body
      .results;
    const ofType = { since: "2020-01-01T00:00:00Z", type: "read.triggered.done" };
    assert.deepEqual(await resend({ ...ofType, dryRun: true }), { count: 3, dryRun: true });
    assert.equal((await readHealth()).failed, 4);
    const ids = [failed[0].id, failed[1].id, "none"];
    assert.deepEqual(await resend({ ids, dryRun: true }), { count: 2, dryRun: true });
    assert.deepEqual(await resend({ ids }), { count: 2 });
    await all.untilStatus(name, "delivered", 3);
    assert.deepEqual(await resend(ofType), { count: 2 });
    await all.untilStatus(name, "delivered", 5);
    const missing = await busbar.inProject("POST", `/destinations/${name}/deliveries:resend`, {});
    assert.deepEqual([missing.status, missing.body.issues[0].name], [400, "since"]);
  });

  test("what does not exist is not found", async () => {
    const { busbar, sink } = all;
    const { name } = await drawRoute(busbar, sink.url, []);
    const nothing = "01890a5d-ac96-774b-bcce-b302099a8057";
    for (const id of [nothing, "x"]) {
      assert.equal((await busbar.inProject("GET", `/destinations/${name}/deliveries/${id}`)).status, 404);
      assert.equal(
        (await busbar.inProject("POST", `/destinations/${name}/deliveries/${id}:resend`)).status,
        404,
      );
      assert.equal((await busbar.inProject("GET", `/destinations/${id}/deliveries`)).status, 404);
    }
  });
});

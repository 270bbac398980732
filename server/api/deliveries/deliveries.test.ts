/** Looking deliveries up and sending them again, through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDelivering, type Delivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { accept } from "../../../tests/harness/deliveries/sink.ts";
import { until } from "../../../tests/harness/until.ts";

describe("deliveries through the API", () => {
  let all: Delivering;
  after(() => all.close());
  before(async () => {
    all = await openDelivering({ BUSBAR_WEBHOOK_RETRY_SECONDS: "3600" });
  });

  test("pages show every delivery once, the newest first, and can be narrowed to a status", async () => {
    const { on, sink } = all;
    const { name } = await drawRoute(on, `${sink.url}/pages`, ["connection.created"]);
    await all.happens("connection.created", 25);
    await all.untilStatus(name, "delivered", 25);
    const seen: string[] = [];
    let pageToken = "";
    do {
      const path = `/destinations/${name}/deliveries?pageSize=10&status=delivered${pageToken}`;
      const { results, pagination } = (await on.inProject("GET", path)).body;
      seen.push(...results.map(({ id }: { id: string }) => id));
      pageToken = pagination.done ? "" : `&pageToken=${pagination.nextPageToken}`;
    } while (pageToken);
    assert.equal(seen.length, 25);
    assert.deepEqual(seen, [...new Set(seen)].toSorted().toReversed());
    const failed = await on.inProject("GET", `/destinations/${name}/deliveries?status=failed`);
    assert.deepEqual(failed.body, { results: [], pagination: { done: true } });
    assert.equal((await on.inProject("GET", `/destinations/${name}/deliveries?pageToken=x`)).status, 400);
  });

  test("what waits is listed with its next attempt, and resending attempts it now", async () => {
    const { on, sink } = all;
    sink.answer = (_received, response) => void response.writeHead(500).end();
    const { name } = await drawRoute(on, `${sink.url}/waits`, ["connection.updated"]);
    await all.happens("connection.updated");
    const [waiting] = await until(async () => {
      const list = (await on.inProject("GET", "/deliveries")).body;
      return list[0]?.status === "waiting" && list;
    });
    assert.ok(Date.parse(waiting.nextAttemptTime) > Date.now() + 2_000_000);
    sink.answer = accept;
    const resent = await on.inProject("POST", `/destinations/${name}/deliveries/${waiting.id}:resend`);
    assert.equal(resent.status, 200, resent.text);
    const [delivered] = await all.untilStatus(name, "delivered");
    assert.equal(delivered.attempts.length, 2);
    assert.deepEqual((await on.inProject("GET", "/deliveries")).body, []);
  });

  test("a range is resent with the ids it had; a range that ends before it begins is refused", async () => {
    const { on, sink } = all;
    const { name } = await drawRoute(on, `${sink.url}/range`, ["connection.deleted"]);
    const since = new Date().toISOString();
    await all.happens("connection.deleted", 5);
    await all.untilStatus(name, "delivered", 5);
    const end = new Date(Date.now() + 1).toISOString();
    const path = `/destinations/${name}/deliveries:resend`;
    assert.deepEqual((await on.inProject("POST", path, { since })).body, { count: 0 });
    const resent = await on.inProject("POST", path, { since, until: end, status: "delivered" });
    assert.deepEqual(resent.body, { count: 5 });
    await until(() => sink.at("/range").length >= 10);
    assert.equal(sink.idsAt("/range").size, 5);
    const refusals: [body: object, says: RegExp][] = [
      [{ since: end, until: since }, /^until: must be later/],
      [{ since: "2999-01-01T00:00:00Z" }, /^since: must lie in the past/],
      [{ since: "yesterday" }, /^since: must be a time with its zone such as /],
    ];
    for (const [body, says] of refusals) {
      const refused = await on.inProject("POST", path, body);
      assert.equal(refused.status, 400);
      assert.match(refused.body.detail, says);
      assert.equal(refused.body.issues.length, 1);
    }
  });

  test("what does not exist is not found", async () => {
    const { on, sink } = all;
    const { name } = await drawRoute(on, sink.url, []);
    const nothing = "01890a5d-ac96-774b-bcce-b302099a8057";
    for (const id of [nothing, "x"]) {
      assert.equal((await on.inProject("GET", `/destinations/${name}/deliveries/${id}`)).status, 404);
      assert.equal((await on.inProject("POST", `/destinations/${name}/deliveries/${id}:resend`)).status, 404);
      assert.equal((await on.inProject("GET", `/destinations/${id}/deliveries`)).status, 404);
    }
  });
});

/** The retention of a project through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";

const busbar = await shareTestBusbar();

describe("the retention of a project", () => {
  const put = (body: object) => busbar.inProject("PUT", "/retention", body);

  test("a project without a setting has the operator's days; a kind that is left out has them again", async () => {
    const first = await busbar.inProject("GET", "/retention");
    assert.deepEqual(first.body.operations, { days: 30, isOwn: false, leastDays: 1, mostDays: 30 });
    assert.deepEqual(first.body.dataMessages, { days: 3, isOwn: false, leastDays: 0, mostDays: 3 });
    const set = await put({ operations: 7, dataMessages: 0.5 });
    assert.deepEqual(set.body.operations, { days: 7, isOwn: true, leastDays: 1, mostDays: 30 });
    assert.equal(set.body.dataMessages.days, 0.5);
    assert.deepEqual((await busbar.inProject("GET", "/retention")).body, set.body);
    const entitled = await busbar.inProject("GET", "?includeEntitlements=true");
    assert.equal(entitled.body.entitlements.logRetentionDays.value, 7);
    assert.deepEqual((await put({})).body, first.body);
  });

  test("days beyond the bounds are refused with the bounds and where they come from", async () => {
    const answer = await put({ operations: 31, events: 1, subscriptionEvents: 0, proxyCalls: -1 });
    assert.equal(answer.status, 422, answer.text);
    const details = Object.fromEntries(
      answer.body.issues.map((issue: { name: string; detail: string }) => [issue.name, issue.detail]),
    );
    assert.match(details.operations, /at most 30 days \(`BUSBAR_OPERATION_RETENTION_DAYS`/);
    assert.match(details.events, /at least 2\.76 days: their deliveries are retried/);
    assert.match(details.subscriptionEvents, /at least 1 days/);
    assert.match(details.proxyCalls, /at least 0 days/);
    assert.equal((await put({ audit: 1 })).status, 400);
    assert.equal((await busbar.inProject("GET", "/retention")).body.operations.isOwn, false);
  });

  test("setting it is in the audit", async () => {
    await put({ events: 10 });
    const orgId = busbar.server.bootstrap?.orgId;
    const { body } = await busbar.call("GET", `/v1/orgs/${orgId}/audit-events?operationId=putRetention`);
    assert.deepEqual(body.results[0].changed, ["events"]);
    await put({});
  });
});

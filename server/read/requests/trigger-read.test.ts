/** Triggered reads: what is read, what is refused with which place, and what a dry run shows. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { openDelivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { until } from "../../../tests/harness/until.ts";

// An hour of real minutes, so that no read is given up during a test.
const all = await openDelivering({ BUSBAR_MINUTE_MS: "60000" });
after(() => all.close());

describe("a triggered read", () => {
  let customer: Customer;
  before(async () => {
    const { busbar, sink } = all;
    const events = ["read.triggered.done", "read.triggered.error"] as const;
    const hook = await drawRoute(busbar, `${sink.url}/hook`, [...events]);
    const off = await drawRoute(busbar, `${sink.url}/off`, []);
    await sql`update destinations set disabled_time = now() where id = ${off.id}`.execute(
      all.database.queries,
    );
    const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: ${hook.name}
          requiredFields: [{ fieldName: email }]
          optionalFields: [{ fieldName: city }]
        - objectName: companies
          destination: ${off.name}
        - objectName: deals
          destination: nowhere
        - objectName: tickets
          destination: ${hook.name}
        - objectName: marketing-campaigns
          destination: ${hook.name}
        - objectName: AMPERSAND-event-occurrences-e_form_view_v2
          mapToName: formViews
          destination: ${hook.name}
`;
    const content = { read: { objects: { tickets: { objectName: "tickets", disabled: true } } } };
    customer = await connectCustomer(busbar, { provider: "hubspot", manifest, integration: "crm", content });
  });

  const trigger = (objectName: string, more: object = {}, query = "", headers = {}) =>
    all.busbar.call(
      "POST",
      `/read/v1/projects/default/integrations/crm/objects/${objectName}${query}`,
      { groupRef: "acme", mode: "async", ...more },
      headers,
    );
  const ended = (operationId: string) =>
    until(async () => {
      const { body } = await all.busbar.inProject("GET", `/operations/${operationId}`);
      return body.status !== "in_progress" && body;
    });
  type Message = { eventType?: string; operationId?: string; [member: string]: unknown };
  const received = () => all.sink.at("/hook").map(({ message }) => message as unknown as Message);

  test("delivers all records, also of an object that the customer has not configured, and tells its end", async () => {
    const { status, body } = await trigger("person");
    assert.equal(status, 201);
    const operation = await ended(body.operationId);
    assert.equal(operation.status, "success", JSON.stringify(operation));
    assert.equal(operation.result, "[person] 5 records read");
    const message = await until(() => received().find(({ operationId }) => operationId === body.operationId));
    assert.equal(message["readType"], "triggered");
    const done = await until(() =>
      received().find(({ notificationType: type }) => type === "read.triggered.done"),
    );
    const { data } = done as unknown as { data: Record<string, string> };
    assert.equal(data["objectName"], "person");
    assert.equal(data["fromTimestamp"], undefined);
    assert.ok(data["untilTimestamp"]);
  });

  test("reads records changed within its bounds only; an upper bound needs no lower one", async () => {
    const none = await trigger("contacts", { untilTimestamp: "2001-01-01T00:00:00.123456789Z" });
    assert.equal((await ended(none.body.operationId)).result, "[person] No new data found");
    const future = await trigger("contacts", {
      sinceTimestamp: "2001-01-01T00:00:00+02:00",
      untilTimestamp: "2999-01-01T00:00:00Z",
    });
    assert.equal((await ended(none.body.operationId)).metadata.read.since, undefined);
    const { result, metadata } = await ended(future.body.operationId);
    assert.equal(result, "[person] 5 records read");
    assert.ok(new Date(metadata.read.until) <= new Date());
  });

  test("is refused with its place for times that make no sense", async () => {
    const early = "2026-01-01T00:00:00Z";
    for (const [more, name] of [
      [{ sinceTimestamp: "yesterday" }, "sinceTimestamp"],
      [{ untilTimestamp: "2026-01-01T00:00:00" }, "untilTimestamp"],
      [{ untilTimestamp: "2026-02-30T00:00:00Z" }, "untilTimestamp"],
      [{ sinceTimestamp: early, untilTimestamp: early }, "sinceTimestamp"],
      [{ sinceTimestamp: "2999-01-01T00:00:00Z" }, "sinceTimestamp"],
      [{ mode: "sync" }, "mode"],
      [{ groupRef: 7 }, "groupRef"],
      [{ fields: ["email"] }, "fields"],
    ] as const) {
      const { status, body, text } = await trigger("contacts", more);
      assert.deepEqual([status, body.issues?.[0].name], [400, name], text);
    }
  });

  test("is refused for objects that are unknown, disabled, or whose destination takes nothing", async () => {
    for (const [objectName, says] of [
      ["contact", /does not read `contact`.*Did you mean/],
      ["zebras", /It reads: .*person.*companies/],
      ["tickets", /disabled/],
      ["companies", /destination .* is disabled/],
      ["deals", /no destination `nowhere`/],
    ] as const) {
      const { status, body, text } = await trigger(objectName);
      assert.equal(status, 400, text);
      assert.match(body.detail, says);
      assert.deepEqual([body.issues[0].in, body.issues[0].name], ["path", "objectName"]);
    }
    assert.equal((await trigger("contacts", { groupRef: "stranger" })).status, 404);
  });

  test("is refused for an integration that reads nothing, and told so", async () => {
    const { integration, groupRef } = await connectCustomer(all.busbar, {
      provider: "hubspot",
      objects: ["companies"],
      groupRef: "writer",
    });
    const path = `/read/v1/projects/default/integrations/${integration}/objects/person`;
    const { status, body } = await all.busbar.call("POST", path, { groupRef, mode: "async" });
    assert.equal(status, 400);
    assert.match(body.detail, /does not read `person`\. Its manifest has no `read`/);
  });

  test("is refused for objects of other APIs of the provider, which Busbar does not read", async () => {
    for (const objectName of ["marketing-campaigns", "formViews"]) {
      const { status, body } = await trigger(objectName);
      assert.equal(status, 400);
      assert.match(body.type, /unsupported-by-provider$/);
      assert.match(body.detail, /does not read `(marketing-campaigns|AMPERSAND-.*)` of hubspot/);
    }
  });

  test("is begun once for an Idempotency-Key, which fits no other request", async () => {
    const headers = { "idempotency-key": "monday" };
    const first = await trigger("contacts", {}, "", headers);
    const again = await trigger("contacts", {}, "", headers);
    assert.deepEqual([again.status, again.body], [201, first.body]);
    const other = await trigger("contacts", { sinceTimestamp: "2026-01-01T00:00:00Z" }, "", headers);
    assert.equal(other.status, 422, other.text);
    await ended(first.body.operationId);
  });

  test("shows the first request and the estimate in a dry run, and begins nothing", async () => {
    const count = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from operations`.execute(all.database.queries))
        .rows[0]?.n;
    const before = await count();
    const full = await trigger("contacts", {}, "?dryRun=true");
    assert.equal(full.status, 200, full.text);
    assert.equal(full.body.recordsEstimatedTotal, 5);
    assert.match(full.body.requests[0].path, /^\/crm\/.*email/);
    const since = await trigger("contacts", { sinceTimestamp: "2001-01-01T00:00:00Z" }, "?dryRun=true");
    assert.equal(since.body.requests[0].method, "POST", since.text);
    assert.equal(await count(), before);
  });

  test("fails at once and says so while the connection has bad credentials", async () => {
    const { queries } = all.database;
    const setStatus = (status: string) =>
      sql`update connections set status = ${status} where id = ${customer.connectionId}`.execute(queries);
    await setStatus("bad_credentials");
    const { status, body } = await trigger("contacts", { sinceTimestamp: "2026-01-01T00:00:00Z" });
    assert.equal(status, 201);
    const { body: operation } = await all.busbar.inProject("GET", `/operations/${body.operationId}`);
    assert.equal(operation.status, "failure");
    assert.match(operation.result, /^\[person\] Error reading from provider: .*connect the account again/);
    const reported = await until(() =>
      received().find(({ notificationType: type }) => type === "read.triggered.error"),
    );
    const { data } = reported as unknown as { data: Record<string, string> };
    assert.equal(data["fromTimestamp"], "2026-01-01T00:00:00.000Z");
    assert.match(data["error"] ?? "", /bad credentials/);
    await setStatus("working");
  });

  test("is refused with 429 when ten of the object are not over", async () => {
    const { busbar } = all;
    // Of every request, so that no read ends meanwhile.
    busbar.sandbox.addFault({ provider: "hubspot", path: "/crm/", status: 503, count: 100_000 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => trigger("contacts")));
    const statuses = answers.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [...Array(10).fill(201), ...Array(2).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    assert.ok(Date.parse(refused?.headers.get("retry-after") ?? "") > Date.now());
    assert.equal(refused?.body.retryable, true);
    busbar.sandbox.clearFaults();
  });
});

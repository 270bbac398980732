/** Operations through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../../tests/harness/until.ts";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";

describe("operations", () => {
  let on: TestBusbar;
  let customer: Customer;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
    customer = await connectCustomer(on, { provider: "hubspot", objects: ["contacts"] });
  });

  test("an operation is shown with its log, and listed for its installation in pages", async () => {
    const { operationId } = await customer.succeed("contacts", {
      type: "create",
      record: { email: "ada@example.com" },
    });
    const shown = await on.inProject("GET", `/operations/${operationId}`);
    assert.deepEqual([shown.status, shown.body.status], [200, "success"]);
    const logs = await on.inProject("GET", `/operations/${operationId}/logs`);
    assert.ok(logs.body.length > 1, logs.text);
    await customer.succeed("contacts", { type: "create", record: { email: "bob@example.com" } });
    const list = `/integrations/hubspot/installations/${customer.installationId}/operations`;
    const first = (await on.inProject("GET", `${list}?pageSize=1`)).body;
    assert.equal(first.pagination.done, false);
    const next = `${list}?pageSize=1&pageToken=${first.pagination.nextPageToken}`;
    const second = (await on.inProject("GET", next)).body;
    assert.deepEqual([second.results[0], second.pagination.done], [shown.body, true]);
  });

  test("a page token of another kind is refused", async () => {
    const list = `/integrations/hubspot/installations/${customer.installationId}/operations`;
    const answer = await on.inProject("GET", `${list}?pageToken=nonsense`);
    assert.deepEqual([answer.status, answer.body.issues[0].name], [400, "pageToken"]);
  });

  test("unknown operations are refused with 404, their logs too", async () => {
    for (const id of ["nothing", "01a1fecd-d759-75de-a63c-a80eaf0833b4"]) {
      assert.equal((await on.inProject("GET", `/operations/${id}`)).status, 404);
      assert.equal((await on.inProject("GET", `/operations/${id}/logs`)).status, 404);
    }
  });

  test("lists below an unknown installation or integration are refused with 404", async () => {
    const unknown = "01a1fecd-d759-75de-a63c-a80eaf0833b4";
    const { installationId } = customer;
    for (const path of [
      `hubspot/installations/${unknown}`,
      "hubspot/installations/nothing",
      `nope/installations/${installationId}`,
      `${unknown}/installations/${installationId}`,
    ]) {
      for (const list of ["operations", "proxy-calls"]) {
        const answer = await on.inProject("GET", `/integrations/${path}/${list}`);
        assert.deepEqual(
          [answer.status, answer.body.type?.split("/").at(-1)],
          [404, "not-found"],
          answer.text,
        );
      }
    }
  });

  test("the operations of a deleted installation stay listed, those of an integration by its id", async () => {
    const other = await connectCustomer(on, {
      provider: "hubspot",
      objects: ["contacts"],
      groupRef: "leaving",
    });
    const { operationId } = await other.succeed("contacts", {
      type: "create",
      record: { email: "c@d.example" },
    });
    const { integrationId } = (await on.inProject("GET", `/operations/${operationId}`)).body;
    const installation = `installations/${other.installationId}`;
    await on.inProject("DELETE", `/integrations/hubspot/${installation}`);
    for (const integration of ["hubspot", integrationId]) {
      const listed = await on.inProject("GET", `/integrations/${integration}/${installation}/operations`);
      assert.equal(listed.body.results?.[0].id, operationId, listed.text);
    }
  });
});

const READING = `
specVersion: 1.0.0
integrations:
  - name: reading
    provider: hubspot
    read:
      objects:
        - objectName: companies
          mapToName: firm
          enabled: always
          destination: log
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: name }]
          backfill: { defaultPeriod: { fullHistory: true } }
        - objectName: contacts
          enabled: always
          destination: log
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: email }]
`;

test("the progress of a backfill is shown from the installation on and after its end, under the name asked for", async (t) => {
  // The wait for a destination that does not exist yet is short.
  const on = await openTestBusbar({ env: { BUSBAR_MINUTE_MS: "100" } });
  t.after(() => on.stop());
  on.sandbox.hubspot.setLimits("off");
  const changedFrom = Date.parse("2026-01-01T00:00:00Z");
  on.sandbox.hubspot.account.generate("companies", {
    count: 250,
    changedFrom,
    changedTo: changedFrom,
    values: {},
  });
  const all = on.sandbox.records("hubspot", "companies").length;
  const customer = { provider: "hubspot", manifest: READING, integration: "reading" } as const;
  const { installationId } = await connectCustomer(on, customer);
  const progressOf = (objectName: string) =>
    on.inProject(
      "GET",
      `/integrations/reading/installations/${installationId}/objects/${objectName}/backfill-progress`,
    );
  const waiting = await progressOf("firm");
  assert.deepEqual([waiting.status, waiting.body.recordsProcessed], [200, 0], waiting.text);
  await on.inProject("POST", "/destinations", { name: "log", type: "log", metadata: {} });
  const done = await until(async () => {
    const { body } = await progressOf("companies");
    return body.recordsProcessed === all && body;
  });
  assert.deepEqual(
    [done.objectName, done.operationId, done.recordsEstimatedTotal],
    ["companies", waiting.body.operationId, all],
  );
  for (const [objectName, says] of [
    ["contacts", /has no backfill/],
    ["deals", /is not read/],
  ] as const) {
    const { status, body } = await progressOf(objectName);
    assert.equal(status, 404);
    assert.match(body.detail, says);
  }
});

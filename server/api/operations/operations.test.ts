/** Operations through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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

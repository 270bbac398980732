/** Organisations and projects, managed with an API key, through a real Busbar. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";

describe("organisations and projects", () => {
  let on: TestBusbar;
  let orgId: string;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar({ env: { BUSBAR_OPERATION_RETENTION_DAYS: "7" } });
    orgId = on.busbar.bootstrap?.orgId ?? "";
  });
  const create = (name: string, more: object = {}) =>
    on.call("POST", "/v1/projects", { orgId, name, appName: "Second", ...more });

  test("a full key lists the builders of its organisation and of no other", async () => {
    const listed = await on.call("GET", `/v1/orgs/${orgId}/builders`);
    assert.equal(listed.status, 200, listed.text);
    assert.equal(listed.body.length, 1);
    const [builder] = listed.body;
    assert.equal(builder.id, on.busbar.bootstrap?.builderId);
    assert.ok(builder.idpProvider && builder.idpRef && builder.createTime);
    const other = (await on.call("POST", "/v1/orgs", { label: "Other" })).body;
    assert.equal((await on.call("GET", `/v1/orgs/${other.id}/builders`)).status, 403);
    assert.equal((await on.call("GET", "/v1/orgs/nonsense/builders")).status, 403);
  });

  test("an organisation is shown and renamed", async () => {
    const renamed = await on.call("PATCH", `/v1/orgs/${orgId}`, {
      updateMask: ["label"],
      org: { label: "Renamed" },
    });
    assert.equal(renamed.status, 200, renamed.text);
    assert.equal((await on.call("GET", `/v1/orgs/${orgId}`)).body.label, "Renamed");
  });

  test("a second project gets its first key from the organisation, and further ones from its own only", async () => {
    const made = await create("Second-Project");
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.name, "second-project");
    const keys = "/v1/projects/second-project/api-keys";
    assert.equal((await on.call("GET", keys)).status, 403);
    const first = await on.call("POST", keys, { label: "first" });
    assert.equal(first.status, 201, first.text);
    assert.equal((await on.call("POST", keys, { label: "more" })).status, 403);
    const own = { "x-api-key": first.body.key };
    assert.equal((await on.call("POST", keys, { label: "more" }, own)).status, 201);
    assert.equal((await on.call("GET", "/v1/projects/second-project", undefined, own)).status, 200);
    assert.equal((await on.call("GET", "/v1/projects/default", undefined, own)).status, 403);
  });

  test("a project says, when it is asked, how long its logs are kept", async () => {
    const kept = await on.call("GET", "/v1/projects/default?includeEntitlements=true");
    assert.equal(kept.body.entitlements.logRetentionDays.value, 7, kept.text);
    assert.equal((await on.call("GET", "/v1/projects/default")).body.entitlements, undefined);
  });

  test("there is nothing to pay for, and nobody learns of another organisation by asking", async () => {
    const portal = { redirectUrl: "https://app.example.com" };
    assert.equal((await on.call("GET", `/v1/orgs/${orgId}/billingAccount`)).status, 404);
    assert.equal((await on.call("POST", "/v1/billingAccounts/any/portalSession", portal)).status, 404);
    assert.equal((await on.call("POST", "/v1/billingAccounts/any/portalSession", {})).status, 400);
    const elsewhere = "/v1/orgs/01a1fecd-d759-75de-a63c-a80eaf0833b4/billingAccount";
    assert.equal((await on.call("GET", elsewhere)).status, 403);
    const nobody = { "x-api-key": "wrong" };
    assert.equal(
      (await on.call("POST", "/v1/billingAccounts/any/portalSession", portal, nobody)).status,
      401,
    );
  });

  test("names are unique whatever their case, and no name looks like an id", async () => {
    for (const name of ["DEFAULT", "x", "-a", "a_b", "01a1fecd-d759-75de-a63c-a80eaf0833b4"]) {
      const answer = await create(name);
      assert.equal(answer.status, 422, `${name}: ${answer.text}`);
      assert.equal(answer.body.issues[0].name, "name");
    }
    const elsewhere = await create("elsewhere", { orgId: "01a1fecd-d759-75de-a63c-a80eaf0833b4" });
    assert.equal(elsewhere.status, 403);
  });

  test("a renamed project answers under its new name at once and not under the old one", async () => {
    assert.equal((await create("before")).status, 201);
    const patched = await on.call("PATCH", "/v1/projects/before", {
      updateMask: ["name", "appName"],
      project: { name: "After", appName: "App" },
    });
    assert.equal(patched.body.name, "after", patched.text);
    assert.equal(patched.body.appName, "App");
    assert.equal((await on.call("DELETE", "/v1/projects/before")).status, 404);
    assert.equal((await on.call("DELETE", "/v1/projects/after")).status, 204);
    assert.equal((await on.call("DELETE", "/v1/projects/after")).status, 404);
  });
});

/** Projects through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { signIn } from "../../../tests/harness/people.ts";

const busbar = await shareTestBusbar({ env: { BUSBAR_OPERATION_RETENTION_DAYS: "7" } });

const orgId: string = busbar.server.bootstrap?.orgId ?? "";

describe("projects", () => {
  const create = (name: string, more: object = {}) =>
    busbar.call("POST", "/v1/projects", { orgId, name, appName: "Second", ...more });

  test("any full key of the organisation creates the first key of a project; only the project's own keys create more", async () => {
    const made = await create("Second-Project");
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.name, "second-project");
    const keys = "/v1/projects/second-project/api-keys";
    assert.equal((await busbar.call("GET", keys)).status, 403);
    const first = await busbar.call("POST", keys, { label: "first" });
    assert.equal(first.status, 201, first.text);
    assert.equal((await busbar.call("POST", keys, { label: "more" })).status, 403);
    const own = { "x-api-key": first.body.key };
    assert.equal((await busbar.call("POST", keys, { label: "more" }, own)).status, 201);
    assert.equal((await busbar.call("GET", "/v1/projects/second-project", undefined, own)).status, 200);
    assert.equal((await busbar.call("GET", "/v1/projects/default", undefined, own)).status, 403);
  });

  test("`includeEntitlements` adds how long logs are kept", async () => {
    const kept = await busbar.call("GET", "/v1/projects/default?includeEntitlements=true");
    assert.equal(kept.body.entitlements.logRetentionDays.value, 7, kept.text);
    assert.equal((await busbar.call("GET", "/v1/projects/default")).body.entitlements, undefined);
  });

  test("a name that is taken, ignoring case, malformed or a UUID is refused, as is another organisation", async () => {
    for (const name of ["DEFAULT", "x", "-a", "a_b", "01a1fecd-d759-75de-a63c-a80eaf0833b4"]) {
      const answer = await create(name);
      assert.equal(answer.status, 422, `${name}: ${answer.text}`);
      assert.equal(answer.body.issues[0].name, "name");
    }
    const elsewhere = await create("elsewhere", { orgId: "01a1fecd-d759-75de-a63c-a80eaf0833b4" });
    assert.equal(elsewhere.status, 403);
  });

  test("a renamed project answers under its new name only, until it is deleted", async () => {
    assert.equal((await create("before")).status, 201);
    const { key } = (await busbar.call("POST", "/v1/projects/before/api-keys", { label: "x" })).body;
    const own = { "x-api-key": key };
    const change = { updateMask: ["name", "appName"], project: { name: "After", appName: "App" } };
    const patched = await busbar.call("PATCH", "/v1/projects/before", change, own);
    assert.equal(patched.body.name, "after", patched.text);
    assert.equal(patched.body.appName, "App");
    const owner = await signIn(busbar);
    assert.equal((await busbar.call("DELETE", "/v1/projects/before", undefined, owner)).status, 404);
    assert.equal((await busbar.call("DELETE", "/v1/projects/after", undefined, own)).status, 403);
    assert.equal((await busbar.call("DELETE", "/v1/projects/after", undefined, owner)).status, 204);
    assert.equal((await busbar.call("DELETE", "/v1/projects/after", undefined, owner)).status, 404);
  });

  test("a key of another project of the organisation neither changes nor deletes a project", async () => {
    assert.equal((await create("sibling")).status, 201);
    const change = { updateMask: ["appName"], project: { appName: "Mine now" } };
    assert.equal((await busbar.call("PATCH", "/v1/projects/sibling", change)).status, 403);
    assert.equal((await busbar.call("DELETE", "/v1/projects/sibling")).status, 403);
  });

  test("a project is marked as production by an update", async () => {
    assert.equal((await busbar.inProject("GET", "")).body.production, false);
    const change = { updateMask: ["production"], project: { production: true } };
    assert.equal((await busbar.inProject("PATCH", "", change)).body.production, true);
  });

  test("an API key lists its own project only", async () => {
    assert.equal((await create("unlisted")).status, 201);
    const { body } = await busbar.call("GET", "/v1/projects");
    assert.deepEqual(
      body.map(({ name }: { name: string }) => name),
      ["default"],
    );
  });

  test("a project with installations is not deleted", async () => {
    await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
    const refused = await busbar.call("DELETE", "/v1/projects/default", undefined, await signIn(busbar));
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.body.detail, /has 1 installation\. Delete it first/);
    assert.equal((await busbar.call("GET", "/v1/projects/default")).status, 200);
  });
});

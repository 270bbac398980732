/** Which role a call needs, through a real Busbar. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { addPerson, type TestPerson } from "../../tests/harness/people.ts";
import type { Role } from "../../ground/role.ts";

const busbar = await shareTestBusbar();

const { connectionId } = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
await addWebhook(busbar, "hook", "https://example.com/hook");
const people: Record<Role, TestPerson> = {
  viewer: await addPerson(busbar, "viewer"),
  support: await addPerson(busbar, "support"),
  editor: await addPerson(busbar, "editor"),
  owner: await addPerson(busbar, "owner"),
};

describe("roles", () => {
  const as = (role: Role, method: string, path: string, body?: object): Promise<Answer> =>
    busbar.inProject(method, path, body, people[role].headers);

  const assertNeeds = (answer: Answer, role: Role): void => {
    assert.equal(answer.status, 403, answer.text);
    assert.ok(answer.body.detail.includes(`the role \`${role}\``), answer.body.detail);
  };

  test("parameters that show or replace secrets need an editor, and the refusal names the role", async () => {
    const secrets = [
      `/connections/${connectionId}?includeCreds=true`,
      `/connections/${connectionId}?includeCreds=true&includeRefreshToken=true`,
      `/connections/${connectionId}?includeRefreshToken=true`,
      `/connections/${connectionId}?refresh=force`,
      "/destinations/hook?includeSecrets=true",
      "/destinations/hook?rotate=true",
    ];
    for (const path of secrets) {
      for (const role of ["viewer", "support"] as const) assertNeeds(await as(role, "GET", path), "editor");
    }
    const withoutSecrets = `/connections/${connectionId}?includeCreds=false`;
    assert.equal((await as("viewer", "GET", withoutSecrets)).status, 200);
    assert.equal((await as("editor", "GET", secrets[0] ?? "")).status, 200);
    assert.ok((await as("editor", "GET", secrets[4] ?? "")).body.secrets);
  });

  test("a dry run needs support only, the write itself an editor", async () => {
    const path = "/write/v1/projects/default/integrations/hubspot/objects/contacts";
    const body = { groupRef: "acme", type: "create", record: { email: "role@example.com" } };
    const write = (role: Role, query = "") =>
      busbar.call("POST", `${path}${query}`, body, people[role].headers);
    assertNeeds(await write("viewer", "?dryRun=true"), "support");
    const tried = await write("support", "?dryRun=true");
    assert.equal(tried.status, 200, tried.text);
    assertNeeds(await write("support"), "editor");
    assertNeeds(await write("support", "?dryRun=false"), "editor");
    const written = await write("editor");
    assert.ok(written.status < 300, written.text);
  });

  test("a change of the role counts from the next request on", async () => {
    const { builderId, headers } = await addPerson(busbar, "viewer");
    const change = () => busbar.inProject("POST", "/topics", { name: "by-role" }, headers);
    assertNeeds(await change(), "editor");
    const path = `/v1/orgs/${busbar.server.bootstrap?.orgId}/memberships/${builderId}`;
    const raised = await busbar.call("PATCH", path, { role: "editor" }, people.owner.headers);
    assert.deepEqual([raised.status, raised.body.role], [200, "editor"], raised.text);
    assert.equal((await change()).status, 201);
  });

  test("a full key may do what an editor may: neither rename the organisation nor delete the project", async () => {
    const org = `/v1/orgs/${busbar.server.bootstrap?.orgId}`;
    const renamed = await busbar.call("PATCH", org, { updateMask: ["label"], org: { label: "Mine" } });
    assertNeeds(renamed, "owner");
    assertNeeds(await busbar.inProject("DELETE", ""), "owner");
  });

  test("nobody with a role below the editor's makes a project", async () => {
    const project = { orgId: busbar.server.bootstrap?.orgId, name: "by-role", appName: "App" };
    const make = (role: Role) => busbar.call("POST", "/v1/projects", project, people[role].headers);
    assertNeeds(await make("support"), "editor");
    assert.equal((await make("editor")).status, 201);
  });
});

/** Provider apps through the API of a real Busbar. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client } from "pg";
import { shareTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { secondProject } from "../../../tests/harness/second-project.ts";

const busbar = await shareTestBusbar();

const created = await busbar.inProject("POST", "/provider-apps", {
  provider: "hubspot",
  clientId: "client-1",
  clientSecret: "the-first-secret",
  scopes: ["oauth"],
});
assert.equal(created.status, 200, created.text);
const id: string = created.body.id;

describe("provider apps", () => {
  const patch = (updateMask: string[], providerApp: object) =>
    busbar.inProject("PATCH", `/provider-apps/${id}`, { updateMask, providerApp });

  test("is not used for the consents of another project", async () => {
    const second = await secondProject(busbar);
    const asked = { provider: "hubspot", groupRef: "acme", consumerRef: "ada" };
    const begin = (by: TestBusbar, projectIdOrName: string) =>
      by.call("POST", "/v1/oauth-connect", { projectIdOrName, ...asked });
    assert.equal((await begin(busbar, "default")).status, 200);
    const refused = await begin(second, "second");
    assert.ok(refused.status >= 400 && refused.status < 500, refused.text);
    assert.match(refused.text, /provider app/);
    const own = { provider: "hubspot", clientId: "client-1", clientSecret: "s", scopes: ["oauth"] };
    assert.equal((await second.inProject("POST", "/provider-apps", own)).status, 200);
  });

  test("a second app with the same client is refused, and names the one to change", async () => {
    const again = await busbar.inProject("POST", "/provider-apps", {
      provider: "hubspot",
      clientId: "client-1",
      clientSecret: "the-new-secret",
      scopes: ["oauth"],
    });
    assert.equal(again.status, 409, again.text);
    assert.equal(again.body.issues[0].name, "clientId");
    assert.ok(again.body.detail.includes(id), again.text);
    const apps = await Promise.all(
      [1, 2, 3].map(() =>
        busbar.inProject("POST", "/provider-apps", {
          provider: "hubspot",
          clientId: "client-2",
          clientSecret: "secret",
          scopes: ["oauth"],
        }),
      ),
    );
    assert.deepEqual(
      apps.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409, 409],
    );
    const moved = await patch(["clientId"], { clientId: "client-2" });
    assert.deepEqual([moved.status, moved.body.issues?.[0].name], [409, "providerApp.clientId"], moved.text);
    const same = await patch(["clientId"], { clientId: "client-1" });
    assert.equal(same.status, 200, same.text);
  });

  test("only what the mask names changes", async () => {
    const answer = await patch(["scopes", "metadata"], {
      clientId: "ignored",
      scopes: ["oauth", "tickets"],
      metadata: { authQueryParams: { optional_scope: ["automation"] } },
    });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.clientId, "client-1");
    assert.deepEqual(answer.body.scopes, ["oauth", "tickets"]);
    assert.deepEqual(answer.body.metadata.authQueryParams.optional_scope, ["automation"]);
    assert.ok(answer.body.updateTime);
  });

  test("an app without scopes is refused where the provider needs them, at creation and at a change", async () => {
    const app = { clientId: "a", clientSecret: "b" };
    for (const more of [{}, { scopes: [] }]) {
      const refused = await busbar.inProject("POST", "/provider-apps", {
        provider: "hubspot",
        ...app,
        ...more,
      });
      assert.deepEqual([refused.status, refused.body.issues?.[0].name], [422, "scopes"], refused.text);
    }
    const emptied = await patch(["scopes"], { scopes: [] });
    assert.deepEqual([emptied.status, emptied.body.issues?.[0].name], [422, "providerApp.scopes"]);
    const other = await busbar.inProject("POST", "/provider-apps", { provider: "salesforce", ...app });
    assert.equal(other.status, 200, other.text);
    assert.equal((await busbar.inProject("DELETE", `/provider-apps/${other.body.id}`)).status, 204);
  });

  test("a mask without a value or with an unknown path is refused and names it", async () => {
    const without = await patch(["clientId"], {});
    assert.equal(without.status, 400);
    assert.equal(without.body.issues[0].name, "providerApp.clientId");
    const unknown = await patch(["createTime"], {});
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.detail, /createTime/);
  });

  test("a secret is never answered and never stored in clear", async () => {
    const changed = await patch(["clientSecret"], { clientSecret: "the-second-secret" });
    assert.equal(changed.status, 200);
    const listed = await busbar.inProject("GET", "/provider-apps");
    assert.doesNotMatch(changed.text + listed.text, /secret/i);
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    const { rows } = await client.query("select provider_apps::text as text from provider_apps");
    await client.end();
    assert.doesNotMatch(rows.map(({ text }) => text).join(), /the-(first|second)-secret/);
  });

  test("an app that connections use is not deleted, an unused one is", async () => {
    const tokens = busbar.sandbox.hubspot.mintToken();
    const connected = await busbar.inProject("POST", "/connections:generate", {
      provider: "hubspot",
      groupRef: "acme",
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: tokens.accessToken } },
    });
    assert.equal(connected.status, 201, connected.text);
    const refused = await busbar.inProject("DELETE", `/provider-apps/${id}`);
    assert.equal(refused.status, 422, refused.text);
    assert.equal((await busbar.inProject("DELETE", `/connections/${connected.body.id}`)).status, 204);
    assert.equal((await busbar.inProject("DELETE", `/provider-apps/${id}`)).status, 204);
    assert.equal((await busbar.inProject("DELETE", `/provider-apps/${id}`)).status, 404);
  });
});

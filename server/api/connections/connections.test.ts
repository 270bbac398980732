/** Connections through the API of a real Busbar. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { connectBoth } from "../../../tests/harness/two-databases.ts";
import { bearer, registerJwtKey } from "../../../tests/harness/customer-tokens.ts";

describe("connections", () => {
  let busbar: TestBusbar;
  /** Answers client credentials with a token and what else is in `account`. */
  let account: object = {};
  const tokens = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ access_token: "bought", token_type: "Bearer", ...account }));
  });
  after(async () => {
    tokens.close();
    await busbar.stop();
  });
  before(async () => {
    await once(tokens.listen(0, "127.0.0.1"), "listening");
    const origin = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}`;
    busbar = await openTestBusbar({
      providers: {
        ownScheme: {
          authType: "custom",
          baseURL: "http://127.0.0.1:1",
          support: { proxy: true },
          customOpts: {
            headers: [{ name: "X-Token", valueTemplate: "{{.token}}" }],
            inputs: [{ name: "token", displayName: "Token" }],
          },
        },
        byClient: {
          authType: "oauth2",
          baseURL: "http://127.0.0.1:1/{{.region}}",
          support: { proxy: true },
          metadata: { input: [{ name: "region", defaultValue: "eu" }] },
          oauth2Opts: { grantType: "clientCredentials", tokenURL: "http://127.0.0.1:1/token" },
        },
        byToken: {
          authType: "oauth2",
          baseURL: `${origin}/{{.instance}}`,
          support: { proxy: true },
          oauth2Opts: {
            grantType: "clientCredentials",
            tokenURL: `${origin}/token`,
            tokenMetadataFields: {
              workspaceRefField: "org",
              consumerRefField: "userId",
              otherFields: [{ name: "instance", displayName: "Instance", path: "data.instance" }],
            },
          },
        },
      },
    });
  });

  const generate = async (body: object): Promise<string> => {
    const made = await busbar.inProject("POST", "/connections:generate", { consumerRef: "ada", ...body });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const patch = (id: string, updateMask: string[], connection: object) =>
    busbar.inProject("PATCH", `/connections/${id}`, { updateMask, connection });
  const events = async (id: string): Promise<string[]> => {
    const client = await connectBoth(busbar);
    const { rows } = await client.query(
      "select type from events where data->>'connectionId' = $1 order by id",
      [id],
    );
    await client.end();
    return rows.map(({ type }) => type);
  };

  test("a new API key replaces the old one and nothing else, and is reported as an event", async () => {
    const id = await generate({ provider: "openAI", groupRef: "keys", apiKey: "old-key" });
    const updated = await patch(id, ["apiKey"], {
      apiKey: "new-key",
      providerMetadata: { x: { value: "1", source: "input" } },
    });
    assert.equal(updated.status, 200, updated.text);
    assert.deepEqual(updated.body.providerMetadata, {});
    assert.doesNotMatch(updated.text, /new-key/);
    const shown = await busbar.inProject("GET", `/connections/${id}?includeCreds=true`);
    assert.equal(shown.body.apiKey, "new-key");
    assert.equal((await busbar.inProject("DELETE", `/connections/${id}`)).status, 204);
    assert.deepEqual(await events(id), ["connection.created", "connection.updated", "connection.deleted"]);
  });

  test("credentials of another kind, masks without a value and unknown masks are refused", async () => {
    const id = await generate({ provider: "openAI", groupRef: "kinds", apiKey: "key" });
    const kind = await patch(id, ["basicAuth"], { basicAuth: { username: "a", password: "b" } });
    assert.equal(kind.status, 400, kind.text);
    assert.equal((await patch(id, ["apiKey"], {})).status, 400);
    assert.equal((await patch(id, ["status"], {})).status, 400);
    assert.deepEqual(await events(id), ["connection.created"]);
  });

  test("a key that a provider wants as Basic is taken alone or in one of the two fields that forms have", async () => {
    const workspace = { providerMetadata: { workspace: { value: "acme", source: "input" } } };
    const shown = async (id: string) =>
      (await busbar.inProject("GET", `/connections/${id}?includeCreds=true`)).body;
    const connect = (groupRef: string, credentials: object) =>
      generate({ provider: "freshdesk", groupRef, ...workspace, ...credentials });
    const alone = await connect("alone", { apiKey: "key" });
    const user = await connect("user", { basicAuth: { username: "key", password: "" } });
    const password = await connect("password", { basicAuth: { username: "", password: "key" } });
    for (const id of [alone, user, password]) assert.equal((await shown(id)).apiKey, "key");
    const pair = { username: "key", password: "X" };
    assert.equal((await patch(alone, ["basicAuth"], { basicAuth: pair })).status, 200);
    assert.equal((await shown(alone)).authScheme, "basic");
    const empty = await patch(user, ["basicAuth"], { basicAuth: { username: "", password: "" } });
    assert.equal(empty.status, 400, empty.text);
  });

  test("metadata that is given changes, metadata that the provider told stays", async () => {
    const tokens = busbar.sandbox.salesforce.mintToken();
    const id = await generate({
      provider: "salesforce",
      groupRef: "meta",
      providerMetadata: {
        workspace: { value: "https://acme.lightning.force.com/x", source: "input" },
        instance_url: { value: "https://acme.my.salesforce.com", source: "token" },
      },
      oauth2AuthorizationCode: { accessToken: { token: tokens.accessToken } },
    });
    const updated = await patch(id, ["providerMetadata"], {
      providerMetadata: { workspace: { value: "apex.my.salesforce.com", source: "input" } },
    });
    assert.equal(updated.status, 200, updated.text);
    assert.equal(updated.body.providerMetadata.workspace.value, "apex");
    assert.equal(updated.body.providerMetadata.instance_url.source, "token");
    assert.equal(updated.body.providerWorkspaceRef, "apex");
    const renamed = await patch(id, ["providerWorkspaceRef"], { providerWorkspaceRef: "summit" });
    assert.equal(renamed.body.providerMetadata.workspace.value, "summit");
  });

  test("a customer cannot claim another account of the provider, whose events it would get", async () => {
    const signer = await registerJwtKey(busbar);
    const headers = bearer(await signer.sign({ groupRef: "claimer", consumerRef: "eve" }));
    const { accessToken } = busbar.sandbox.hubspot.mintToken();
    busbar.sandbox.addFault({ provider: "hubspot", path: "/account-info", status: 503 });
    const claim = {
      providerWorkspaceRef: "777",
      providerMetadata: Object.fromEntries(
        ["portalId", "workspace"].map((name) => [name, { value: "777", source: "provider" }]),
      ),
    };
    const own = { groupRef: "claimer", consumerRef: "eve" };
    const oauth2AuthorizationCode = { accessToken: { token: accessToken } };
    const body = { provider: "hubspot", ...own, ...claim, oauth2AuthorizationCode };
    const made = await busbar.inProject("POST", "/connections:generate", body, headers);
    assert.equal(made.status, 201, made.text);
    assert.doesNotMatch(made.text, /"777"/);
    const path = `/connections/${made.body.id}`;
    for (const name of ["providerMetadata", "providerWorkspaceRef"]) {
      const asked = { updateMask: [name], connection: claim };
      const refused = await busbar.inProject("PATCH", path, asked, headers);
      assert.equal(refused.status, 403, refused.text);
      assert.match(refused.body.detail, new RegExp(`^${name}.* identifies the account`));
    }
    const shown = await busbar.inProject("GET", path);
    assert.doesNotMatch(shown.text, /"777"/);
    const byServer = await busbar.inProject("PATCH", path, {
      updateMask: ["providerMetadata"],
      connection: { providerMetadata: { portalId: { value: "4100410", source: "input" } } },
    });
    assert.equal(byServer.status, 200, byServer.text);
    const same = { updateMask: ["providerMetadata"], connection: byServer.body };
    const repeated = await busbar.inProject("PATCH", path, same, headers);
    assert.equal(repeated.status, 200, repeated.text);
  });

  test("client credentials that buy no token are not stored", async () => {
    const made = await busbar.inProject("POST", "/connections:generate", {
      provider: "byClient",
      groupRef: "client",
      consumerRef: "ada",
      oauth2ClientCredentials: { clientId: "id", clientSecret: "secret" },
    });
    assert.equal(made.status, 502, made.text);
    assert.deepEqual((await busbar.inProject("GET", "/connections?groupRef=client")).body, []);
  });

  test("what the answer to client credentials tells of the account is stored, and is enough for the address", async () => {
    const connect = (groupRef: string) =>
      busbar.inProject("POST", "/connections:generate", {
        provider: "byToken",
        groupRef,
        consumerRef: "ada",
        oauth2ClientCredentials: { clientId: "id", clientSecret: "secret" },
      });
    account = { org: "o1", userId: 7, data: { instance: "eu1" } };
    const made = await connect("told");
    assert.equal(made.status, 201, made.text);
    const { providerWorkspaceRef, providerConsumerRef, providerMetadata } = made.body;
    assert.deepEqual([providerWorkspaceRef, providerConsumerRef], ["o1", "7"]);
    assert.deepEqual(providerMetadata.instance, { value: "eu1", source: "token", displayName: "Instance" });
    account = { data: { instance: "eu2" } };
    const change = { oauth2ClientCredentials: { clientId: "id2", clientSecret: "secret" } };
    const changed = await patch(made.body.id, ["oauth2ClientCredentials"], change);
    assert.equal(changed.body.providerMetadata.instance.value, "eu2", changed.text);
    account = {};
    assert.equal((await connect("untold")).status, 400);
  });

  test("a provider's own scheme is connected by its inputs; those that are missing are named", async () => {
    const connect = (customAuth: object) =>
      busbar.call("POST", "/v1/custom-auth/connect", {
        projectIdOrName: "default",
        provider: "ownScheme",
        groupRef: "custom",
        consumerRef: "ada",
        customAuth,
      });
    const missing = await connect({});
    assert.equal(missing.status, 400);
    assert.equal(missing.body.issues[0].name, "customAuth.token");
    const made = await connect({ token: "t1" });
    assert.equal(made.status, 200, made.text);
    const again = await connect({ token: "t2" });
    assert.equal(again.body.connection.id, made.body.connection.id);
    assert.deepEqual(await events(made.body.connection.id), ["connection.created", "connection.updated"]);
  });

  test("credentials that no header can carry and times that do not exist are refused when they are given", async () => {
    const key = await busbar.inProject("POST", "/connections:generate", {
      provider: "openAI",
      groupRef: "pasted",
      consumerRef: "ada",
      apiKey: "pasted-key\n",
    });
    assert.equal(key.status, 400, key.text);
    assert.equal(key.body.issues[0].name, "apiKey");
    assert.doesNotMatch(key.text, /pasted-key/);
    const good = await generate({ provider: "openAI", groupRef: "pasted", apiKey: "key" });
    assert.equal((await patch(good, ["apiKey"], { apiKey: "k\u00e9y \u{1f600}" })).status, 400);
    const scheme = await busbar.call("POST", "/v1/custom-auth/connect", {
      projectIdOrName: "default",
      provider: "ownScheme",
      groupRef: "pasted",
      consumerRef: "ada",
      customAuth: { token: "t\r\nX-Evil: 1" },
    });
    assert.equal(scheme.status, 400, scheme.text);
    for (const accessToken of [{ token: "a\nb" }, { token: "ok", expiresAt: "2016-12-31T23:59:60Z" }]) {
      const token = await busbar.inProject("POST", "/connections:generate", {
        provider: "hubspot",
        groupRef: "pasted",
        consumerRef: "ada",
        oauth2AuthorizationCode: { accessToken },
      });
      assert.equal(token.status, 400, token.text);
    }
  });

  test("what a browser may give is no more than a connection needs, since it is kept in memory", async () => {
    const give = async (provider: string, more: object) => {
      const body = { provider, groupRef: "large", consumerRef: "ada", ...more };
      return (await busbar.inProject("POST", "/connections:generate", body)).status;
    };
    const large = "k".repeat(20_000);
    const metadata = (value: string) => ({ value, source: "input" });
    assert.equal(await give("openAI", { apiKey: large }), 400);
    assert.equal(await give("ownScheme", { customAuth: { token: large } }), 400);
    assert.equal(await give("ownScheme", { customAuth: { token: [large] } }), 400);
    assert.equal(
      await give("openAI", { apiKey: "key", providerMetadata: { workspace: metadata(large) } }),
      400,
    );
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, count) => [`m${count}`, metadata("x")]));
    assert.equal(await give("openAI", { apiKey: "key", providerMetadata: many }), 400);
    const named = { providerMetadata: { [large]: metadata("x") } };
    assert.equal(await give("openAI", { apiKey: "key", ...named }), 400);
    assert.equal(await give("openAI", { apiKey: "k".repeat(16_000) }), 201);
  });

  test("a second connection of a group to one provider is refused with 409", async () => {
    await generate({ provider: "openAI", groupRef: "single", apiKey: "key" });
    const second = await busbar.inProject("POST", "/connections:generate", {
      provider: "openAI",
      groupRef: "single",
      consumerRef: "bob",
      apiKey: "key",
    });
    assert.equal(second.status, 409, second.text);
  });

  test("new credentials heal a connection whose credentials are bad, under its id", async () => {
    const first = await generate({ provider: "openAI", groupRef: "ailing", apiKey: "old" });
    const client = await connectBoth(busbar);
    await client.query("update connections set status = 'bad_credentials' where id = $1", [first]);
    await client.end();
    const healed = await busbar.inProject("POST", "/connections:generate", {
      provider: "openAI",
      groupRef: "ailing",
      consumerRef: "bob",
      apiKey: "new",
    });
    assert.deepEqual(
      [healed.status, healed.body.id, healed.body.status],
      [201, first, "created"],
      healed.text,
    );
    const shown = await busbar.inProject("GET", `/connections/${first}?includeCreds=true`);
    assert.equal(shown.body.apiKey, "new", shown.text);
  });
});

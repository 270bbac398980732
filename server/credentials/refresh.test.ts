/** Token refresh of whole Busbars that share one database, against the sandbox's rotating and expiring tokens. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import type { Busbar } from "../main.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: sf
    provider: salesforce
    write:
      objects:
        - objectName: Contact
    proxy: { enabled: true }
  - name: hs
    provider: hubspot
    proxy: { enabled: true }
`;
const PROVIDERS = { sf: "salesforce", hs: "hubspot" } as const;

describe("token refresh", () => {
  let on: TestBusbar;
  let sibling: Busbar;
  let client: Client;
  after(async () => {
    await client.end();
    await on.stop();
  });
  afterEach(() => on.sandbox.clearFaults());
  before(async () => {
    on = await openTestBusbar({ providerTimeoutMs: 2_000 });
    sibling = await on.sibling();
    client = new Client({ connectionString: on.connectionString });
    await client.connect();
    assert.equal((await on.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST })).status, 200);
    for (const provider of ["salesforce", "hubspot"]) {
      await on.inProject("POST", "/provider-apps", { provider, clientId: "client", clientSecret: "secret" });
    }
  });

  async function connect(integration: "sf" | "hs", groupRef: string, expiresInSeconds?: number) {
    const provider = PROVIDERS[integration];
    const tokens = on.sandbox[provider].mintToken({ expiresInSeconds, clientId: "client" });
    const { accessToken, refreshToken, expiresAt } = tokens;
    const made = await on.inProject("POST", "/connections:generate", {
      provider,
      groupRef,
      consumerRef: "ada",
      providerWorkspaceRef: "acme",
      oauth2AuthorizationCode: {
        // Like the real ones: Salesforce names no end.
        accessToken: { token: accessToken, ...(integration === "hs" && { expiresAt }) },
        refreshToken: { token: refreshToken },
      },
    });
    assert.equal(made.status, 201, made.text);
    const installed = await on.inProject("POST", `/integrations/${integration}/installations`, {
      groupRef,
      config: { content: { provider, proxy: { enabled: true } } },
    });
    assert.equal(installed.status, 201, installed.text);
    on.sandbox.clearRequests();
    return { id: made.body.id as string, refreshToken };
  }
  async function call(integration: "sf" | "hs", groupRef: string, busbar: Busbar = on.busbar) {
    const path = integration === "sf" ? "/services/data/v60.0/limits" : "/crm/v3/objects/contacts?limit=1";
    const response = await fetch(`${busbar.urls.proxy}${path}`, {
      headers: {
        "x-api-key": on.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": on.projectId,
        "x-amp-integration-name": integration,
        "x-amp-group-ref": groupRef,
      },
    });
    await response.arrayBuffer();
    return response.status;
  }
  const refreshes = () =>
    on.sandbox
      .requests()
      .filter(({ path, body }) => path.endsWith("/token") && body.includes("refresh_token"));
  const status = async (id: string) => (await on.inProject("GET", `/connections/${id}`)).body.status;
  const events = async (id: string): Promise<string[]> => {
    const { rows } = await client.query(
      "select type from events where data->>'connectionId' = $1 and type like 'connection.%' and type <> 'connection.created' order by id",
      [id],
    );
    return rows.map(({ type }) => type);
  };
  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      if (await holds()) return;
      await wait(25);
    }
    assert.fail(`never came true: ${what}`);
  }

  async function write(groupRef: string, name: string, busbar: Busbar): Promise<number> {
    const response = await fetch(`${busbar.urls.write}/projects/default/integrations/sf/objects/Contact`, {
      method: "POST",
      headers: { "x-api-key": on.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ groupRef, type: "create", record: { LastName: name } }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  test("two hundred calls and writes of two processes on an expired rotating token: one refresh, none fails, no grant is revoked", async () => {
    const { id } = await connect("sf", "many", 1);
    on.sandbox.salesforce.expireTokens();
    const statuses = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const busbar = index % 2 ? sibling : on.busbar;
        return index % 5 === 0 ? write("many", `Refreshed ${index}`, busbar) : call("sf", "many", busbar);
      }),
    );
    assert.deepEqual([...new Set(statuses)], [200]);
    assert.equal(refreshes().length, 1);
    assert.equal((await status(id)) !== "bad_credentials", true);
    assert.deepEqual(await events(id), ["connection.refreshed"]);
    assert.equal((await on.inProject("GET", `/connections/${id}?refresh=force`)).status, 200, "not revoked");
  });

  test("a token about to expire still serves while its successor is fetched, even when that fails", async () => {
    const { id } = await connect("hs", "ahead", 60);
    on.sandbox.addFault({ provider: "hubspot", path: "/oauth/v1/token", status: 503, count: 100 });
    assert.equal(await call("hs", "ahead"), 200);
    await until("a refresh was tried", async () => refreshes().length > 0);
    assert.equal(await call("hs", "ahead"), 200);
    assert.notEqual(await status(id), "bad_credentials");
  });

  test("a short-lived token is not renewed with every call", async () => {
    await connect("hs", "short", 1_800);
    await client.query(
      "update connections set credentials_sealed = credentials_sealed where auth_scheme like 'oauth2/%'",
    );
    for (let calls = 0; calls < 5; calls += 1) assert.equal(await call("hs", "short"), 200);
    assert.equal(refreshes().length, 0);
  });

  test("a refused grant is told once, and the provider is not asked again", async () => {
    const { id } = await connect("hs", "refused", 1);
    on.sandbox.hubspot.revokeTokens();
    assert.equal(await call("hs", "refused"), 401);
    assert.equal(await status(id), "bad_credentials");
    await call("hs", "refused", sibling);
    assert.equal(refreshes().length, 1);
    assert.deepEqual(await events(id), ["connection.error"]);
  });

  test("an answer that was lost: a rotating provider never sees that refresh token again", async () => {
    const { id, refreshToken } = await connect("sf", "lost", 1);
    on.sandbox.salesforce.expireTokens();
    on.sandbox.addFault({ provider: "salesforce", path: "/oauth2/token", reset: "after" });
    await call("sf", "lost");
    await call("sf", "lost", sibling);
    await on.inProject("GET", `/connections/${id}?refresh=force`);
    const sent = refreshes().filter(({ body }) => body.includes(refreshToken ?? "-"));
    assert.equal(sent.length, 1);
    assert.equal(await status(id), "bad_credentials");
  });

  test("a holder that died after sending: a rotating provider never sees that refresh token again", async () => {
    const { id } = await connect("sf", "died", 1);
    on.sandbox.salesforce.expireTokens();
    // What a process leaves that sent the token and was killed before it could store the answer.
    await client.query("update token_renewals set sent_hash = sha256($2::bytea) where connection_id = $1", [
      id,
      Buffer.from(
        (await on.inProject("GET", `/connections/${id}?includeCreds=true&includeRefreshToken=true`)).body
          .oauth2AuthorizationCode.refreshToken.token,
      ),
    ]);
    await call("sf", "died");
    assert.equal(refreshes().length, 0);
    assert.equal(await status(id), "bad_credentials");
  });

  test("an answer that was lost: a provider that does not rotate is asked again", async () => {
    const { id } = await connect("hs", "again", 1);
    on.sandbox.hubspot.expireTokens();
    on.sandbox.addFault({ provider: "hubspot", path: "/oauth/v1/token", reset: "after" });
    await call("hs", "again");
    await until("a later call succeeds", async () => (await call("hs", "again")) === 200);
    assert.notEqual(await status(id), "bad_credentials");
  });

  test("a wrong client secret is not the customer's fault: the connection stays and heals", async () => {
    const { id } = await connect("hs", "config", 1);
    on.sandbox.hubspot.expireTokens();
    on.sandbox.addFault({
      provider: "hubspot",
      path: "/oauth/v1/token",
      status: 400,
      body: { error: "invalid_client", error_description: "bad secret" },
    });
    await call("hs", "config");
    assert.notEqual(await status(id), "bad_credentials");
    assert.equal((await on.inProject("GET", `/connections/${id}?refresh=force`)).status, 200);
  });

  test("idle connections whose time has come are renewed by the background, each once", async () => {
    const { id } = await connect("sf", "idle");
    await client.query(
      "update token_renewals set due_time = now() - interval '1 hour' where connection_id = $1",
      [id],
    );
    const third = await on.sibling();
    await until("the renewal happened", async () => (await events(id)).includes("connection.refreshed"));
    await third.stop();
    assert.equal(refreshes().filter(({ provider }) => provider === "salesforce").length, 1);
    const { rows } = await client.query(
      "select due_time between now() + interval '17 hours' and now() + interval '24 hours' as kept from token_renewals where connection_id = $1",
      [id],
    );
    assert.equal(rows[0].kept, true);
  });
});

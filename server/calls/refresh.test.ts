/** Token refresh of whole Busbars that share one database, against the sandbox's rotating and expiring tokens. */
import assert from "node:assert/strict";
import { after, afterEach, describe, test } from "node:test";
import { Client as Postgres } from "pg";
import { shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { openClient, type Client } from "../../tests/harness/client.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { refreshOnlyOnDemand } from "../../tests/harness/refresh-only-on-demand.ts";
import { until } from "../../tests/harness/until.ts";

/** What is called through the proxy. Salesforce rotates refresh tokens, HubSpot says when access tokens end. */
const CRMS = {
  salesforce: { object: "Contact", path: "/services/data/v60.0/limits" },
  hubspot: { object: "contacts", path: "/crm/v3/objects/contacts?limit=1" },
} as const;
type Crm = keyof typeof CRMS;

const busbar = await shareTestBusbar();

await refreshOnlyOnDemand(busbar.connectionString);
const { urls } = await busbar.sibling();
/** Another process on the same database. */
const sibling: Client = openClient({ apiKey: busbar.apiKey, projectId: busbar.projectId, urls: () => urls });
const sql = new Postgres({ connectionString: busbar.connectionString });
await sql.connect();
for (const provider of Object.keys(CRMS)) {
  await busbar.inProject("POST", "/provider-apps", {
    provider,
    clientId: "client",
    clientSecret: "secret",
    scopes: ["crm"],
  });
}

describe("token refresh", () => {
  after(async () => {
    await sql.end();
  });
  afterEach(() => busbar.sandbox.clearFaults());

  async function connect(provider: Crm, groupRef: string, expiresInSeconds?: number): Promise<Customer> {
    const objects = [CRMS[provider].object];
    const customer = await connectCustomer(busbar, { provider, groupRef, expiresInSeconds, objects });
    busbar.sandbox.clearRequests();
    return customer;
  }
  const call = async ({ integration, groupRef }: Customer, through: Client = busbar): Promise<number> =>
    (await through.proxied({ integration, groupRef }, CRMS[integration as Crm].path)).status;
  /** How often the provider has seen the refresh token that a customer began with. */
  const timesSent = ({ refreshToken }: Customer): number =>
    busbar.sandbox
      .requests()
      .filter(({ path }) => path.endsWith("/token"))
      .filter(({ body }) => new URLSearchParams(body).get("refresh_token") === refreshToken).length;
  const read = async ({ connectionId }: Customer, query = ""): Promise<Answer> =>
    busbar.inProject("GET", `/connections/${connectionId}${query}`);
  const status = async (customer: Customer) => (await read(customer)).body.status;
  const events = async ({ connectionId }: Customer): Promise<string[]> => {
    const { rows } = await sql.query(
      "select type from events where data->>'connectionId' = $1 and type like 'connection.%' and type <> 'connection.created' order by id",
      [connectionId],
    );
    return rows.map(({ type }) => type);
  };

  test("a token about to expire is used until its successor is there, and a failed refresh is not repeated with each write", async () => {
    const customer = await connect("hubspot", "ahead", 70);
    busbar.sandbox.addFault({ provider: "hubspot", path: "/oauth/2026-03/token", status: 503, count: 100 });
    assert.equal(await call(customer), 200);
    await until(() => timesSent(customer) > 0);
    assert.equal(await call(customer), 200);
    // Each write asks for the token; the proxy does so once a second.
    const update = { type: "update", record: { id: "501", firstname: "Ada" } };
    for (let writes = 0; writes < 20; writes += 1) await customer.succeed("contacts", update);
    // Both processes and the refresh behind the calls try once, and then not with each call.
    assert.ok(timesSent(customer) <= 3, `${timesSent(customer)} refreshes`);
    assert.notEqual(await status(customer), "bad_credentials");
  });

  test("a token is refreshed even if its connection is changed otherwise while the call is refused", async () => {
    const customer = await connect("salesforce", "changed");
    assert.equal(await call(customer), 200);
    busbar.sandbox.salesforce.expireTokens();
    busbar.sandbox.clearRequests();
    busbar.sandbox.addFault({ provider: "salesforce", path: CRMS.salesforce.path, delayMs: 500 });
    const refused = call(customer);
    await until(() => busbar.sandbox.requests({ provider: "salesforce" }).length > 0);
    await sql.query("update connections set update_time = now() where id = $1", [customer.connectionId]);
    assert.equal(await refused, 200);
    assert.equal(timesSent(customer), 1);
  });

  test("a short-lived token is not refreshed with every call", async () => {
    const customer = await connect("hubspot", "short", 1_800);
    await sql.query(
      "update connections set credentials_sealed = credentials_sealed where auth_scheme like 'oauth2/%'",
    );
    for (let calls = 0; calls < 5; calls += 1) assert.equal(await call(customer), 200);
    assert.equal(timesSent(customer), 0);
  });

  test("a refused grant causes one event, and the provider is not asked again", async () => {
    const customer = await connect("hubspot", "refused", 1);
    busbar.sandbox.hubspot.revokeTokens();
    assert.equal(await call(customer), 401);
    assert.equal(await status(customer), "bad_credentials");
    await call(customer, sibling);
    assert.equal(timesSent(customer), 1);
    assert.deepEqual(await events(customer), ["connection.error"]);
  });

  test("after a lost answer, a refresh token is sent again also to a provider that revokes on reuse: the grant lives if it was not used", async () => {
    const customer = await connect("salesforce", "unheard", 1);
    busbar.sandbox.salesforce.expireTokens();
    busbar.sandbox.addFault({ provider: "salesforce", path: "/oauth2/token", reset: "before" });
    await call(customer);
    assert.notEqual(await status(customer), "bad_credentials");
    await until(async () => (await call(customer)) === 200);
    assert.equal(timesSent(customer), 2);
    assert.notEqual(await status(customer), "bad_credentials");
  });

  test("after a lost answer, the provider's refusal of a refresh token that it has replaced ends the connection", async () => {
    const customer = await connect("salesforce", "lost", 1);
    busbar.sandbox.salesforce.expireTokens();
    busbar.sandbox.addFault({ provider: "salesforce", path: "/oauth2/token", reset: "after" });
    await call(customer);
    await until(async () => {
      await read(customer, "?refresh=force");
      return (await status(customer)) === "bad_credentials";
    });
    await call(customer, sibling);
    assert.equal(timesSent(customer), 2);
  });

  test("after the death of the sending process, a refresh token is sent again once: it may not have arrived", async () => {
    const customer = await connect("salesforce", "died", 1);
    busbar.sandbox.salesforce.expireTokens();
    // What a process leaves that was killed as it sent the token.
    await sql.query("update token_refreshes set sent_hash = sha256($2::bytea) where connection_id = $1", [
      customer.connectionId,
      Buffer.from(customer.refreshToken),
    ]);
    await until(async () => (await call(customer)) === 200);
    assert.equal(timesSent(customer), 1);
    assert.notEqual(await status(customer), "bad_credentials");
  });

  test("after a lost answer, a refresh token is sent again to a provider that does not revoke on reuse", async () => {
    const customer = await connect("hubspot", "again", 1);
    busbar.sandbox.hubspot.expireTokens();
    busbar.sandbox.addFault({ provider: "hubspot", path: "/oauth/2026-03/token", reset: "after" });
    await call(customer);
    await until(async () => (await call(customer)) === 200);
    assert.notEqual(await status(customer), "bad_credentials");
  });

  test("a token endpoint that fails once costs one proxied call, not those of the next 30 s", async () => {
    const customer = await connect("hubspot", "failed-once", 1_800);
    busbar.sandbox.hubspot.expireTokens();
    busbar.sandbox.addFault({ provider: "hubspot", path: "/oauth/2026-03/token", status: 503, count: 1 });
    assert.equal(await call(customer), 401);
    assert.equal(await call(customer), 200);
  });

  test("a token that is revoked again soon after a refresh is refreshed again, also for proxied calls", async () => {
    const customer = await connect("hubspot", "revoked-again", 1_800);
    const calls = () => busbar.sandbox.requests({ path: CRMS.hubspot.path }).length;
    for (let times = 1; times <= 2; times += 1) {
      busbar.sandbox.hubspot.expireTokens();
      assert.equal(await call(customer), 200);
      assert.equal(timesSent(customer), times);
      // A call that still begins with the old token is refused, and repeated with the new one without a refresh.
      await until(async () => {
        const before = calls();
        assert.equal(await call(customer), 200);
        return calls() === before + 1;
      });
    }
  });

  test("a provider that answers 401 to every token does not make each proxied call request a new one", async () => {
    const customer = await connect("hubspot", "always-401", 1_800);
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/crm/v3/objects/contacts",
      status: 401,
      count: 100,
    });
    for (let calls = 0; calls < 10; calls += 1) assert.equal(await call(customer), 401);
    assert.ok(timesSent(customer) <= 3, `${timesSent(customer)} refreshes`);
  });

  test("a token that lacks a scope is not refreshed for it, however often a write is refused, and the connection stays", async () => {
    // RFC 6750 names the word; Xero answers so with 401. Salesforce words another such refusal.
    const refusals = {
      hubspot: {
        headers: { "www-authenticate": 'Bearer error="insufficient_scope"' },
        body: { message: "no" },
      },
      salesforce: {
        headers: {},
        body: [
          {
            message: "This session is not valid for use with the REST API",
            errorCode: "INVALID_SESSION_ID",
          },
        ],
      },
    };
    for (const provider of ["hubspot", "salesforce"] as const) {
      const customer = await connect(provider, `scope-${provider}`);
      const { headers, body } = refusals[provider];
      busbar.sandbox.addFault({
        provider,
        path: "(objects|composite)",
        status: 401,
        headers,
        body,
        count: 100,
      });
      for (let writes = 0; writes < 3; writes += 1) {
        const record = provider === "hubspot" ? { firstname: "Ada" } : { LastName: "Ada" };
        const answer = await customer.write(CRMS[provider].object, { type: "create", record });
        assert.notEqual(answer.status, 200, answer.text);
      }
      assert.equal(timesSent(customer), 0, provider);
      assert.notEqual(await status(customer), "bad_credentials");
      busbar.sandbox.clearFaults();
    }
  });

  test("a wrong client secret does not mark the connection as bad", async () => {
    const customer = await connect("hubspot", "config", 1);
    busbar.sandbox.hubspot.expireTokens();
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/oauth/2026-03/token",
      status: 400,
      body: { error: "invalid_client", error_description: "bad secret" },
    });
    await call(customer);
    assert.notEqual(await status(customer), "bad_credentials");
    assert.equal((await read(customer, "?refresh=force")).status, 200);
  });

  test("a customer whose token cannot be refreshed because the provider app is wrong is unhealthy with the provider's words, until it is right", async () => {
    const customer = await connect("hubspot", "wrong-app", 1);
    const installation = async () =>
      (await busbar.inProject("GET", `/integrations/hubspot/installations/${customer.installationId}`)).body;
    assert.deepEqual((await installation()).healthReasons, []);
    const [app] = (await busbar.inProject("GET", "/provider-apps")).body.filter(
      ({ provider }: { provider: string }) => provider === "hubspot",
    );
    busbar.sandbox.hubspot.expireTokens();
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/oauth/2026-03/token",
      status: 400,
      body: { error: "invalid_client", error_description: "bad secret" },
      count: 100,
    });
    const record = { firstname: "Ada" };
    assert.notEqual((await customer.write("contacts", { type: "create", record })).status, 200);
    const wrong = await installation();
    assert.equal(wrong.healthStatus, "unhealthy");
    const [{ type, name, detail, since }] = wrong.healthReasons;
    assert.deepEqual([type, name], ["connection", "hubspot"]);
    assert.match(
      detail,
      /invalid_client: bad secret.*Check client id, client secret.* need not connect again/,
    );
    const [group] = (await busbar.inProject("GET", "/groups?healthStatus=unhealthy&text=wrong-app")).body
      .results;
    assert.deepEqual(group.healthReasons, wrong.healthReasons);
    const shown = (await read(customer)).body;
    assert.deepEqual([shown.status, shown.refreshFailure], ["created", { since, detail }]);
    // The next failure does not change since when.
    assert.notEqual((await customer.write("contacts", { type: "create", record })).status, 200);
    assert.equal((await installation()).healthReasons[0].since, since);

    busbar.sandbox.clearFaults();
    await busbar.inProject("PATCH", `/provider-apps/${app.id}`, {
      updateMask: ["clientSecret"],
      providerApp: { clientSecret: "secret" },
    });
    assert.equal((await customer.write("contacts", { type: "create", record })).status, 200);
    assert.deepEqual((await installation()).healthReasons, []);
    assert.equal((await read(customer)).body.refreshFailure, undefined);
  });

  test("a customer whose rejected token, of which no end is known, cannot be refreshed for a while is unhealthy until it can", async () => {
    const customer = await connect("salesforce", "at-night");
    const installation = async () =>
      (await busbar.inProject("GET", `/integrations/salesforce/installations/${customer.installationId}`))
        .body;
    busbar.sandbox.salesforce.expireTokens();
    busbar.sandbox.addFault({
      provider: "salesforce",
      path: "/services/oauth2/token",
      status: 400,
      body: { error: "invalid_grant", error_description: "ip restricted or invalid login hours" },
      count: 100,
    });
    assert.notEqual(await call(customer), 200);
    const { healthStatus, healthReasons } = await installation();
    assert.equal(healthStatus, "unhealthy");
    assert.match(healthReasons[0].detail, /invalid login hours/);
    assert.equal((await read(customer)).body.status, "created");
    busbar.sandbox.clearFaults();
    assert.equal(await call(customer), 200);
    assert.deepEqual((await installation()).healthReasons, []);
    assert.ok(!(await events(customer)).includes("connection.error"));
  });

  test("idle connections that are due are refreshed in the background, each once", async () => {
    const customer = await connect("salesforce", "idle");
    await sql.query("alter table token_refreshes disable trigger never_due");
    await sql.query(
      "update token_refreshes set due_time = now() - interval '1 hour' where connection_id = $1",
      [customer.connectionId],
    );
    const third = await busbar.sibling();
    await until(async () => (await events(customer)).includes("connection.refreshed"));
    await third.stop();
    assert.equal(timesSent(customer), 1);
    const { rows } = await sql.query(
      "select due_time between now() + interval '17 hours' and now() + interval '24 hours' as kept from token_refreshes where connection_id = $1",
      [customer.connectionId],
    );
    assert.equal(rows[0].kept, true);
  });
});

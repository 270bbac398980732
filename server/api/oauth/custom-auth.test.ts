/** Connecting by a provider's own scheme in several steps, through a real Busbar against a provider that speaks HTTP. */
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { openConsentBrowser } from "../../../tests/harness/consent.ts";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { bearer, registerJwtKey, type TokenSigner } from "../../../tests/harness/customer-tokens.ts";
import {
  CLIENT_SECRET,
  customAuthProviders,
  openCustomAuthProvider,
  PASSWORD,
} from "../../../tests/harness/custom-auth-provider.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase } from "../../store/database/open-database.ts";

describe("connecting in several steps", () => {
  const { server, received, revoked } = openCustomAuthProvider();
  let busbar: TestBusbar;
  let signer: TokenSigner;
  let url: string;
  const logged: string[] = [];
  after(async () => {
    await busbar.stop();
    await new Promise((resolve) => server.close(resolve));
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { keyed: away } = customAuthProviders("http://127.0.0.1:1");
    busbar = await openTestBusbar({
      providers: { ...customAuthProviders(url), away },
      log: createLog("warn", { write: (line) => void logged.push(line) }),
    });
    signer = await registerJwtKey(busbar);
    const app = { provider: "consented", clientId: "app-1", clientSecret: CLIENT_SECRET };
    assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
  });
  const connect = (body: object, headers?: Record<string, string>) =>
    busbar.call("POST", "/v1/custom-auth/connect", { projectIdOrName: "default", ...body }, headers);
  const begin = (groupRef: string, more: object = {}, headers?: Record<string, string>) =>
    connect({ provider: "consented", groupRef, consumerRef: "ada", ...more }, headers);
  const browser = openConsentBrowser();
  const left = new Map<string, string>();
  /** Continues to the provider's page, once. */
  const leave = async (address: string): Promise<URL> => {
    const url = left.get(address) ?? (await browser.leave(address));
    left.set(address, url);
    return new URL(url);
  };
  const comeBack = async (
    { sessionId, url: address }: { sessionId: string; url: string },
    params: Record<string, string> = {},
    headers?: Record<string, string>,
  ) => {
    const state = (await leave(address)).searchParams.get("state") ?? "";
    return connect(
      { sessionId, callbackParams: { tenant: "t-42", admin_consent: "True", state, ...params } },
      headers,
    );
  };
  const keyed = (groupRef: string, password = PASSWORD) => ({
    provider: "keyed",
    groupRef,
    consumerRef: "ada",
    customAuth: { apiKey: "vendor", username: "ada", password },
  });
  const proxied = async (installationId: string) => {
    const answer = await fetch(`${busbar.server.urls.proxy}/things`, {
      headers: {
        "x-api-key": busbar.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": busbar.projectId,
        "x-amp-installation-id": installationId,
      },
    });
    const { authorization } = (await answer.json()) as { authorization: string };
    return { status: answer.status, authorization };
  };
  /** What a connection's row and the sessions hold, opened by nobody. */
  const storedText = async () => {
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      dataUrl: busbar.dataUrl,
      log: createLog("silent"),
    });
    const { rows } = await database.pool.query(
      "select row_to_json(connections)::text as row from connections union all select row_to_json(custom_auth_sessions)::text from custom_auth_sessions",
    );
    await database.close();
    return rows.map(({ row }) => row).join("\n");
  };

  test("steps without a page of the provider's end in a connection at once, and the password is not kept", async () => {
    const answer = await connect(keyed("one"));
    assert.equal(answer.status, 200, answer.text);
    const { connection } = answer.body;
    assert.equal(connection.status, "created");
    assert.equal(connection.authScheme, "none");
    const shown = await busbar.inProject("GET", `/connections/${connection.id}?includeCreds=true`);
    assert.equal(shown.status, 200, shown.text);
    for (const text of [answer.text, shown.text, await storedText()]) {
      assert.equal(text.includes(PASSWORD) || text.includes("uk-1"), false);
    }
  });

  test("a refused step says what the provider said and leaves nothing behind", async () => {
    const answer = await connect(keyed("refused", "wrong"));
    assert.equal(answer.status, 422, answer.text);
    assert.match(answer.body.detail, /wrong password/);
    const listed = await busbar.inProject("GET", "/connections?groupRef=refused");
    assert.deepEqual(listed.body, []);
  });

  test("a failed attempt is logged once, whether the provider refuses it or cannot be reached", async () => {
    for (const [provider, status, line] of [
      ["keyed", 422, /wrong password/],
      ["away", 502, /could not be checked: cannot connect/],
    ] as const) {
      logged.length = 0;
      const answer = await connect({ ...keyed("logged", "wrong"), provider });
      assert.equal(answer.status, status, answer.text);
      assert.equal(logged.length, 1, logged.join(""));
      assert.match(logged[0] ?? "", line);
    }
  });

  test("failed attempts are in the list of consents with their reason, and refused inputs are not", async () => {
    assert.equal((await connect(keyed("listed", "wrong"))).status, 422);
    assert.equal((await begin("listed", { customAuth: { unknown: "x" }, provider: "keyed" })).status, 400);
    const { redirect } = (await begin("listed")).body;
    await comeBack(redirect, { error: "access_denied", error_description: "The admin said no" });
    const listed = await busbar.inProject("GET", "/consents?groupRef=listed&status=failed");
    const shown = listed.body.results.map(
      ({ provider, reason, detail, retryable, ...consent }: Record<string, string>) => ({
        provider,
        reason,
        detail,
        retryable,
        left: consent["leaveTime"] !== undefined,
        app: consent["providerAppId"] !== undefined,
      }),
    );
    const [declined, refused] = shown;
    assert.equal(shown.length, 2, listed.text);
    const common = { retryable: false };
    assert.deepEqual(declined, {
      ...common,
      provider: "consented",
      reason: "declined",
      detail: "access_denied: The admin said no",
      left: true,
      app: true,
    });
    assert.match(refused.detail, /wrong password/);
    assert.deepEqual(
      { ...refused, detail: "" },
      {
        ...common,
        provider: "keyed",
        reason: "provider-refused",
        detail: "",
        left: false,
        app: false,
      },
    );
  });

  test("a redirect leads over the provider's page to a connection", async () => {
    const first = await begin("acme", { groupName: "Acme" });
    assert.equal(first.status, 200, first.text);
    assert.deepEqual(Object.keys(first.body), ["redirect"]);
    const address = await leave(first.body.redirect.url);
    assert.equal(`${address.origin}${address.pathname}`, `${url}/consent`);
    const callback = `${new URL(busbar.server.urls.base).origin}/callbacks/v1/custom-auth`;
    assert.equal(address.searchParams.get("redirect_uri"), callback);
    assert.equal(address.searchParams.get("client_id"), "app-1");
    assert.equal(first.text.includes(CLIENT_SECRET), false);
    const last = await comeBack(first.body.redirect);
    assert.equal(last.status, 200, last.text);
    const { connection } = last.body;
    assert.equal(connection.group.groupName, "Acme");
    assert.deepEqual(connection.providerMetadata["workspace"], { value: "t-42", source: "provider" });
    assert.equal(connection.providerWorkspaceRef, "t-42");
    const token = received.find((line) => line.startsWith("POST /t-42/token"));
    assert.ok(token?.includes(CLIENT_SECRET));
    const stored = await storedText();
    for (const secret of [CLIENT_SECRET, "app-token"]) assert.equal(stored.includes(secret), false);
  });

  test("what was connected serves through the proxy", async () => {
    const manifest = `specVersion: 1.0.0
integrations:
  - { name: k, provider: keyed, proxy: { enabled: true } }
  - { name: c, provider: consented, proxy: { enabled: true } }
`;
    assert.equal(
      (await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest })).status,
      200,
    );
    await connect(keyed("proxied"));
    await comeBack((await begin("proxied")).body.redirect);
    for (const [name, provider, authorization] of [
      ["k", "keyed", `Userkeyauth ${Buffer.from("vendor:uk-1").toString("base64")}`],
      ["c", "consented", "Bearer app-token-2"],
    ] as const) {
      const config = { content: { provider } };
      const made = await busbar.inProject("POST", `/integrations/${name}/installations`, {
        groupRef: "proxied",
        config,
      });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(await proxied(made.body.id), { status: 200, authorization });
    }
  });

  test("values that the provider refuses are got anew by the refresh steps, and the call is repeated", async () => {
    const { connection } = (await comeBack((await begin("refreshed")).body.redirect)).body;
    const config = { content: { provider: "consented" } };
    const made = await busbar.inProject("POST", "/integrations/c/installations", {
      groupRef: "refreshed",
      config,
    });
    const first = await proxied(made.body.id);
    revoked.add(first.authorization);
    const second = await proxied(made.body.id);
    assert.equal(second.status, 200);
    assert.notEqual(second.authorization, first.authorization);
    const apps = await busbar.inProject("GET", "/provider-apps");
    const path = `/provider-apps/${apps.body[0].id}`;
    const secret = (clientSecret: string) =>
      busbar.inProject("PATCH", path, { updateMask: ["clientSecret"], providerApp: { clientSecret } });
    await secret("wrong");
    const refused = await busbar.inProject("GET", `/connections/${connection.id}?refresh=force`);
    assert.notEqual(refused.status, 500, refused.text);
    const after = await busbar.inProject("GET", `/connections/${connection.id}`);
    assert.notEqual(after.body.status, "bad_credentials", "the builder's mistake is not the customer's");
    await secret(CLIENT_SECRET);
  });

  test("steps without a page serve a builder's server too; those with one do not", async () => {
    const generate = (body: object) => busbar.inProject("POST", "/connections:generate", body);
    const made = await generate(keyed("generated"));
    assert.equal(made.status, 201, made.text);
    assert.equal((await generate(keyed("generated-wrong", "wrong"))).status, 422);
    const refused = await generate({
      provider: "consented",
      groupRef: "x",
      consumerRef: "y",
      customAuth: {},
    });
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.body.detail, /custom-auth\/connect/);
    const change = { updateMask: ["customAuth"], connection: { customAuth: keyed("x", "wrong").customAuth } };
    const path = `/connections/${made.body.id}`;
    assert.equal((await busbar.inProject("PATCH", path, change)).status, 422);
    change.connection.customAuth.password = PASSWORD;
    assert.equal((await busbar.inProject("PATCH", path, change)).status, 200);
    assert.equal((await storedText()).includes(PASSWORD), false);
  });

  test("a session serves once, in its own project, for ten minutes", async () => {
    const { redirect } = (await begin("once")).body;
    assert.equal((await comeBack(redirect)).status, 200);
    const again = await comeBack(redirect);
    assert.equal(again.status, 400, again.text);
    assert.equal(again.body.issues[0].name, "sessionId");
    assert.equal((await connect({ sessionId: "nonsense", callbackParams: {} })).status, 400);

    const other = (await begin("once")).body.redirect;
    await busbar.call("POST", "/v1/projects", {
      orgId: busbar.server.bootstrap?.orgId,
      name: "elsewhere",
      appName: "x",
    });
    const { key } = (await busbar.call("POST", "/v1/projects/elsewhere/api-keys", { label: "x" })).body;
    const foreign = await busbar.call(
      "POST",
      "/v1/custom-auth/connect",
      { projectIdOrName: "elsewhere", sessionId: other.sessionId, callbackParams: {} },
      { "x-api-key": key },
    );
    assert.equal(foreign.status, 400);
    assert.equal((await comeBack(other)).status, 200, "a stranger must not end it");

    const late = (await begin("once")).body.redirect;
    await leave(late.url);
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      dataUrl: busbar.dataUrl,
      log: createLog("silent"),
    });
    await database.pool.query("update custom_auth_sessions set expire_time = now()");
    await database.close();
    assert.equal((await comeBack(late)).status, 400);
  });

  test("a customer's token takes up its own customer's session only", async () => {
    const acme = bearer(await signer.sign({ groupRef: "acme", consumerRef: "ada" }));
    const globex = bearer(await signer.sign({ groupRef: "globex", consumerRef: "ada" }));
    const eve = bearer(await signer.sign({ groupRef: "acme", consumerRef: "eve" }));
    const { redirect } = (await begin("acme", {}, acme)).body;
    assert.equal((await begin("acme", {}, globex)).status, 403);
    for (const headers of [globex, eve]) {
      assert.equal((await comeBack(redirect, {}, headers)).status, 400);
    }
    assert.equal((await comeBack(redirect, {}, acme)).status, 200);
  });

  test("what comes back is checked: state, refusal, consent, and values that would change the address", async () => {
    const refusals: [Record<string, string>, number, RegExp][] = [
      [{ state: "another" }, 400, /state/],
      [{ error: "access_denied", error_description: "The admin said no" }, 422, /admin said no/],
      [{ admin_consent: "False" }, 422, /admin_consent/],
      [{ tenant: "" }, 422, /tenant/],
      [{ tenant: "../admin" }, 422, /not allowed/],
      [{ tenant: "x@evil.example/" }, 422, /not allowed/],
    ];
    for (const [params, status, words] of refusals) {
      const { redirect } = (await begin("checked")).body;
      const answer = await comeBack(redirect, params);
      assert.equal(answer.status, status, `${JSON.stringify(params)}: ${answer.text}`);
      assert.match(answer.body.detail, words);
    }
    assert.deepEqual((await busbar.inProject("GET", "/connections?groupRef=checked")).body, []);
  });

  test("missing inputs and a missing provider app are named", async () => {
    const missing = await connect({ ...keyed("x"), customAuth: { apiKey: "vendor" } });
    assert.equal(missing.status, 400);
    assert.match(missing.body.detail, /username/);
    const app = await begin("x", { providerAppId: "01a1fecd-d759-75de-a63c-a80eaf0833b4" });
    assert.equal(app.status, 400);
    assert.equal(app.body.issues[0].name, "providerAppId");
  });
});

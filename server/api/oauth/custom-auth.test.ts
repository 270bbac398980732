/** Connecting by a provider's own scheme in several steps, through a real Busbar against a provider that speaks HTTP. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { openConsentBrowser, type Seen } from "../../../tests/harness/consent.ts";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { bearer, registerJwtKey, type TokenSigner } from "../../../tests/harness/customer-tokens.ts";
import { createLog } from "../../ground/log.ts";
import { openDatabase } from "../../store/database.ts";

const PASSWORD = "the-customers-password";
const CLIENT_SECRET = "the-builders-secret";

/** Changes a password for a key, and an application's secret for a token of a tenant that has consented. */
function openProvider(): { server: Server; received: string[]; revoked: Set<string> } {
  const received: string[] = [];
  const revoked = new Set<string>();
  let issued = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url = "", headers } = request;
      const body = Buffer.concat(chunks).toString();
      received.push(`${method} ${url} ${headers.authorization ?? ""} ${body}`);
      const send = (status: number, value: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
      if (url === "/api/authentication") {
        const wanted = `Basic ${Buffer.from(`vendor:ada:${PASSWORD}`).toString("base64")}`;
        if (headers.authorization !== wanted) return send(401, { message: "wrong password" });
        return send(200, { authenticated_user: { user_key: "uk-1" } });
      }
      if (url === "/t-42/token?client=app-1+%26+more") {
        const form = new URLSearchParams(body);
        if (form.get("client_secret") !== CLIENT_SECRET) return send(401, { error: "invalid_client" });
        issued += 1;
        return send(200, { access_token: `app-token-${issued}`, expires_in: 3_600 });
      }
      if (revoked.has(headers.authorization ?? "")) return send(401, {});
      send(200, { url, authorization: headers.authorization });
    });
  });
  return { server, received, revoked };
}

function providers(url: string) {
  const support = { proxy: true };
  const tokenStep = {
    request: {
      method: "POST",
      url: `${url}/{{.workspace}}/token`,
      params: { client: "{{.clientId}} & more" },
      form: {
        grant_type: "client_credentials",
        client_id: "{{.clientId}}",
        client_secret: "{{.clientSecret}}",
      },
      take: { accessToken: "access_token" },
      expiresIn: "expires_in",
    },
  };
  return {
    keyed: {
      authType: "custom",
      baseURL: `${url}/api`,
      support,
      customOpts: {
        multiStep: true,
        inputs: ["apiKey", "username", "password"].map((name) => ({ name, displayName: name })),
        connectSteps: [
          {
            request: {
              method: "GET",
              url: `${url}/api/authentication`,
              basic: { username: "{{.apiKey}}", password: "{{.username}}:{{.password}}" },
              take: { userKey: "authenticated_user.user_key" },
              base64: { pair: "{{.apiKey}}:{{.userKey}}" },
            },
          },
        ],
        headers: [{ name: "Authorization", valueTemplate: "Userkeyauth {{.pair}}" }],
      },
    },
    consented: {
      authType: "custom",
      baseURL: `${url}/graph`,
      support,
      customOpts: {
        multiStep: true,
        providerInputs: [
          { name: "clientId", displayName: "Client id" },
          { name: "clientSecret", displayName: "Client secret" },
        ],
        connectSteps: [
          {
            redirect: {
              url: `${url}/consent`,
              params: {
                client_id: "{{.clientId}}",
                redirect_uri: "{{.callbackURL}}",
                state: "{{.state}}",
              },
              expect: { admin_consent: "true" },
              metadata: { workspace: "tenant" },
            },
          },
          tokenStep,
        ],
        refreshSteps: [tokenStep],
        headers: [{ name: "Authorization", valueTemplate: "Bearer {{.accessToken}}" }],
      },
    },
  };
}

describe("connecting in several steps", () => {
  const { server, received, revoked } = openProvider();
  let on: TestBusbar;
  let signer: TokenSigner;
  let url: string;
  after(async () => {
    await on.stop();
    await new Promise((resolve) => server.close(resolve));
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    on = await openTestBusbar({ providers: providers(url) });
    signer = await registerJwtKey(on);
    const app = { provider: "consented", clientId: "app-1", clientSecret: CLIENT_SECRET };
    assert.equal((await on.inProject("POST", "/provider-apps", app)).status, 200);
  });
  const connect = (body: object, headers?: Record<string, string>) =>
    on.call("POST", "/v1/custom-auth/connect", { projectIdOrName: "default", ...body }, headers);
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
    const answer = await fetch(`${on.busbar.urls.proxy}/things`, {
      headers: {
        "x-api-key": on.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": on.projectId,
        "x-amp-installation-id": installationId,
      },
    });
    const { authorization } = (await answer.json()) as { authorization: string };
    return { status: answer.status, authorization };
  };
  /** What a connection's row and the sessions hold, opened by nobody. */
  const storedText = async () => {
    const database = await openDatabase({ connectionString: on.connectionString, log: createLog("silent") });
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
    const shown = await on.inProject("GET", `/connections/${connection.id}?includeCreds=true`);
    assert.equal(shown.status, 200, shown.text);
    for (const text of [answer.text, shown.text, await storedText()]) {
      assert.equal(text.includes(PASSWORD) || text.includes("uk-1"), false);
    }
  });

  test("a refused step says what the provider said and leaves nothing behind", async () => {
    const answer = await connect(keyed("refused", "wrong"));
    assert.equal(answer.status, 422, answer.text);
    assert.match(answer.body.detail, /wrong password/);
    const listed = await on.inProject("GET", "/connections?groupRef=refused");
    assert.deepEqual(listed.body, []);
  });

  test("a redirect leads over the provider's page to a connection", async () => {
    const first = await begin("acme", { groupName: "Acme" });
    assert.equal(first.status, 200, first.text);
    assert.deepEqual(Object.keys(first.body), ["redirect"]);
    const address = await leave(first.body.redirect.url);
    assert.equal(`${address.origin}${address.pathname}`, `${url}/consent`);
    const callback = `${new URL(on.busbar.urls.base).origin}/callbacks/v1/custom-auth`;
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
    assert.equal((await on.inProject("PUT", "/integrations:batch", { sourceYaml: manifest })).status, 200);
    await connect(keyed("proxied"));
    await comeBack((await begin("proxied")).body.redirect);
    for (const [name, provider, authorization] of [
      ["k", "keyed", `Userkeyauth ${Buffer.from("vendor:uk-1").toString("base64")}`],
      ["c", "consented", "Bearer app-token-2"],
    ] as const) {
      const config = { content: { provider } };
      const made = await on.inProject("POST", `/integrations/${name}/installations`, {
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
    const made = await on.inProject("POST", "/integrations/c/installations", {
      groupRef: "refreshed",
      config,
    });
    const first = await proxied(made.body.id);
    revoked.add(first.authorization);
    const second = await proxied(made.body.id);
    assert.equal(second.status, 200);
    assert.notEqual(second.authorization, first.authorization);
    const apps = await on.inProject("GET", "/provider-apps");
    const path = `/provider-apps/${apps.body[0].id}`;
    const secret = (clientSecret: string) =>
      on.inProject("PATCH", path, { updateMask: ["clientSecret"], providerApp: { clientSecret } });
    await secret("wrong");
    const refused = await on.inProject("GET", `/connections/${connection.id}?refresh=force`);
    assert.notEqual(refused.status, 500, refused.text);
    const after = await on.inProject("GET", `/connections/${connection.id}`);
    assert.notEqual(after.body.status, "bad_credentials", "the builder's mistake is not the customer's");
    await secret(CLIENT_SECRET);
  });

  test("steps without a page serve a builder's server too; those with one do not", async () => {
    const generate = (body: object) => on.inProject("POST", "/connections:generate", body);
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
    assert.equal((await on.inProject("PATCH", path, change)).status, 422);
    change.connection.customAuth.password = PASSWORD;
    assert.equal((await on.inProject("PATCH", path, change)).status, 200);
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
    await on.call("POST", "/v1/projects", {
      orgId: on.busbar.bootstrap?.orgId,
      name: "elsewhere",
      appName: "x",
    });
    const { key } = (await on.call("POST", "/v1/projects/elsewhere/api-keys", { label: "x" })).body;
    const foreign = await on.call(
      "POST",
      "/v1/custom-auth/connect",
      { projectIdOrName: "elsewhere", sessionId: other.sessionId, callbackParams: {} },
      { "x-api-key": key },
    );
    assert.equal(foreign.status, 400);
    assert.equal((await comeBack(other)).status, 200, "a stranger must not end it");

    const late = (await begin("once")).body.redirect;
    await leave(late.url);
    const database = await openDatabase({ connectionString: on.connectionString, log: createLog("silent") });
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
    assert.deepEqual((await on.inProject("GET", "/connections?groupRef=checked")).body, []);
  });

  test("missing inputs and a missing provider app are named", async () => {
    const missing = await connect({ ...keyed("x"), customAuth: { apiKey: "vendor" } });
    assert.equal(missing.status, 400);
    assert.match(missing.body.detail, /username/);
    const app = await begin("x", { providerAppId: "01a1fecd-d759-75de-a63c-a80eaf0833b4" });
    assert.equal(app.status, 400);
    assert.equal(app.body.issues[0].name, "providerAppId");
  });

  const asks = { origin: "https://app.example" };
  const posted = ({ html }: Seen): unknown => {
    const script = /<script nonce="[^"]+">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? "";
    const messages: unknown[] = [];
    const opener = { postMessage: (...message: unknown[]) => messages.push(message) };
    runInNewContext(script, {
      window: { opener },
      location: { pathname: "/" },
      history: { replaceState() {} },
      document: { forms: [{ submit() {} }] },
    });
    return JSON.parse(JSON.stringify(messages));
  };
  const callback = () => `${new URL(on.busbar.urls.base).origin}/callbacks/v1/custom-auth`;
  const stateOf = (address: string) => new URL(address).searchParams.get("state") ?? "";

  test("before the provider's page a page of ours names application, account, group and person", async () => {
    const { redirect } = (await begin("named", { groupName: "Acme & Söhne", consumerName: "Ada L." })).body;
    assert.ok(redirect.url.startsWith(`${callback()}/begin?consent=`), redirect.url);
    const { status, html, headers } = await openConsentBrowser().open(redirect.url);
    assert.equal(status, 200);
    for (const name of ["consented", "Acme &#38; Söhne (named)", "Ada L. (ada)"])
      assert.ok(html.includes(name), html);
    assert.match(headers.get("set-cookie") ?? "", /; Path=\/callbacks\/v1\/custom-auth; /);
  });

  test("the callback page posts the parameters, however they were sent, to the page that asked and to no other", async () => {
    const { redirect } = (await begin("posted", {}, asks)).body;
    const browser = openConsentBrowser();
    const state = stateOf(await browser.leave(redirect.url));
    const get = await browser.open(`${callback()}?code=a%3Cb%3E&state=${state}&state=t`);
    const post = await browser.post(`${callback()}?state=${state}`, { code: "a<b>", state: "replaced" });
    for (const page of [get, post]) {
      assert.equal(page.status, 200);
      assert.match(page.headers.get("content-security-policy") ?? "", /script-src 'nonce-/);
      assert.equal(page.headers.get("cross-origin-opener-policy"), null);
      const message = { source: "ampersand-custom-auth", params: { code: "a<b>", state } };
      assert.deepEqual(posted(page), [[message, asks.origin]]);
    }
    const [[, anybody]] = posted(
      await (async () => {
        const server = (await begin("posted")).body.redirect;
        const other = openConsentBrowser();
        return other.open(`${callback()}?state=${stateOf(await other.leave(server.url))}`);
      })(),
    ) as [[unknown, string]];
    assert.equal(anybody, "*", "a server that asks has no origin");
  });

  test("a browser that has not continued posts nothing, although it comes from the provider", async () => {
    const attacker = openConsentBrowser();
    const state = stateOf(await attacker.leave((await begin("lured", {}, asks)).body.redirect.url));
    const victim = openConsentBrowser();
    for (const before of [
      async () => {},
      async () => void (await victim.leave((await begin("own")).body.redirect.url)),
    ]) {
      await before();
      const get = await victim.open(`${callback()}?code=c&state=${state}`);
      assert.deepEqual([get.status, posted(get)], [400, [[failure(get), "*"]]]);
      const first = await victim.post(callback(), { code: "c", state });
      assert.deepEqual(posted(first), [], "the form is sent once more");
      const second = await victim.send();
      assert.equal(second.status, 400);
    }
    const other = await victim.open((await begin("lured")).body.redirect.url);
    assert.equal(other.status, 200);
  });
  const failure = ({ message }: Seen) => message;

  test("a provider's form, which browsers send without our cookie, is sent once more from here with all it held", async () => {
    const browser = openConsentBrowser();
    const state = stateOf(await browser.leave((await begin("form", {}, asks)).body.redirect.url));
    const stranger = openConsentBrowser();
    const first = await stranger.post(`${callback()}?a=1`, { code: 'x"<b>', state });
    assert.match(first.headers.get("content-security-policy") ?? "", /form-action 'self';/);
    const { action, fields } = first.form ?? { action: "", fields: {} };
    assert.equal(action, `${callback()}?resent=1`);
    const page = await browser.post(action, fields);
    const params = { a: "1", code: 'x"<b>', state };
    assert.deepEqual(posted(page), [[{ source: "ampersand-custom-auth", params }, asks.origin]]);
  });

  test("a customer who cancels is told so by the step, and an address is good for one browser", async () => {
    const { redirect } = (await begin("cancelled", {}, asks)).body;
    const browser = openConsentBrowser();
    await browser.open(redirect.url);
    const [[message]] = posted(await browser.send({ decision: "cancel" })) as [[{ params: object }]];
    const answer = await connect({ sessionId: redirect.sessionId, callbackParams: message.params });
    assert.equal(answer.status, 422);
    assert.match(answer.body.detail, /You cancelled/);

    const { url: address } = (await begin("one-browser")).body.redirect;
    await browser.leave(address);
    const late = openConsentBrowser();
    assert.match((await late.open(address)).html, /another browser/);
    assert.equal((await browser.open(address)).status, 303, "the same browser goes on");
    const gone = await late.open(`${callback()}/begin?consent=nothing`);
    assert.equal(gone.status, 400);
  });
});

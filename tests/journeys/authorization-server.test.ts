/** Customers whose provider signs them in with `oidc-provider`, an OAuth 2.0 authorization server that somebody else wrote. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { createLog } from "../../ground/log.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { openConsentBrowser, type Seen } from "../harness/consent.ts";
import { startOpenIdProvider, type OpenIdProvider } from "../harness/openid-provider.ts";

/** RFC 6749, 2.3.1: these signs are encoded in HTTP Basic, too. */
const SECRET = "s e/c+r:e%t";
const INTROSPECTOR = { client_id: "the-api", client_secret: SECRET };
const machine = { grant_types: ["client_credentials"], redirect_uris: [], response_types: [] };
/** How the provider's entry of the catalog names the client: RFC 6749, 2.3.1, in a header or in the form. */
const CLIENTS = {
  airtable: { client_id: "pkce, in Basic", token_endpoint_auth_method: "client_secret_basic" },
  pipedrive: { client_id: "in Basic", token_endpoint_auth_method: "client_secret_basic" },
  attio: { client_id: "in the form", token_endpoint_auth_method: "client_secret_post" },
  zuora: { client_id: "a machine", token_endpoint_auth_method: "client_secret_post", ...machine },
};
const CONSENTED = ["airtable", "pipedrive", "attio"] as const;
type Consented = (typeof CONSENTED)[number];

/** `oidc-provider` with refresh tokens for everybody, each good once: a second use takes the whole grant away. */
const configuration = (redirectUri: string) => ({
  clients: [
    ...Object.values(CLIENTS).map((client) => ({
      client_secret: SECRET,
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: [redirectUri],
      ...client,
    })),
    { ...INTROSPECTOR, token_endpoint_auth_method: "client_secret_post", ...machine },
  ],
  scopes: ["openid", "records"],
  findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  issueRefreshToken: () => true,
  rotateRefreshToken: () => true,
  pkce: {
    required: (_: unknown, { clientId }: { clientId: string }) => clientId === CLIENTS.airtable.client_id,
  },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true, allowedPolicy: () => true },
  },
});

describe("a standard authorization server", () => {
  let busbar: TestBusbar;
  let issuer: OpenIdProvider;
  let api: Server;
  /** Tokens that customers' calls came with; the API's health is also checked, at any time. */
  let seen: string[] = [];
  /** Tokens that the API no longer takes, although the server would. */
  const ended = new Set<string>();
  let logged = "";
  after(async () => {
    await busbar?.stop();
    await issuer.close();
    api.close();
  });
  before(async () => {
    issuer = await startOpenIdProvider({});
    // The API takes a token that the server that issued it calls active.
    api = createServer(async (request, response) => {
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      if (request.url === "/things") seen.push(token);
      const status = !ended.has(token) && (await isActive(token)) ? 200 : 401;
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    const baseURL = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const oauth2Opts = { authURL: `${issuer.url}/auth`, tokenURL: `${issuer.url}/token` };
    const moved = { baseURL, oauth2Opts, authHealthCheck: { url: `${baseURL}/health` } };
    const names = Object.keys(CLIENTS);
    const log = createLog("info", { write: (line) => void (logged += line) });
    busbar = await openTestBusbar({ log, providers: Object.fromEntries(names.map((name) => [name, moved])) });
    const redirectUri = `${new URL(busbar.server.urls.base).origin}/callbacks/v1/oauth`;
    issuer.register({ redirectUri, configuration: configuration(redirectUri) });
    const manifest = `specVersion: 1.0.0\nintegrations:\n${names
      .map((name) => `  - { name: ${name}, provider: ${name}, proxy: { enabled: true } }\n`)
      .join("")}`;
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest });
    assert.equal(deployed.status, 200, deployed.text);
    for (const provider of CONSENTED) {
      const app = {
        provider,
        clientId: CLIENTS[provider].client_id,
        clientSecret: SECRET,
        scopes: ["openid"],
      };
      assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
    }
  });

  /** RFC 7662 and RFC 7009. */
  const post = (endpoint: "introspection" | "revocation", token: string) =>
    fetch(`${issuer.url}/token/${endpoint}`, {
      method: "POST",
      body: new URLSearchParams({ token, ...INTROSPECTOR }),
    });
  const isActive = async (token: string) =>
    ((await (await post("introspection", token)).json()) as { active: boolean }).active;

  async function begin(provider: Consented, groupRef: string) {
    const begun = await busbar.call("POST", "/v1/oauth-connect", {
      projectId: busbar.projectId,
      provider,
      groupRef,
      consumerRef: "ada",
    });
    assert.equal(begun.status, 200, begun.text);
    const browser = openConsentBrowser();
    return { browser, page: await browser.leave(begun.text) };
  }

  async function connect(provider: Consented, groupRef: string): Promise<string> {
    const { browser, page } = await begin(provider, groupRef);
    const { message, html }: Seen = await browser.open(await issuer.signIn(page, groupRef));
    assert.equal(message?.eventType, "AUTHORIZATION_SUCCEEDED", html);
    await install(provider, groupRef);
    return message?.data.connection ?? "";
  }

  async function install(integration: string, groupRef: string): Promise<void> {
    const config = { content: { provider: integration } };
    const made = await busbar.inProject("POST", `/integrations/${integration}/installations`, {
      groupRef,
      config,
    });
    assert.equal(made.status, 201, made.text);
  }

  const call = async (integration: string, groupRef: string) =>
    (await busbar.proxied({ integration, groupRef }, "/things")).status;
  const show = async (connection: string, query = "") =>
    (await busbar.inProject("GET", `/connections/${connection}${query}`)).body;

  for (const provider of CONSENTED) {
    test(`${provider}: the client ${CLIENTS[provider].client_id} gets a token by consent, and new ones by rotation`, async () => {
      const connection = await connect(provider, "acme");
      assert.equal(await call(provider, "acme"), 200);
      for (let round = 0; round < 3; round++) {
        const before = seen.at(-1) ?? "";
        assert.notEqual((await show(connection, "?refresh=force")).status, "bad_credentials");
        assert.equal(await call(provider, "acme"), 200);
        assert.notEqual(seen.at(-1), before);
      }
    });
  }

  test("a token that has ended is replaced once, for thirty calls at the same time", async () => {
    await connect("airtable", "thirty");
    assert.equal(await call("airtable", "thirty"), 200);
    ended.add(seen.at(-1) ?? "");
    seen = [];
    const tokenCalls = () => issuer.asked.filter((path) => path === "/token").length;
    const before = tokenCalls();
    const statuses = await Promise.all(Array.from({ length: 30 }, () => call("airtable", "thirty")));
    assert.deepEqual([...new Set(statuses)], [200]);
    // A second use of the refresh token would have taken the grant away.
    assert.equal(tokenCalls() - before, 1);
    assert.equal(await isActive(seen.at(-1) ?? ""), true);
  });

  test("a grant that the server took back makes the connection one that must be connected again", async () => {
    const connection = await connect("pipedrive", "gone");
    assert.equal(await call("pipedrive", "gone"), 200);
    await post("revocation", seen.at(-1) ?? "");
    assert.ok([401, 422].includes(await call("pipedrive", "gone")));
    assert.equal((await show(connection)).status, "bad_credentials");
  });

  test("a customer who refuses is told so, with the server's words, and the answer's issuer is no obstacle", async () => {
    const { browser, page } = await begin("attio", "refused");
    const back = new URL(await issuer.decline(page));
    assert.equal(back.searchParams.get("error"), "access_denied");
    // RFC 9207.
    assert.equal(back.searchParams.get("iss"), issuer.url);
    const { message } = await browser.open(back.href);
    assert.equal(message?.eventType, "AUTHORIZATION_FAILED");
  });

  test("a verifier of another consent is refused by the server, and the log says why", async () => {
    const { browser, page } = await begin("airtable", "mixed");
    const other = new URL(page);
    other.searchParams.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    const { message } = await browser.open(await issuer.signIn(other.href, "mixed"));
    assert.equal(message?.eventType, "AUTHORIZATION_FAILED");
    assert.match(logged, /invalid_grant/);
  });

  test("client credentials bring a token, a wrong secret the server's refusal", async () => {
    const credentials = (groupRef: string, clientSecret: string) =>
      busbar.inProject("POST", "/connections:generate", {
        provider: "zuora",
        groupRef,
        consumerRef: "ada",
        oauth2ClientCredentials: { clientId: CLIENTS.zuora.client_id, clientSecret },
        providerMetadata: { workspace: { value: "rest", source: "input" } },
      });
    const wrong = await credentials("wrong", "guessed");
    assert.ok(wrong.status >= 400 && wrong.status < 500, wrong.text);
    assert.match(wrong.text, /invalid_client/);
    const made = await credentials("acme", SECRET);
    assert.equal(made.status, 201, made.text);
    await install("zuora", "acme");
    assert.equal(await call("zuora", "acme"), 200);
    const revoked = seen.at(-1) ?? "";
    await post("revocation", revoked);
    assert.equal(await call("zuora", "acme"), 200);
    assert.notEqual(seen.at(-1), revoked);
  });
});

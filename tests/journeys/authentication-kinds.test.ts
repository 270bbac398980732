/** For each kind of authentication, connects and calls one provider of the catalog, moved to a server of the test's own. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { openConsentBrowser } from "../harness/consent.ts";

interface Call {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  form: URLSearchParams;
}

const basicText = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;

describe("a provider of every kind of authentication", () => {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      calls.push({ method, path: url, headers, form: new URLSearchParams(Buffer.concat(chunks).toString()) });
      const token = { access_token: "t-1", refresh_token: "r-1", token_type: "bearer", expires_in: 3_600 };
      const body = url.includes("token") ? token : url.includes("authentication") ? USER_KEY : { path: url };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  const USER_KEY = { authenticated_user: { user_key: "uk-1" } };
  let busbar: TestBusbar;
  let origin: string;

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const at = (key: string, more: object = {}) => ({ baseURL: `${origin}/${key}`, ...more });
    const oauth2Opts = { authURL: `${origin}/authorize`, tokenURL: `${origin}/token` };
    const assertionStep = [
      {
        request: {
          method: "POST",
          url: `${origin}/token`,
          unpack: {
            from: "serviceAccountKey",
            take: { clientEmail: "client_email", privateKey: "private_key" },
          },
          assertion: {
            algorithm: "RS256",
            key: "{{.privateKey}}",
            claims: { iss: "{{.clientEmail}}" },
            lifetimeSeconds: 60,
          },
          form: { assertion: "{{.assertion}}" },
          take: { accessToken: "access_token" },
          expiresIn: "expires_in",
        },
      },
    ];
    busbar = await openTestBusbar({
      providers: {
        stripe: at("stripe"),
        hunter: at("hunter"),
        copper: at("copper"),
        freshdesk: at("freshdesk"),
        aircall: at("aircall", { authHealthCheck: { url: `${origin}/health` } }),
        clariCopilot: at("clariCopilot"),
        redtail: at("redtail"),
        snowflake: at("snowflake"),
        zuora: at("zuora", { oauth2Opts: { tokenURL: `${origin}/token` } }),
        sugarCRM: at("sugarCRM", { oauth2Opts: { tokenURL: `${origin}/token` } }),
        quickbooks: at("quickbooks", { oauth2Opts }),
        airtable: at("airtable", { oauth2Opts, authHealthCheck: { url: `${origin}/health` } }),
        braze: { documentationOnly: "Its API is not on the internet." },
        bigquery: at("bigquery", {
          customOpts: { connectSteps: assertionStep, refreshSteps: assertionStep },
        }),
      },
    });
    const names = Object.keys(CREDENTIALS).concat("quickbooks", "airtable");
    const manifest = `specVersion: 1.0.0\nintegrations:\n${names
      .map((name) => `  - { name: ${name.toLowerCase()}, provider: ${name}, proxy: { enabled: true } }\n`)
      .join("")}`;
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest });
    assert.equal(deployed.status, 200, deployed.text);
  });
  after(async () => {
    await busbar?.stop();
    server.close();
  });

  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const serviceAccount = JSON.stringify({
    client_email: "robot@acme.example",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  });
  const metadata = (values: Record<string, string>) => ({
    providerMetadata: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, { value, source: "input" }]),
    ),
  });
  const client = { clientId: "id", clientSecret: "secret" };
  /** What the customer enters, and what the provider must receive: headers, and the key in the path. */
  const CREDENTIALS: Record<string, { body: object; headers?: Record<string, string>; query?: string }> = {
    stripe: { body: { apiKey: "k-1" }, headers: { authorization: "Bearer k-1" } },
    hunter: { body: { apiKey: "k-1" }, query: "?api_key=k-1" },
    copper: {
      body: { apiKey: "k-1", ...metadata({ userEmail: "ada@acme.example" }) },
      headers: {
        "x-pw-accesstoken": "k-1",
        "x-pw-useremail": "ada@acme.example",
        "x-pw-application": "developer_api",
      },
    },
    freshdesk: {
      body: { apiKey: "k-1", ...metadata({ workspace: "acme" }) },
      headers: { authorization: basicText("k-1:X") },
    },
    aircall: {
      body: { basicAuth: { username: "id", password: "token" } },
      headers: { authorization: basicText("id:token") },
    },
    clariCopilot: {
      body: { customAuth: { apiKey: "k-1", apiSecret: "s-1" } },
      headers: { "x-api-key": "k-1", "x-api-password": "s-1" },
    },
    redtail: {
      body: { customAuth: { apiKey: "k-1", username: "ada", password: "p-1" } },
      headers: { authorization: `Userkeyauth ${Buffer.from("k-1:uk-1").toString("base64")}` },
    },
    snowflake: {
      body: { customAuth: { token: "pat-1" }, ...metadata({ workspace: "acme-prod" }) },
      headers: {
        authorization: "Bearer pat-1",
        "x-snowflake-authorization-token-type": "PROGRAMMATIC_ACCESS_TOKEN",
      },
    },
    zuora: { body: { oauth2ClientCredentials: client }, headers: { authorization: "Bearer t-1" } },
    sugarCRM: {
      body: {
        oauth2PasswordCredentials: { ...client, username: "ada", password: "p-1" },
        ...metadata({ workspace: "acme.sugar.example" }),
      },
      headers: { authorization: "Bearer t-1" },
    },
    bigquery: {
      body: {
        customAuth: { serviceAccountKey: Buffer.from(serviceAccount).toString("base64") },
        ...metadata({ projectId: "p-1", dataset: "d-1", timestampColumn: "updated_at" }),
      },
      headers: { authorization: "Bearer t-1" },
    },
  };

  async function installAndCall(provider: string, path = "/things"): Promise<Call> {
    const integration = provider.toLowerCase();
    const made = await busbar.inProject("POST", `/integrations/${integration}/installations`, {
      groupRef: "acme",
      config: { content: { provider } },
    });
    assert.equal(made.status, 201, made.text);
    const answer = await busbar.proxied({ integration, groupRef: "acme" }, path);
    assert.equal(answer.status, 200, answer.text);
    const call = calls.findLast(({ path: received }) => received.startsWith(`/${provider}/things`));
    assert.ok(call);
    return call;
  }

  for (const [provider, { body, headers = {}, query = "" }] of Object.entries(CREDENTIALS)) {
    test(`${provider} is connected with what the customer enters, and called with what it needs`, async () => {
      const made = await busbar.inProject("POST", "/connections:generate", {
        provider,
        groupRef: "acme",
        consumerRef: "ada",
        ...body,
      });
      assert.equal(made.status, 201, made.text);
      const call = await installAndCall(provider);
      assert.equal(call.path, `/${provider}/things${query}`);
      for (const [name, value] of Object.entries(headers)) assert.equal(call.headers[name], value, name);
    });
  }

  test("an assertion is signed for the service account that the customer's file names", () => {
    const { form } = calls.findLast(({ form: sent }) => sent.has("assertion")) ?? {};
    assert.equal(decodeJwt(form?.get("assertion") ?? "").iss, "robot@acme.example");
  });

  for (const [provider, pkce] of [
    ["quickbooks", false],
    ["airtable", true],
  ] as const) {
    test(`${provider} is connected by consent, ${pkce ? "with" : "without"} PKCE, the client as HTTP Basic`, async () => {
      const app = { provider, clientId: "id", clientSecret: "secret", scopes: ["all"] };
      assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
      const begun = await busbar.call("POST", "/v1/oauth-connect", {
        projectId: busbar.projectId,
        provider,
        groupRef: "acme",
        consumerRef: "ada",
      });
      assert.equal(begun.status, 200, begun.text);
      const browser = openConsentBrowser();
      const page = new URL(await browser.leave(begun.text));
      assert.equal(page.searchParams.get("code_challenge_method"), pkce ? "S256" : null);
      const back = new URL(page.searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({
        code: "c-1",
        state: page.searchParams.get("state") ?? "",
        realmId: "9130",
      }).toString();
      const { message } = await browser.open(back.href);
      assert.equal(message?.eventType, "AUTHORIZATION_SUCCEEDED");
      const token = calls.findLast(({ form }) => form.get("code") === "c-1");
      assert.equal(token?.headers.authorization, basicText("id:secret"));
      assert.equal(token?.form.has("code_verifier"), pkce);
      const connection = await busbar.inProject("GET", `/connections/${message?.data.connection}`);
      assert.equal(
        connection.body.providerMetadata["realmId"]?.value,
        provider === "quickbooks" ? "9130" : undefined,
      );
      assert.equal((await installAndCall(provider)).headers.authorization, "Bearer t-1");
    });
  }

  test("a provider that cannot be called here is listed with the reason, and its connection is refused", async () => {
    const shown = await busbar.call("GET", "/v1/providers/braze");
    assert.equal(shown.body.support.proxy, false);
    assert.match(shown.body.documentationOnly, /not on the internet/);
    const refused = await busbar.inProject("POST", "/connections:generate", {
      provider: "braze",
      groupRef: "acme",
      consumerRef: "ada",
      apiKey: "k-1",
    });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.body.detail, /Braze cannot be connected/);
  });
});

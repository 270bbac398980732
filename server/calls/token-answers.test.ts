/** Token endpoints with malformed, slow or unusual responses, and their effect on connections. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { openTestBusbar, type Answer, type TestBusbar } from "../../tests/harness/busbar.ts";
import { refreshOnlyOnDemand } from "../../tests/harness/refresh-only-on-demand.ts";
import { until } from "../../tests/harness/until.ts";
import { listen } from "../../tests/harness/proxy/wire.ts";

const INTEGRATIONS = `specVersion: 1.0.0
integrations:
  - name: odd
    provider: odd
    proxy: {enabled: true}
  - name: even
    provider: even
    proxy: {enabled: true}
  - name: stepwise
    provider: stepwise
    proxy: {enabled: true}
`;

/** The parameters that Shopify's own library sends (@shopify/shopify-api 12.2.0, `migrateToExpiringToken`). */
const EXCHANGE = {
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token_type: "urn:shopify:params:oauth:token-type:offline-access-token",
  expiring: "1",
};

describe("a token endpoint", () => {
  let busbar: TestBusbar;
  let servers: Server[];
  /** How `odd` answers; `even` and both APIs always answer well. */
  let answer: RequestListener = () => {};
  let asked: URLSearchParams[] = [];
  after(async () => {
    for (const server of servers) server.close().closeAllConnections();
    await busbar.stop();
  });
  before(async () => {
    const odd = createServer(async (request, response) => {
      asked.push(new URLSearchParams(await readText(request)));
      answer(request, response);
    });
    const even = createServer((request, response) => {
      request.resume();
      response.end(JSON.stringify({ access_token: "fresh", expires_in: 3_600 }));
    });
    servers = [odd, even];
    const provider = (port: number, api: number) => ({
      authType: "oauth2",
      baseURL: `http://127.0.0.1:${api}`,
      support: { proxy: true },
      oauth2Opts: {
        grantType: "authorizationCode",
        authURL: `http://127.0.0.1:${port}/authorize`,
        tokenURL: `http://127.0.0.1:${port}/token`,
        tokenMetadataFields: { otherFields: [{ name: "account", displayName: "Account", path: "account" }] },
      },
    });
    const [oddPort, evenPort] = [await listen(odd), await listen(even)];
    const request = {
      method: "POST",
      url: `http://127.0.0.1:${oddPort}/token`,
      form: { refresh_token: "{{.secret}}" },
      take: { accessToken: "access_token" },
      expiresIn: "expires_in",
    };
    const stepwise = {
      authType: "custom",
      baseURL: `http://127.0.0.1:${evenPort}`,
      support: { proxy: true },
      customOpts: {
        inputs: [{ name: "secret", displayName: "Secret" }],
        connectSteps: [{ request }],
        refreshSteps: [{ request }],
        headers: [{ name: "Authorization", valueTemplate: "Bearer {{.accessToken}}" }],
      },
    };
    const { oauth2Opts, ...rest } = provider(oddPort, evenPort);
    const exchanging = { ...rest, oauth2Opts: { ...oauth2Opts, tokenExchange: EXCHANGE } };
    busbar = await openTestBusbar({
      providers: {
        odd: provider(oddPort, evenPort),
        even: provider(evenPort, evenPort),
        stepwise,
        exchanging,
      },
    });
    await refreshOnlyOnDemand(busbar.connectionString);
    for (const name of ["odd", "even", "exchanging"]) {
      const app = { provider: name, clientId: "client", clientSecret: "the-client-secret" };
      await busbar.inProject("POST", "/provider-apps", app);
    }
    await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: INTEGRATIONS });
  });
  beforeEach(() => {
    asked = [];
  });

  let groups = 0;
  /** A connection whose access token has ended, and the group it belongs to. */
  async function connect(provider: string): Promise<{ id: string; groupRef: string }> {
    groups += 1;
    const groupRef = `group-${groups}`;
    const made = await busbar.inProject("POST", "/connections:generate", {
      provider,
      groupRef,
      consumerRef: "ada",
      oauth2AuthorizationCode: {
        accessToken: { token: "old", expiresAt: "2020-01-01T00:00:00Z" },
        refreshToken: { token: "the-refresh-token" },
      },
    });
    assert.equal(made.status, 201, made.text);
    const installed = await busbar.inProject("POST", `/integrations/${provider}/installations`, {
      groupRef,
      config: { content: { provider, proxy: { enabled: true } } },
    });
    assert.equal(installed.status, 201, installed.text);
    return { id: made.body.id, groupRef };
  }
  const refresh = ({ id }: { id: string }): Promise<Answer> =>
    busbar.inProject("GET", `/connections/${id}?refresh=force&includeCreds=true&includeRefreshToken=true`);
  const says = (fields: object, status = 200) => {
    answer = (_, response) => response.writeHead(status).end(JSON.stringify(fields));
  };

  test("that returns a lifetime beyond any date gives tokens without expiry", async () => {
    for (const expires_in of [1e18, 9_999_999_999_999, "1e300"]) {
      const connection = await connect("odd");
      says({ access_token: "new", refresh_token: "rotated", expires_in });
      const { body, text } = await refresh(connection);
      assert.equal(body.oauth2AuthorizationCode?.refreshToken.token, "rotated", text);
      assert.equal(body.oauth2AuthorizationCode.accessToken.expiresAt, undefined);
    }
  });

  test("that tells when a token ends, not how long it lasts, is understood", async () => {
    // Square answers so: "The timestamp of when the `access_token` expires, in ISO 8601 format" (its OpenAPI file of 2025-08-20, ObtainTokenResponse).
    const ends = "2096-12-28T23:00:00Z";
    for (const [fields, expected] of [
      [{ expires_at: ends }, "2096-12-28T23:00:00.000Z"],
      [{ expires_at: "2096-12-29T01:00:00+02:00" }, "2096-12-28T23:00:00.000Z"],
      [{ expires_in: null, expires_at: ends }, "2096-12-28T23:00:00.000Z"],
      // Without a zone nobody knows the moment, and a lifetime of its own says more.
      [{ expires_at: "2096-12-28 23:00:00" }, undefined],
      [{ expires_at: true }, undefined],
    ] as const) {
      const connection = await connect("odd");
      says({ access_token: "new", refresh_token: "rotated", ...fields });
      const { body, text } = await refresh(connection);
      assert.equal(body.oauth2AuthorizationCode?.accessToken.expiresAt, expected, text);
    }
    const connection = await connect("odd");
    says({ access_token: "new", refresh_token: "rotated", expires_in: 3_600, expires_at: ends });
    const { body } = await refresh(connection);
    assert.ok(Date.parse(body.oauth2AuthorizationCode.accessToken.expiresAt) < Date.parse(ends));
    // As a clock that is years ahead of the provider's sees it: the token has an end, and is not one without.
    says({ access_token: "new", refresh_token: "rotated", expires_at: "2020-12-28T23:00:00Z" });
    const passed = await refresh(await connect("odd"));
    assert.ok(passed.body.oauth2AuthorizationCode.accessToken.expiresAt, passed.text);
  });

  test("that exchanges a token without end for one with a lifetime is asked so by force, and refreshed as others then", async () => {
    const made = await busbar.inProject("POST", "/connections:generate", {
      provider: "exchanging",
      groupRef: "exchanged",
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: "permanent" } },
    });
    assert.equal(made.status, 201, made.text);
    says({ error: "invalid_grant" }, 400);
    assert.notEqual((await refresh(made.body)).status, 200);
    const kept = await busbar.inProject("GET", `/connections/${made.body.id}`);
    assert.notEqual(kept.body.status, "bad_credentials", "the token that is there still works");
    says({ access_token: "short", refresh_token: "first", expires_in: 3_600 });
    const { body, text } = await refresh(made.body);
    assert.equal(body.oauth2AuthorizationCode?.refreshToken?.token, "first", text);
    assert.deepEqual(
      asked.map((form) => [form.get("subject_token"), form.get("expiring"), form.get("refresh_token")]),
      [
        ["permanent", "1", null],
        ["permanent", "1", null],
      ],
    );
    says({ access_token: "shorter", refresh_token: "second", expires_in: 3_600 });
    await refresh(made.body);
    assert.deepEqual(
      [asked.at(-1)?.get("grant_type"), asked.at(-1)?.get("refresh_token"), asked.at(-1)?.get("expiring")],
      ["refresh_token", "first", null],
    );
  });

  test("whose token no header can carry counts as failed, and the connection can still be refreshed", async () => {
    for (const access_token of ["a\r\nX-Evil: 1", "nul\0", "ключ", " \t"]) {
      const connection = await connect("odd");
      says({ access_token, refresh_token: "rotated" });
      assert.equal((await refresh(connection)).status, 502, JSON.stringify(access_token));
      says({ access_token: "new" });
      assert.equal((await refresh(connection)).status, 200);
    }
  });

  test("that repeats secrets in its error does not leak them into answers", async () => {
    const connection = await connect("odd");
    answer = (_, response) => {
      const error_description = `you sent ${asked.at(-1)}`;
      response.writeHead(400).end(JSON.stringify({ error: "odd_error", error_description }));
    };
    const { status, text } = await refresh(connection);
    assert.equal(status, 502, text);
    assert.match(text, /odd_error/);
    assert.doesNotMatch(text, /the-client-secret|the-refresh-token/);
  });

  test("whose texts PostgreSQL cannot store is still understood", async () => {
    const refused = await connect("odd");
    says({ error: "invalid_grant", error_description: "nul \0 half \ud83d" }, 400);
    assert.equal((await refresh(refused)).status, 422);
    assert.equal(
      (await busbar.inProject("GET", `/connections/${refused.id}`)).body.status,
      "bad_credentials",
    );
    const reported = await connect("odd");
    says({ access_token: "new", refresh_token: "rotated", account: "nul \0 half \ud83d" });
    const { body, text } = await refresh(reported);
    assert.equal(body.oauth2AuthorizationCode?.refreshToken.token, "rotated", text);
  });

  test("of a custom scheme that stops returning a lifetime is not asked with every call", async () => {
    says({ access_token: "first", expires_in: 0.001 });
    const groupRef = "stepwise";
    const made = await busbar.inProject("POST", "/connections:generate", {
      provider: "stepwise",
      groupRef,
      consumerRef: "ada",
      customAuth: { secret: "the-secret" },
    });
    assert.equal(made.status, 201, made.text);
    await busbar.inProject("POST", "/integrations/stepwise/installations", {
      groupRef,
      config: { content: { provider: "stepwise", proxy: { enabled: true } } },
    });
    says({ access_token: "second" });
    const call = async () =>
      assert.equal((await busbar.proxied({ integration: "stepwise", groupRef }, "/")).status, 200);
    await call();
    const refreshed = asked.length;
    for (let calls = 0; calls < 3; calls += 1) await call();
    assert.equal(asked.length, refreshed);
  });

  test("that never answers delays customers of its own provider only", async () => {
    const healthy = await connect("even");
    const waiting = [];
    for (let count = 0; count < 8; count += 1) waiting.push(await connect("odd"));
    answer = () => {};
    let ended = 0;
    const calls = waiting.map(({ groupRef }) =>
      busbar.proxied({ integration: "odd", groupRef }, "/").finally(() => (ended += 1)),
    );
    await until(() => asked.length > 0);
    const { status } = await busbar.proxied({ integration: "even", groupRef: healthy.groupRef }, "/");
    assert.equal(status, 200);
    assert.equal(ended, 0, "the others still wait");
    servers[0]?.close().closeAllConnections();
    await Promise.all(calls);
  });
});

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

/** Customers' tokens through a real Busbar. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { bearer, registerJwtKey, type TokenSigner } from "../../tests/harness/customer-tokens.ts";
import { until } from "../../tests/harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hs
    provider: hubspot
    proxy: { enabled: true }
`;

const busbar = await shareTestBusbar();

describe("customers' tokens", () => {
  let signer: TokenSigner;
  const connections: Record<string, string> = {};
  before(async () => {
    signer = await registerJwtKey(busbar);
    await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    for (const groupRef of ["acme", "globex"]) {
      const made = await busbar.inProject("POST", "/connections:generate", {
        provider: "hubspot",
        groupRef,
        consumerRef: "ada",
        oauth2AuthorizationCode: { accessToken: { token: busbar.sandbox.hubspot.staticToken } },
      });
      connections[groupRef] = made.body.id;
    }
  });

  const as = async (claims: Record<string, unknown>, method: string, path: string, body?: unknown) =>
    busbar.inProject(method, path, body, bearer(await signer.sign(claims)));
  const whoami = (token: string): Promise<Answer> => busbar.inProject("GET", "", undefined, bearer(token));
  const nowSeconds = () => Math.floor(Date.now() / 1_000);

  test("an API key that is sent as a bearer token is recognised", async () => {
    const answer = await whoami(busbar.apiKey);
    assert.equal(answer.status, 401);
    assert.match(answer.body.detail, /looks like an API key\. Send it in the header `X-Api-Key`/);
  });

  test("a valid token opens its project, integrations and the connections of its group only", async () => {
    assert.equal((await as({}, "GET", "")).body.name, "default");
    assert.equal((await as({}, "GET", "/integrations")).body.length, 1);
    const listed = await as({}, "GET", "/connections");
    assert.deepEqual(
      listed.body.map(({ id }: { id: string }) => id),
      [connections["acme"]],
    );
    assert.equal((await as({}, "GET", `/connections/${connections["acme"]}`)).status, 200);
  });

  test("another group's rows do not exist, and another groupRef or consumerRef is refused", async () => {
    assert.equal((await as({}, "GET", `/connections/${connections["globex"]}`)).status, 404);
    assert.equal((await as({}, "DELETE", `/connections/${connections["globex"]}`)).status, 404);
    assert.equal((await as({}, "PATCH", `/connections/${connections["globex"]}:oauth-update`)).status, 404);
    assert.equal((await as({}, "GET", "/connections?groupRef=globex")).status, 403);
    const install = await as({}, "POST", "/integrations/hs/installations", {
      groupRef: "acme",
      connectionId: connections["globex"],
      config: { content: { provider: "hubspot" } },
    });
    assert.equal(install.status, 404, install.text);
    const generate = { provider: "openAI", groupRef: "acme", consumerRef: "eve", apiKey: "key" };
    assert.equal((await as({}, "POST", "/connections:generate", generate)).status, 403);
    const consent = {
      projectIdOrName: "default",
      provider: "hubspot",
      groupRef: "globex",
      consumerRef: "ada",
    };
    const begun = await busbar.call("POST", "/v1/oauth-connect", consent, bearer(await signer.sign()));
    assert.equal(begun.status, 403, begun.text);
  });

  test("credentials are never returned, and endpoints for servers are refused", async () => {
    const shown = await as({}, "GET", `/connections/${connections["acme"]}?includeCreds=true`);
    assert.equal(shown.status, 403);
    assert.equal((await as({}, "GET", "/api-keys")).status, 403);
    assert.equal((await as({}, "GET", "/installations")).status, 403);
    const token = await signer.sign();
    const write = await busbar.write("hs", "contacts", { groupRef: "acme" }, bearer(token));
    assert.equal(write.status, 403);
    const proxied = await fetch(`${busbar.server.urls.proxy}/crm/v3/objects/contacts`, {
      headers: {
        authorization: `Bearer ${token}`,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": busbar.projectId,
        "x-amp-integration-name": "hs",
        "x-amp-group-ref": "acme",
      },
    });
    assert.equal(proxied.status, 401);
  });

  test("a token from a signer whose clock is slightly ahead is accepted", async () => {
    const iat = nowSeconds() + 20;
    assert.equal((await as({ iat, nbf: iat, exp: iat + 300 }, "GET", "")).status, 200);
  });

  test("an installation created with a token names the person who created it", async () => {
    const installed = await as({ consumerRef: "grace" }, "POST", "/integrations/hs/installations", {
      groupRef: "acme",
      config: { createdBy: "api:forged", content: { provider: "hubspot", proxy: { enabled: true } } },
    });
    assert.equal(installed.status, 201, installed.text);
    assert.equal(installed.body.createdBy, "consumer:grace");
  });

  test("an installation cannot be moved to another group's connection, and the answer does not reveal that group", async () => {
    const [{ id }] = (await as({}, "GET", "/integrations/hs/installations")).body;
    const moved = await as({}, "PATCH", `/integrations/hs/installations/${id}`, {
      updateMask: ["connectionId"],
      installation: { connectionId: connections["globex"] },
    });
    assert.equal(moved.status, 404, moved.text);
    assert.doesNotMatch(moved.text, /globex/);
  });

  test("a token must not have expired, live longer than 600 s, or come from the future", async () => {
    const now = nowSeconds();
    const tries: [Record<string, unknown>, RegExp][] = [
      [{ iat: now - 400, exp: now - 1 }, /expired/],
      [{ exp: now + 7_200 }, /600 s/],
      [{ iat: now + 3_600, exp: now + 3_700 }, /future/],
      [{ nbf: now + 3_600 }, /nbf/],
      [{ groupRef: "ac\0me" }, /groupRef/],
      [{ consumerRef: "\ud83d" }, /consumerRef/],
      [{ iat: undefined }, /iat/],
      [{ exp: undefined }, /exp/],
      [{ groupRef: undefined }, /groupRef/],
      [{ consumerRef: 7 }, /consumerRef/],
    ];
    for (const [claims, expected] of tries) {
      const answer = await whoami(await signer.sign(claims));
      assert.equal(answer.status, 401, JSON.stringify(claims));
      assert.match(answer.body.detail, expected);
    }
  });

  test("only RS256 by the registered key is accepted: not HS256 with the public key, not none, not another signer's", async () => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const now = nowSeconds();
    const payload = encode({ groupRef: "acme", consumerRef: "ada", iat: now, exp: now + 60 });
    const hs = `${encode({ alg: "HS256", kid: signer.kid })}.${payload}`;
    const forged = `${hs}.${createHmac("sha256", signer.publicKeyPem).update(hs).digest("base64url")}`;
    assert.equal((await whoami(forged)).status, 401);
    assert.equal((await whoami(`${encode({ alg: "none", kid: signer.kid })}.${payload}.`)).status, 401);
    const other = await registerJwtKey(busbar);
    const [, body, signature] = (await other.sign()).split(".");
    const mixed = `${encode({ alg: "RS256", kid: signer.kid })}.${body}.${signature}`;
    assert.equal((await whoami(mixed)).status, 401);
    assert.equal((await whoami("not.a.token")).status, 401);
    assert.equal((await whoami("x")).status, 401);
  });

  test("tokens of a deactivated or deleted key are refused from the next call on", async () => {
    const own = await registerJwtKey(busbar);
    const token = await own.sign();
    assert.equal((await whoami(token)).status, 200);
    const off = await busbar.inProject("PATCH", `/jwt-keys/${own.kid}`, {
      updateMask: ["active"],
      jwtKey: { active: false },
    });
    assert.equal(off.body.active, false, off.text);
    await until(async () => (await whoami(token)).status === 401);
    await busbar.inProject("PATCH", `/jwt-keys/${own.kid}`, {
      updateMask: ["active"],
      jwtKey: { active: true },
    });
    await until(async () => (await whoami(token)).status === 200);
    assert.equal((await busbar.inProject("DELETE", `/jwt-keys/${own.kid}`)).status, 204);
    await until(async () => (await whoami(token)).status === 401);
  });
});

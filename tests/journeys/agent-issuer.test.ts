/** Agents with tokens of an authorization server that the project's policy names, through a whole Busbar that calls it by https. */
import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from "jose";
import { sendMessage } from "../harness/agent-client.ts";
import { startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import { SELF_SIGNED } from "../harness/self-signed.ts";

const READING = [
  "list_integrations",
  "find_objects",
  "describe_object",
  "search_records",
  "get_record",
  "get_operation",
  "get_approval",
];

describe("a token of an authorization server", () => {
  let busbar: ChildBusbar;
  let server: Server;
  let issuer = "";
  let isDown = false;
  let key: CryptoKey;
  let otherKey: CryptoKey;

  before(async () => {
    const pair = await generateKeyPair("ES256");
    key = pair.privateKey;
    otherKey = (await generateKeyPair("ES256")).privateKey;
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "ES256", use: "sig" };
    server = createServer(SELF_SIGNED, (request, response) => {
      const documents: Record<string, object> = {
        // RFC 8414, section 3.1: before the path of the issuer.
        "/.well-known/oauth-authorization-server/tenant": {
          issuer,
          jwks_uri: `${new URL(issuer).origin}/keys`,
        },
        // Signs with its own name, and leads to the keys of another issuer.
        "/.well-known/oauth-authorization-server/liar": {
          issuer,
          jwks_uri: `${new URL(issuer).origin}/keys`,
        },
        "/keys": { keys: [jwk] },
      };
      const found = documents[request.url ?? ""];
      response.writeHead(isDown ? 503 : found ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(found ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    issuer = `https://localhost:${(server.address() as AddressInfo).port}/tenant`;
    const folder = await mkdtemp(join(tmpdir(), "busbar-issuer-"));
    await writeFile(join(folder, "ca.pem"), SELF_SIGNED.cert);
    busbar = await startChildBusbar(join(folder, "data"), {
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
      BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
      BUSBAR_DASHBOARD: "false",
    });
    for (const groupRef of ["acme", "globex"]) {
      const { status, text } = await busbar.inProject("POST", "/groups", { groupRef, groupName: groupRef });
      assert.ok(status < 300, text);
    }
    const { status, text } = await busbar.inProject("PUT", "/agent-policy", {
      authorizationServers: [issuer],
    });
    assert.equal(status, 200, text);
  });
  after(async () => {
    busbar?.signal("SIGTERM");
    await busbar?.exited;
    server?.close();
    server?.closeAllConnections();
  });

  const endpoint = (groupRef = "acme") => `${busbar.origin}/mcp/v1/projects/default/groups/${groupRef}`;
  const sign = (claims: JWTPayload = {}, signedBy = key, seconds = 300): Promise<string> => {
    const iat = Math.floor(Date.now() / 1_000);
    const all = { iss: issuer, aud: endpoint(), sub: "agent-7", scope: "read", iat, exp: iat + seconds };
    return new SignJWT({ ...all, ...claims }).setProtectedHeader({ alg: "ES256", kid: "k1" }).sign(signedBy);
  };
  const send = async (token: string, method = "tools/list", params = {}, groupRef?: string) => {
    const server = { apiKey: "", server: { urls: busbar.file.urls } };
    const headers = { authorization: `Bearer ${token}` };
    const {
      status,
      body,
      headers: answered,
    } = await sendMessage(server, method, params, {
      url: endpoint(groupRef),
      headers,
    });
    return { status, body, challenge: answered.get("www-authenticate") ?? "" };
  };

  test("gets in at the address that it was issued for, with the rights of its scope", async () => {
    const { status, body } = await send(await sign());
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.result?.tools.map(({ name }: { name: string }) => name),
      READING,
    );
    const call = { name: "create_record", arguments: { object: "contacts", record: {} } };
    const refused = await send(await sign(), "tools/call", call);
    assert.equal(refused.status, 403);
    assert.match(refused.challenge, /error="insufficient_scope", scope="write"/);
    const metadata = await fetch(
      `${busbar.origin}/.well-known/oauth-protected-resource/mcp/v1/projects/default/groups/acme`,
    );
    assert.deepEqual(((await metadata.json()) as Record<string, unknown>)["authorization_servers"], [issuer]);
  });

  test("is refused for another audience, customer, signer, issuer, or time, and without a scope", async () => {
    const refusals: [string, number, RegExp][] = [
      [await sign({ aud: endpoint("globex") }), 401, /must be `http/],
      [await sign({ aud: busbar.origin }), 401, /`aud`/],
      [await sign({ groupRef: "globex" }), 403, /globex/],
      [await sign({}, otherKey), 401, /not signed by/],
      [await sign({ iss: "https://elsewhere.example" }), 401, /authorizationServers/],
      [await sign({}, key, -1), 401, /expired/],
      [await sign({ sub: "" }), 401, /names nobody/],
      [await sign({ scope: "" }), 403, /scope/],
      // The scope of a builder's own keys is none that an issuer may give.
      [await sign({ scope: "full" }), 403, /scope/],
      [new UnsecuredJWT({ iss: issuer, aud: endpoint(), sub: "x", scope: "read" }).encode(), 401, /./],
    ];
    for (const [index, [token, status, detail]] of refusals.entries()) {
      const answer = await send(token);
      assert.equal(answer.status, status, `${index}: ${JSON.stringify(answer.body)}`);
      assert.match(answer.body.detail ?? "", detail, String(index));
      if (status === 401) assert.match(answer.challenge, /resource_metadata="/);
    }
    assert.equal((await send(await sign(), "tools/list", {}, "globex")).status, 401);
    assert.equal(
      (await send(await sign({ aud: endpoint("nobody") }), "tools/list", {}, "nobody")).status,
      404,
    );
  });

  test("is not accepted any more as soon as the policy does not name its issuer", async () => {
    const token = await sign();
    await busbar.inProject("PUT", "/agent-policy", {});
    assert.equal((await send(token)).status, 401);
    await busbar.inProject("PUT", "/agent-policy", { authorizationServers: [issuer] });
    assert.equal((await send(token)).status, 200);
  });

  test("of an issuer whose metadata names another one is not accepted", async () => {
    const liar = `${new URL(issuer).origin}/liar`;
    await busbar.inProject("PUT", "/agent-policy", { authorizationServers: [issuer, liar] });
    assert.equal((await send(await sign({ iss: liar }))).status, 503);
  });

  test("of an issuer that does not answer is a 503, and gets in when it answers again", async () => {
    const down = `${new URL(issuer).origin}/other`;
    await busbar.inProject("PUT", "/agent-policy", { authorizationServers: [issuer, down] });
    isDown = true;
    const answer = await send(await sign({ iss: down }));
    assert.equal(answer.status, 503, JSON.stringify(answer.body));
    assert.match(answer.body.detail ?? "", /other does not answer/);
    isDown = false;
    assert.equal((await send(await sign())).status, 200);
  });
});

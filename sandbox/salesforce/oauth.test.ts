// Salesforce tokens: no lifetime told, rotation, and what a reused refresh token costs.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { getAt, openCaller, openSandbox, readText, type Response } from "../test-client.ts";

const REDIRECT = "http://127.0.0.1:9/callback";
const VERIFIER = "v".repeat(64);

const sandbox = await openSandbox();
const call = openCaller(sandbox.salesforce.url);

function token(form: Record<string, string>): Promise<Response> {
  return call(
    "POST",
    "/services/oauth2/token",
    new URLSearchParams({ client_id: "app", client_secret: "s", ...form }).toString(),
  );
}

function refresh(text: string): Promise<Response> {
  return token({ grant_type: "refresh_token", refresh_token: text });
}

async function connect(scope = "api refresh_token", verifier = VERIFIER): Promise<Response> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "app",
    redirect_uri: REDIRECT,
    scope,
    state: "s",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
    decision: "allow",
  });
  const consent = await call("GET", `/services/oauth2/authorize?${query.toString()}`);
  const code = new URL(consent.headers.get("location") ?? "").searchParams.get("code") ?? "";
  return token({ grant_type: "authorization_code", code, redirect_uri: REDIRECT, code_verifier: verifier });
}

test("the token answer has Salesforce's members and no expires_in", async () => {
  const { json, status, text } = await connect();
  assert.equal(status, 200);
  assert.equal(getAt(json, "instance_url"), sandbox.salesforce.url);
  assert.equal(getAt(json, "token_type"), "Bearer");
  assert.match(readText(json, "issued_at"), /^\d{13}$/);
  assert.match(readText(json, "id"), /\/id\/00D\w{15}\/005\w{15}$/);
  assert.equal(getAt(json, "scope"), "api refresh_token");
  assert.doesNotMatch(text, /expires_in/);
});

test("without the scope for it there is no refresh token, and a wrong verifier gives nothing", async () => {
  assert.doesNotMatch((await connect("api full")).text, /"refresh_token"/);
  const wrong = await connect("api", "w".repeat(64));
  assert.equal(wrong.status, 400);
  assert.equal(getAt(wrong.json, "error_description"), "invalid code verifier");
});

test("each refresh gives a new refresh token, and a used one revokes everything of its grant", async () => {
  const first = await connect();
  const second = await refresh(readText(first.json, "refresh_token"));
  assert.equal(second.status, 200);
  assert.notEqual(getAt(second.json, "refresh_token"), getAt(first.json, "refresh_token"));
  const session = openCaller(sandbox.salesforce.url, readText(second.json, "access_token"));
  assert.equal((await session("GET", "/services/oauth2/userinfo")).status, 200);
  const reused = await refresh(readText(first.json, "refresh_token"));
  assert.deepEqual(reused.json, {
    error: "invalid_grant",
    error_description: "expired access/refresh token",
  });
  assert.equal((await refresh(readText(second.json, "refresh_token"))).status, 400);
  const dead = await session("GET", "/services/data/v60.0/limits");
  assert.equal(dead.status, 401);
  assert.deepEqual(dead.json, [{ message: "Session expired or invalid", errorCode: "INVALID_SESSION_ID" }]);
});

test("another grant survives the reuse", async () => {
  const [one, other] = [await connect(), await connect()];
  await refresh(readText(one.json, "refresh_token"));
  await refresh(readText(one.json, "refresh_token"));
  assert.equal((await refresh(readText(other.json, "refresh_token"))).status, 200);
});

test("introspection tells when a session ends, revoking ends it", async () => {
  const { accessToken } = sandbox.salesforce.mintToken({ expiresInSeconds: 100 });
  const form = new URLSearchParams({ token: accessToken, client_id: "app", client_secret: "s" }).toString();
  const active = await call("POST", "/services/oauth2/introspect", form);
  const left = Number(getAt(active.json, "exp")) - Date.now() / 1000;
  assert.ok(left > 90 && left <= 100);
  assert.equal((await call("POST", "/services/oauth2/revoke", form)).status, 200);
  assert.deepEqual((await call("POST", "/services/oauth2/introspect", form)).json, { active: false });
});

test("client credentials give a session without refresh, unknown grants are refused", async () => {
  const answer = await token({ grant_type: "client_credentials" });
  assert.equal(answer.status, 200);
  assert.doesNotMatch(answer.text, /"refresh_token"/);
  assert.equal(getAt((await token({ grant_type: "password" })).json, "error"), "unsupported_grant_type");
});

test("userinfo names the user and the organisation", async () => {
  const session = openCaller(sandbox.salesforce.url, sandbox.salesforce.mintToken().accessToken);
  const { json } = await session("GET", "/services/oauth2/userinfo");
  assert.match(readText(json, "user_id"), /^005/);
  assert.match(readText(json, "organization_id"), /^00D/);
});

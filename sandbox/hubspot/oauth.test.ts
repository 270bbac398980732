// HubSpot's consent page, tokens and their refusals.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { startSandbox } from "../sandbox.ts";
import { getAt, openCaller, openSandbox, readText, type Call } from "../test-client.ts";

const REDIRECT = "http://127.0.0.1:9/callback";

const sandbox = await openSandbox();
const call = openCaller(sandbox.hubspot.url);

function authorizePath(members: Record<string, string> = {}): string {
  const query = {
    client_id: "app",
    redirect_uri: REDIRECT,
    scope: "oauth crm.objects.contacts.read",
    state: "s 1",
    ...members,
  };
  return `/oauth/authorize?${new URLSearchParams(query).toString()}`;
}

async function code(members: Record<string, string> = {}): Promise<string> {
  const answer = await call("GET", authorizePath({ ...members, auto: "1" }));
  return new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
}

function exchange(members: Record<string, string>, version = "v1"): ReturnType<Call> {
  const form = {
    grant_type: "authorization_code",
    client_id: "app",
    client_secret: "s",
    redirect_uri: REDIRECT,
    ...members,
  };
  return call("POST", `/oauth/${version}/token`, new URLSearchParams(form).toString());
}

test("the consent page leads back with code and state by plain links", async () => {
  const page = await call("GET", authorizePath());
  assert.equal(page.status, 200);
  const allow = /id="allow" href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll("&#38;", "&");
  const answer = await openCaller(sandbox.url)("GET", allow ?? "");
  assert.equal(answer.status, 302);
  const target = new URL(answer.headers.get("location") ?? "");
  assert.equal(target.origin + target.pathname, REDIRECT);
  assert.equal(target.searchParams.get("state"), "s 1");
  assert.ok(target.searchParams.get("code"));
});

test("a denial leads back with an error", async () => {
  const answer = await call("GET", authorizePath({ decision: "deny" }));
  const target = new URL(answer.headers.get("location") ?? "");
  assert.equal(target.searchParams.get("error"), "access_denied");
  assert.equal(target.searchParams.get("state"), "s 1");
});

test("a code gives tokens once, refreshing keeps the refresh token", async () => {
  const one = await code();
  const first = await exchange({ code: one });
  assert.equal(first.status, 200);
  assert.equal(getAt(first.json, "expires_in"), 1800);
  assert.equal(getAt(first.json, "token_type"), "bearer");
  const again = await exchange({ code: one });
  assert.equal(again.status, 400);
  assert.equal(getAt(again.json, "status"), "BAD_AUTH_CODE");
  const refresh = { grant_type: "refresh_token", refresh_token: readText(first.json, "refresh_token") };
  const second = await exchange(refresh, "v3");
  assert.equal(getAt(second.json, "refresh_token"), getAt(first.json, "refresh_token"));
  assert.notEqual(getAt(second.json, "access_token"), getAt(first.json, "access_token"));
  assert.deepEqual(getAt(second.json, "scopes"), ["oauth", "crm.objects.contacts.read"]);
  const other = await exchange({ ...refresh, client_id: "another" });
  assert.equal(getAt(other.json, "status"), "BAD_REFRESH_TOKEN");
  assert.equal(getAt(other.json, "error"), "invalid_grant");
});

test("a code challenge has to be answered", async () => {
  const verifier = "v".repeat(50);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const members = { code_challenge: challenge, code_challenge_method: "S256" };
  const wrong = await exchange({ code: await code(members), code_verifier: "x".repeat(50) });
  assert.equal(getAt(wrong.json, "status"), "BAD_CODE_VERIFIER");
  const right = await exchange({ code: await code(members), code_verifier: verifier });
  assert.equal(right.status, 200);
});

test("an expired token and a missing one are told apart", async () => {
  const { accessToken, refreshToken = "" } = sandbox.hubspot.mintToken({ expiresInSeconds: 0 });
  const expired = await openCaller(sandbox.hubspot.url, accessToken)("GET", "/integrations/v1/me");
  assert.equal(expired.status, 401);
  assert.equal(getAt(expired.json, "category"), "EXPIRED_AUTHENTICATION");
  assert.match(readText(expired.json, "message"), /expired \d+ second\(s\) ago/);
  const missing = await call("GET", "/integrations/v1/me");
  assert.equal(getAt(missing.json, "category"), "INVALID_AUTHENTICATION");
  const renewed = await exchange({ grant_type: "refresh_token", refresh_token: refreshToken });
  assert.equal(renewed.status, 200);
});

test("a private app's token works without expiry", async () => {
  const known = openCaller(sandbox.hubspot.url, sandbox.hubspot.staticToken);
  assert.equal((await known("GET", "/integrations/v1/me")).status, 200);
  const minted = sandbox.hubspot.mintToken({ static: true });
  assert.equal(minted.refreshToken, undefined);
  sandbox.hubspot.expireTokens();
  const call = openCaller(sandbox.hubspot.url, minted.accessToken);
  assert.equal((await call("GET", "/account-info/v3/details")).status, 200);
});

test("a removed app cannot refresh, a revoked token introspects as inactive", async () => {
  const { accessToken, refreshToken = "" } = sandbox.hubspot.mintToken();
  const active = await call(
    "POST",
    "/oauth/v3/token/introspect",
    new URLSearchParams({ token: accessToken }).toString(),
  );
  assert.equal(getAt(active.json, "active"), true);
  sandbox.hubspot.revokeTokens();
  const refused = await exchange({ grant_type: "refresh_token", refresh_token: refreshToken });
  assert.equal(getAt(refused.json, "status"), "BAD_REFRESH_TOKEN");
  const inactive = await call(
    "POST",
    "/oauth/v3/token/introspect",
    new URLSearchParams({ token: accessToken }).toString(),
  );
  assert.deepEqual(inactive.json, { active: false });
});

test("configured clients are checked", async () => {
  const strict = await startSandbox({ clients: [{ id: "known", secret: "right" }] });
  const call = openCaller(strict.hubspot.url);
  const form = (id: string, secret: string): string =>
    new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: "x",
      client_id: id,
      client_secret: secret,
    }).toString();
  const unknown = await call("POST", "/oauth/v1/token", form("other", "right"));
  assert.equal(getAt(unknown.json, "status"), "BAD_CLIENT_ID");
  const wrong = await call("POST", "/oauth/v1/token", form("known", "wrong"));
  assert.equal(getAt(wrong.json, "status"), "BAD_CLIENT_SECRET");
  await strict.close();
});

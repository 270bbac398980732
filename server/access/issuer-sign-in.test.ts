/** Signing in with a browser at an OpenID Connect issuer, through a real Busbar. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { openTestBusbar, shareTestBusbar } from "../../tests/harness/busbar.ts";
import { startIssuer } from "../../tests/harness/issuer.ts";

const OWN_PAGE = { "sec-fetch-site": "same-origin" };

const issuer = await startIssuer({ clientSecret: "s3cret/+" });
const busbar = await shareTestBusbar({ env: issuer.env });
after(() => issuer.close());

describe("signing in at the issuer", () => {
  /** Sends a request and does not follow redirects, so that a test sees each of them. */
  const get = (url: string | URL, cookie = "") => fetch(url, { redirect: "manual", headers: { cookie } });
  const origin = () => new URL(busbar.server.urls.base).origin;
  const begin = async (returnTo?: string) => {
    const query = returnTo === undefined ? "" : `?${new URLSearchParams({ returnTo })}`;
    const answer = await get(`${origin()}/callbacks/v1/sign-in/begin${query}`);
    const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
    return { answer, cookie, location: answer.headers.get("location") ?? "" };
  };
  const me = (cookie: string) =>
    busbar.call("GET", "/v1/my-info", undefined, { "x-api-key": "", cookie, ...OWN_PAGE });
  const assertRefused = async (answer: Response): Promise<void> => {
    assert.equal(answer.status, 400);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
    assert.doesNotMatch(answer.headers.get("set-cookie") ?? "", /busbar_session=b/);
  };

  test("a person comes back to the page first asked for, signed in", async () => {
    const path = "/projects/_/operations?status=failure";
    const { answer, cookie, location } = await begin(path);
    assert.equal(answer.status, 302);
    const asked = new URL(location);
    assert.ok(location.startsWith(`${issuer.url}/authorize?tenant=a&`), location);
    assert.equal(asked.searchParams.get("redirect_uri"), `${origin()}/callbacks/v1/sign-in`);
    assert.equal(asked.searchParams.get("code_challenge_method"), "S256");
    assert.ok(asked.searchParams.get("state") && asked.searchParams.get("nonce"));
    const binding = answer.headers.get("set-cookie") ?? "";
    assert.match(
      binding,
      /^busbar_sign_in=[\w-]{43}; Path=\/callbacks\/v1\/sign-in; .*HttpOnly; SameSite=Lax$/,
    );
    const back = issuer.approve(location);
    const done = await get(back, cookie);
    assert.deepEqual([done.status, done.headers.get("location")], [302, path]);
    const set = done.headers.get("set-cookie") ?? "";
    assert.match(set, /^busbar_session=bbs_[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    const [session = ""] = set.split(";");
    const info = await me(session);
    assert.equal(info.body.builder?.fullName, "Grace Hopper", info.text);
    const shown = await busbar.call("GET", "/v1/sessions/current", undefined, {
      cookie: session,
      ...OWN_PAGE,
      "x-api-key": "",
    });
    assert.deepEqual([shown.status, shown.body.kind], [200, "cookie"]);
    await assertRefused(await get(back, cookie));
    const out = { "x-api-key": "", cookie: session, ...OWN_PAGE };
    assert.equal((await busbar.call("DELETE", "/v1/sessions/current", undefined, out)).status, 204);
    assert.equal((await me(session)).status, 401);
  });

  test("the client proves itself by its secret and by the verifier, which no address holds", async () => {
    const { cookie, location } = await begin();
    const done = await get(issuer.approve(location), cookie);
    assert.equal(done.headers.get("location"), "/");
    const { authorization = "", form } = issuer.exchanges.at(-1) ?? assert.fail();
    assert.match(authorization, /^Basic /);
    assert.equal(form.get("client_secret"), null);
    const verifier = form.get("code_verifier") ?? "";
    assert.match(verifier, /^[\w-]{43}$/);
    assert.equal(location.includes(verifier) || cookie.includes(verifier), false);
  });

  test("a changed state, another browser, a refusal and a foreign token sign nobody in", async () => {
    const first = await begin();
    const changed = issuer.approve(first.location);
    changed.searchParams.set("state", `${changed.searchParams.get("state")}x`);
    await assertRefused(await get(changed, first.cookie));
    const other = await begin();
    await assertRefused(await get(issuer.approve(first.location), other.cookie));
    await assertRefused(await get(issuer.approve(first.location)));
    const refused = new URL(issuer.approve(first.location));
    refused.searchParams.delete("code");
    refused.searchParams.set("error", "access_denied");
    const page = await get(refused, first.cookie);
    assert.match(await page.clone().text(), /access_denied/);
    await assertRefused(page);
    for (const claims of [{ nonce: "other" }, { aud: "another-app" }, { exp: 1 }]) {
      const { cookie, location } = await begin();
      await assertRefused(await get(issuer.approve(location, claims), cookie));
    }
    const { cookie, location } = await begin();
    const unknown = issuer.approve(location);
    unknown.searchParams.set("code", "guessed");
    await assertRefused(await get(unknown, cookie));
  });

  test("what the issuer sends is shown as text", async () => {
    const url = `${origin()}/callbacks/v1/sign-in?state=x&error=${encodeURIComponent("<img onerror=alert(1)>")}`;
    const page = await get(url, "busbar_sign_in=x");
    assert.doesNotMatch(await page.clone().text(), /onerror/);
    await assertRefused(page);
  });

  test("nobody is sent to another host afterwards", async () => {
    const wrong = [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example/",
      "evil",
      "",
      "/\t/evil.example",
      "/a b",
    ];
    for (const returnTo of wrong) {
      const { answer, cookie } = await begin(returnTo);
      assert.deepEqual([answer.status, cookie], [400, ""], returnTo);
    }
    assert.equal((await begin("/a//b?c=//d")).answer.status, 302);
  });

  test("the verified address opens invitations, and the sign-in page offers the issuer only", async () => {
    const ways = await busbar.call("GET", "/v1/sign-in-ways", undefined, { "x-api-key": "" });
    assert.deepEqual(ways.body, { ways: [{ type: "oidc", name: new URL(issuer.url).host }] });
    const owner = await issuer.sign({ sub: "ada", email: "ada@acme.example" });
    const org = (await busbar.call("POST", "/v1/orgs", { label: "Acme" }, owner)).body.id;
    const email = "grace@example.com";
    await busbar.call("POST", `/v1/orgs/${org}/invites`, { email, role: "viewer" }, owner);
    const accept = async (claims: object) => {
      const { cookie, location } = await begin();
      const done = await get(issuer.approve(location, { ...claims }), cookie);
      const [session = ""] = (done.headers.get("set-cookie") ?? "").split(";");
      const headers = { "x-api-key": "", cookie: session, ...OWN_PAGE };
      return busbar.call("POST", "/v1/invites:accept", { invitedEmail: email }, headers);
    };
    assert.equal((await accept({ sub: "mallory", email_verified: false })).status, 403);
    const accepted = await accept({});
    assert.equal(accepted.body.orgRole?.role, "org:viewer", accepted.text);
  });
});

test("a public client needs no secret, and without an issuer there is nothing to begin", async (t) => {
  const issuer = await startIssuer();
  t.after(() => issuer.close());
  const busbar = await openTestBusbar({ env: issuer.env });
  t.after(() => busbar.stop());
  const path = `${new URL(busbar.server.urls.base).origin}/callbacks/v1/sign-in`;
  const first = await fetch(`${path}/begin`, { redirect: "manual" });
  const [cookie = ""] = (first.headers.get("set-cookie") ?? "").split(";");
  const back = issuer.approve(first.headers.get("location") ?? "");
  assert.equal((await fetch(back, { redirect: "manual", headers: { cookie } })).status, 302);
  assert.equal(issuer.exchanges[0]?.authorization, undefined);
  await busbar.restart({ BUSBAR_OIDC_ISSUER: "", BUSBAR_OIDC_CLIENT_ID: "" });
  const nothing = await busbar.call("GET", "/callbacks/v1/sign-in/begin");
  assert.equal(nothing.status, 404, nothing.text);
  const page = await busbar.call("GET", "/callbacks/v1/sign-in?state=x&code=y");
  assert.equal(page.status, 400);
});

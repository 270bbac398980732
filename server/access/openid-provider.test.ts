/** People who sign in at `oidc-provider`, an OpenID provider that somebody else wrote, through a real Busbar. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { startOpenIdProvider } from "../../tests/harness/openid-provider.ts";
import { createLog } from "../../ground/log.ts";

const OWN_PAGE = { "sec-fetch-site": "same-origin", "x-api-key": "" };

const provider = await startOpenIdProvider({
  ada: { email: "ada@acme.example", email_verified: true, name: "Ada Lovelace", given_name: "Ada" },
  eve: { email: "ada@acme.example", email_verified: false, name: "Eve" },
});
after(() => provider.close());

describe("a standard OpenID provider", () => {
  let busbar: TestBusbar;
  let logged = "";
  after(async () => {
    await busbar.stop();
  });
  before(async () => {
    const log = createLog("warn", { write: (line) => void (logged += line) });
    busbar = await openTestBusbar({ env: provider.env, log });
  });
  beforeEach(() => {
    logged = "";
    provider.register({ redirectUri: callback() });
    for (const path of ["/me", "/token", "/jwks"]) provider.answer(path, null);
  });

  const callback = () => `${new URL(busbar.server.urls.base).origin}/callbacks/v1/sign-in`;
  const get = (url: string, cookie = "") => fetch(url, { redirect: "manual", headers: { cookie } });
  const cookieIn = (answer: Response) => (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  async function signIn(login: string): Promise<Response> {
    const begun = await get(`${callback()}/begin`);
    return get(await provider.signIn(begun.headers.get("location") ?? "", login), cookieIn(begun));
  }
  const asPerson = (session: Response) => ({ cookie: cookieIn(session), ...OWN_PAGE });
  async function builder(session: Response) {
    assert.equal(session.status, 302, await session.clone().text());
    const me = await busbar.call("GET", "/v1/my-info", undefined, asPerson(session));
    assert.equal(me.status, 200, me.text);
    return me.body.builder;
  }

  test("name and verified e-mail come from UserInfo, and open an invitation", async () => {
    const session = await signIn("ada");
    const { fullName, firstName, primaryEmail } = await builder(session);
    assert.deepEqual([fullName, firstName, primaryEmail], ["Ada Lovelace", "Ada", "ada@acme.example"]);
    const org = (await busbar.call("POST", "/v1/orgs", { label: "Acme" }, asPerson(session))).body.id;
    const email = { email: "ada@acme.example" };
    await busbar.call("POST", `/v1/orgs/${org}/invites`, email, asPerson(session));
    const accept = async (login: string) =>
      busbar.call("POST", "/v1/invites:accept", { invitedEmail: email.email }, asPerson(await signIn(login)));
    // The address of UserInfo counts only as far as the issuer vouches for it.
    assert.equal((await accept("eve")).status, 403);
    assert.notEqual((await accept("ada")).status, 403);
  });

  test("signed UserInfo is read after its signature and audience were checked", async () => {
    provider.register({ redirectUri: callback(), metadata: { userinfo_signed_response_alg: "RS256" } });
    assert.equal((await builder(await signIn("ada"))).fullName, "Ada Lovelace");
  });

  test("UserInfo about another person signs nobody in", async () => {
    provider.answer("/me", { status: 200, text: JSON.stringify({ sub: "ada", email: "ada@acme.example" }) });
    const page = await signIn("eve");
    assert.equal(page.status, 400);
    assert.match(await page.text(), /another person/);
  });

  test("while UserInfo does not answer, the page says so and nobody is signed in without an address", async () => {
    provider.answer("/me", { status: 503, text: "<html>down</html>" });
    const page = await signIn("ada");
    assert.equal(page.status, 503);
    assert.match(await page.text(), /does not answer/);
    assert.match(logged, /answered 503/);
  });

  test("a person known by name keeps it when UserInfo refuses", async () => {
    await builder(await signIn("ada"));
    provider.answer("/me", { status: 403, text: "insufficient_scope" });
    const { fullName, primaryEmail } = await builder(await signIn("ada"));
    assert.deepEqual([fullName, primaryEmail], ["Ada Lovelace", "ada@acme.example"]);
    assert.match(logged, /UserInfo/);
  });

  test("a wrong client secret is reported with the issuer's words, in the page and in the log", async () => {
    provider.register({ redirectUri: callback(), clientSecret: "another one" });
    const page = await signIn("ada");
    const text = await page.text();
    assert.equal(page.status, 503);
    assert.match(text, /invalid_client/);
    assert.match(text, /BUSBAR_OIDC_CLIENT_SECRET/);
    assert.doesNotMatch(text, /not begun in this browser/);
    assert.match(logged, /invalid_client/);
    assert.doesNotMatch(logged + text, /a secret/);
  });

  test("a code that the issuer refuses is reported with its words", async () => {
    const begun = await get(`${callback()}/begin`);
    const back = new URL(await provider.signIn(begun.headers.get("location") ?? "", "ada"));
    back.searchParams.set("code", "guessed");
    const page = await get(back.href, cookieIn(begun));
    assert.equal(page.status, 400);
    assert.match(await page.text(), /invalid_grant/);
    assert.match(logged, /invalid_grant/);
  });

  test("a page of a proxy at the token endpoint is an outage", async () => {
    for (const status of [200, 403, 429, 502]) {
      provider.answer("/token", { status, text: "<html>blocked</html>" });
      assert.equal((await signIn("ada")).status, 503, String(status));
    }
  });

  test("keys that cannot be loaded are an outage, not a wrong token", async () => {
    for (const answer of [
      { status: 503, text: "{}" },
      { status: 404, text: "{}" },
      { status: 200, text: "<html>" },
      { status: 200, text: '{"error":"x"}' },
      { status: 200, text: '{"keys":[' },
      { status: 200, text: '{"keys":[null]}' },
      { status: 200, text: '{"keys":[{"kty":"RSA","kid":"k","alg":"RS256","use":"sig"}]}' },
      { status: 200, text: '{"keys":[{"kty":"RSA","kid":"k","n":"AQ","e":"!"}]}' },
    ]) {
      const fresh = await busbar.sibling();
      provider.answer("/jwks", answer);
      const token = `${part({ alg: "RS256", kid: "k" })}.${part({ sub: "ada" })}.c2ln`;
      const refused = await fetch(`${fresh.urls.base}/my-info`, {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(refused.status, 503, answer.text);
      assert.equal(((await refused.json()) as { retryable: boolean }).retryable, true);
      provider.answer("/jwks", null);
      const wrong = await fetch(`${fresh.urls.base}/my-info`, {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(wrong.status, 401);
    }
  });
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

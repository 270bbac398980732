/** The pages of custom authentication: before the provider's page, and after it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { openConsentBrowser, type Seen } from "../../../tests/harness/consent.ts";
import { CLIENT_SECRET, customAuthProviders } from "../../../tests/harness/custom-auth-provider.ts";

// No test of this file calls the provider.
const busbar = await shareTestBusbar({ providers: customAuthProviders("http://127.0.0.1:9") });

await busbar.inProject("PATCH", "", { updateMask: ["appName"], project: { appName: "Widgets" } });
const app = { provider: "consented", clientId: "app-1", clientSecret: CLIENT_SECRET };
assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);

describe("the pages of custom authentication", () => {
  const connect = (body: object, headers?: Record<string, string>) =>
    busbar.call("POST", "/v1/custom-auth/connect", { projectIdOrName: "default", ...body }, headers);
  const begin = (groupRef: string, more: object = {}, headers?: Record<string, string>) =>
    connect({ provider: "consented", groupRef, consumerRef: "ada", ...more }, headers);
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
  const callback = () => `${new URL(busbar.server.urls.base).origin}/callbacks/v1/custom-auth`;
  const readState = (address: string) => new URL(address).searchParams.get("state") ?? "";

  test("before the provider's page a page of ours names application, account, group and person", async () => {
    const { redirect } = (await begin("named", { groupName: "Acme & Söhne", consumerName: "Ada L." })).body;
    assert.ok(redirect.url.startsWith(`${callback()}/begin?consent=`), redirect.url);
    const { status, html, headers } = await openConsentBrowser().open(redirect.url);
    assert.equal(status, 200);
    for (const name of ["Widgets", "consented", "Acme &#38; Söhne (named)", "Ada L. (ada)"])
      assert.ok(html.includes(name), html);
    assert.match(headers.get("set-cookie") ?? "", /; Path=\/callbacks\/v1\/custom-auth; /);
  });

  test("the callback page posts the parameters of a GET or a form, and only to the origin of the caller", async () => {
    const { redirect } = (await begin("posted", {}, asks)).body;
    const browser = openConsentBrowser();
    const state = readState(await browser.leave(redirect.url));
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
        return other.open(`${callback()}?state=${readState(await other.leave(server.url))}`);
      })(),
    ) as [[unknown, string]];
    assert.equal(anybody, "*", "a server that asks has no origin");
  });

  test("the callback posts no parameters in a browser that has not continued", async () => {
    const attacker = openConsentBrowser();
    const state = readState(await attacker.leave((await begin("lured", {}, asks)).body.redirect.url));
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

  test("a provider's form arrives without our cookie, so the callback page submits it again with all its fields", async () => {
    const browser = openConsentBrowser();
    const state = readState(await browser.leave((await begin("form", {}, asks)).body.redirect.url));
    const stranger = openConsentBrowser();
    const first = await stranger.post(`${callback()}?a=1`, { code: 'x"<b>', state });
    assert.match(first.headers.get("content-security-policy") ?? "", /form-action 'self';/);
    const { action, fields } = first.form ?? { action: "", fields: {} };
    assert.equal(action, `${callback()}?resent=1`);
    const page = await browser.post(action, fields);
    const params = { a: "1", code: 'x"<b>', state };
    assert.deepEqual(posted(page), [[{ source: "ampersand-custom-auth", params }, asks.origin]]);
  });

  test("after Cancel the next call reports it, and a URL works in one browser only", async () => {
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

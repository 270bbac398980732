/** Connecting by consent through a real Busbar and the sandbox's consent pages. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openTestBusbar, type Answer, type TestBusbar } from "../../../tests/harness/busbar.ts";

describe("connecting by consent", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
    for (const provider of ["hubspot", "salesforce"]) {
      const app = await on.inProject("POST", "/provider-apps", {
        provider,
        clientId: `${provider}-client`,
        clientSecret: "app-secret",
        scopes: provider === "hubspot" ? ["oauth", "crm.objects.contacts.read"] : [],
        ...(provider === "hubspot" && {
          metadata: { authQueryParams: { optional_scope: ["tickets", "automation"], state: ["forged"] } },
        }),
      });
      assert.equal(app.status, 200, app.text);
    }
  });

  const begin = (provider: string, groupRef: string, more: object = {}): Promise<Answer> =>
    on.call("POST", "/v1/oauth-connect", {
      projectIdOrName: "default",
      provider,
      groupRef,
      consumerRef: "ada",
      ...more,
    });
  /** What a browser does: the consent page agrees (or denies) and leads back. */
  const consent = async (url: string, decision = "allow"): Promise<string> => {
    const page = await fetch(`${url}&decision=${decision}`, { redirect: "manual" });
    assert.equal(page.status, 302, await page.text());
    return page.headers.get("location") ?? "";
  };
  const comeBack = async (url: string) => {
    const response = await fetch(url);
    const html = await response.text();
    const posted = /postMessage\((\{.*?\}), "\*"\)/.exec(html)?.[1];
    return { response, html, message: posted ? JSON.parse(posted) : undefined };
  };

  test("HubSpot: the address carries scopes, a challenge and a state that the app's own parameters cannot replace", async () => {
    const begun = await begin("hubspot", "acme");
    assert.equal(begun.status, 200, begun.text);
    assert.match(begun.headers.get("content-type") ?? "", /^text\/plain/);
    const url = new URL(begun.text);
    assert.equal(url.searchParams.get("scope"), "oauth crm.objects.contacts.read");
    assert.equal(url.searchParams.get("optional_scope"), "tickets automation");
    assert.equal(url.searchParams.get("code_challenge_method"), "S256");
    assert.notEqual(url.searchParams.get("state"), "forged");
    const origin = new URL(on.busbar.urls.base).origin;
    assert.equal(url.searchParams.get("redirect_uri"), `${origin}/callbacks/v1/oauth`);
  });

  test("a consent that is tied to the browser ends in the one that began it, and in no other", async () => {
    const tied = async (groupRef: string) => {
      const begun = await begin("hubspot", groupRef, { enableCSRFProtection: true });
      assert.equal(begun.status, 200, begun.text);
      assert.ok(begun.text.startsWith(`${new URL(on.busbar.urls.base).origin}/callbacks/v1/oauth/begin?`));
      assert.equal(begun.text.includes("state="), false, "the state is for that browser only");
      const opened = await fetch(begun.text, { redirect: "manual" });
      assert.equal(opened.status, 302);
      const cookie = opened.headers.get("set-cookie") ?? "";
      assert.match(cookie, /; Path=\/callbacks\/v1\/oauth; Max-Age=600; HttpOnly; SameSite=Lax$/);
      const address = opened.headers.get("location") ?? "";
      assert.ok(address.startsWith(on.sandbox.url));
      return { begun: begun.text, cookie: cookie.split(";")[0] ?? "", back: await consent(address) };
    };
    const finish = async (back: string, cookie: string) => {
      const response = await fetch(back, { headers: { cookie } });
      return { status: response.status, html: await response.text() };
    };
    const [first, second] = [await tied("tied"), await tied("tied-other")];
    const again = await fetch(first.begun, { redirect: "manual" });
    assert.equal(again.status, 400, "only the first browser gets the cookie");
    const done = await finish(first.back, `theme=dark; ${second.cookie}; ${first.cookie}`);
    assert.equal(done.status, 200, done.html);

    for (const cookie of ["", first.cookie, `${second.cookie}x`]) {
      const { back } = cookie === "" ? second : await tied("tied-again");
      const refused = await finish(back, cookie);
      assert.equal(refused.status, 400, refused.html);
      assert.match(refused.html, /another browser/);
    }
    assert.deepEqual((await on.inProject("GET", "/connections?groupRef=tied-other")).body, []);
    const origin = `${new URL(on.busbar.urls.base).origin}/callbacks/v1/oauth/begin`;
    const forged = await fetch(`${origin}?session=${"0".repeat(8)}-0000-7000-8000-000000000000&to=v1.x.y.z`);
    assert.equal(forged.status, 400);
    await forged.text();
  });

  test("the page posts one message with the connection, which is committed by then, and lets no other script run", async () => {
    const { response, html, message } = await comeBack(await consent((await begin("hubspot", "one")).text));
    assert.equal(response.status, 200, html);
    assert.equal(message.eventType, "AUTHORIZATION_SUCCEEDED");
    assert.equal(html.match(/postMessage/g)?.length, 1);
    assert.match(
      response.headers.get("content-security-policy") ?? "",
      /default-src 'none'; script-src 'nonce-/,
    );
    assert.equal(response.headers.get("cross-origin-opener-policy"), null);
    const row = await on.inProject("GET", `/connections/${message.data.connection}?includeCreds=true`);
    assert.equal(row.status, 200, row.text);
    assert.equal(row.body.group.groupName, "one");
    assert.equal(row.body.authScheme, "oauth2/authorizationCode");
    assert.ok(row.body.oauth2AuthorizationCode.accessToken.expiresAt);
    assert.equal(row.body.oauth2AuthorizationCode.refreshToken, undefined);
  });

  test("Salesforce: workspace and consumer come from the token answer although none was entered", async () => {
    const { message } = await comeBack(await consent((await begin("salesforce", "one")).text));
    const row = await on.inProject("GET", `/connections/${message.data.connection}`);
    assert.equal(row.body.authScheme, "oauth2/authorizationCodePKCE");
    assert.equal(row.body.providerMetadata.workspace.source, "token");
    assert.equal(row.body.providerWorkspaceRef, new URL(on.sandbox.url).host);
    assert.match(row.body.providerConsumerRef, /\/id\//);
  });

  test("a state serves once", async () => {
    const back = await consent((await begin("hubspot", "twice")).text);
    assert.equal((await comeBack(back)).response.status, 200);
    const again = await comeBack(back);
    assert.equal(again.response.status, 400);
    assert.equal(again.message.eventType, "AUTHORIZATION_FAILED");
    assert.equal(again.message.data.error, again.message.message);
    assert.match(again.message.message, /expired or was used/);
  });

  test("a state is good for ten minutes, and only its digest is stored", async () => {
    const url = (await begin("hubspot", "late")).text;
    const client = new Client({ connectionString: on.connectionString });
    await client.connect();
    const { rows } = await client.query(
      "select oauth_sessions::text as text, expire_time - now() < interval '10 minutes' as soon from oauth_sessions where group_ref = 'late'",
    );
    assert.equal(rows[0].soon, true);
    assert.doesNotMatch(rows[0].text, new RegExp(new URL(url).searchParams.get("state") ?? "-"));
    await client.query("update oauth_sessions set expire_time = now() where group_ref = 'late'");
    await client.end();
    assert.equal((await comeBack(await consent(url))).message.eventType, "AUTHORIZATION_FAILED");
  });

  test("a denial is told with the provider's words, and nothing is stored", async () => {
    const { response, message } = await comeBack(
      await consent((await begin("hubspot", "denied")).text, "deny"),
    );
    assert.equal(response.status, 400);
    assert.match(message.message, /access_denied/);
    assert.deepEqual((await on.inProject("GET", "/connections?groupRef=denied")).body, []);
  });

  test("what a provider says cannot become markup or end the script", async () => {
    const state = new URL((await begin("hubspot", "evil")).text).searchParams.get("state");
    const origin = new URL(on.busbar.urls.base).origin;
    const evil = encodeURIComponent("</script><img src=x onerror=alert(1)>");
    const { html } = await comeBack(`${origin}/callbacks/v1/oauth?state=${state}&error=${evil}`);
    assert.doesNotMatch(html, /<img/);
    assert.equal(html.match(/<\/script>/g)?.length, 1);
  });

  test("connecting again keeps the connection's id, by oauth-connect and by oauth-update", async () => {
    const first = await comeBack(await consent((await begin("salesforce", "again")).text));
    const id = first.message.data.connection;
    const second = await comeBack(await consent((await begin("salesforce", "again")).text));
    assert.equal(second.message.data.connection, id);
    on.sandbox.salesforce.revokeTokens();
    const update = await on.inProject("PATCH", `/connections/${id}:oauth-update`);
    assert.equal(update.status, 200, update.text);
    const third = await comeBack(await consent(update.text));
    assert.equal(third.message.data.connection, id);
    const row = await on.inProject("GET", `/connections/${id}?refresh=force`);
    assert.equal(row.status, 200, row.text);
  });

  test("the project in the body is checked like one in the path", async () => {
    const other = await begin("hubspot", "acme", { projectIdOrName: "elsewhere" });
    assert.equal(other.status, 404);
    const older = await begin("hubspot", "acme", { projectIdOrName: undefined, projectId: on.projectId });
    assert.equal(older.status, 200, older.text);
    const none = await begin("hubspot", "acme", { projectIdOrName: undefined });
    assert.equal(none.status, 400);
    assert.equal(none.body.issues[0].name, "projectIdOrName");
    const keyless = await on.call("POST", "/v1/oauth-connect", {}, { "x-api-key": "" });
    assert.equal(keyless.status, 401);
  });

  test("what cannot be connected this way is refused with what to do", async () => {
    assert.match((await begin("nonsense", "acme")).body.detail, /no provider/);
    assert.match((await begin("openAI", "acme")).body.detail, /connections:generate/);
    assert.match((await begin("pipedrive", "acme")).body.detail, /no provider app/);
  });
});

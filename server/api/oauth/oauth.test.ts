/** Connecting by consent through a real Busbar and the sandbox's consent pages. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openConsentBrowser, type Seen } from "../../../tests/harness/consent.ts";
import { createLog } from "../../../ground/log.ts";
import { openTestBusbar, type Answer, type TestBusbar } from "../../../tests/harness/busbar.ts";

describe("connecting by consent", () => {
  let busbar: TestBusbar;
  const lines: string[] = [];
  after(() => busbar.stop());
  before(async () => {
    busbar = await openTestBusbar({ log: createLog("info", { write: (line) => void lines.push(line) }) });
    await busbar.inProject("PATCH", "", { updateMask: ["appName"], project: { appName: "Widgets" } });
    for (const provider of ["hubspot", "salesforce"]) {
      const app = await busbar.inProject("POST", "/provider-apps", {
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
    busbar.call("POST", "/v1/oauth-connect", {
      projectIdOrName: "default",
      provider,
      groupRef,
      consumerRef: "ada",
      ...more,
    });
  /** What the browser of one customer does: it continues, agrees (or denies) at the provider and comes back. */
  const consent = async (begun: Answer, decision?: "allow" | "deny"): Promise<Seen> => {
    assert.equal(begun.status, 200, begun.text);
    return openConsentBrowser().consent(begun.text, decision);
  };
  const consents = async (groupRef: string) =>
    (await busbar.inProject("GET", `/consents?groupRef=${groupRef}`)).body.results;
  const origin = () => new URL(busbar.server.urls.base).origin;
  const change = async (statement: string) => {
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    const { rows } = await client.query(statement);
    await client.end();
    return rows;
  };

  test("HubSpot: the address carries scopes, a challenge and a state that the app's own parameters cannot replace", async () => {
    const begun = await begin("hubspot", "acme");
    assert.match(begun.headers.get("content-type") ?? "", /^text\/plain/);
    const url = new URL(await openConsentBrowser().leave(begun.text));
    assert.equal(url.searchParams.get("scope"), "oauth crm.objects.contacts.read");
    assert.equal(url.searchParams.get("optional_scope"), "tickets automation");
    assert.equal(url.searchParams.get("code_challenge_method"), "S256");
    assert.notEqual(url.searchParams.get("state"), "forged");
    assert.equal(url.searchParams.get("redirect_uri"), `${origin()}/callbacks/v1/oauth`);
  });

  test("before the provider's page a page of ours names application, account, group and person, by oauth-connect and oauth-update", async () => {
    const names = { groupName: "Acme & Söhne", consumerName: "Ada <Lovelace>" };
    const begun = await begin("hubspot", "named", names);
    assert.ok(begun.text.startsWith(`${origin()}/callbacks/v1/oauth/begin?consent=`), begun.text);
    const browser = openConsentBrowser();
    const page = await browser.open(begun.text);
    assert.equal(page.status, 200);
    for (const name of ["Widgets", "HubSpot", "Acme &#38; Söhne (named)", "Ada &#60;Lovelace&#62; (ada)"]) {
      assert.ok(page.html.includes(name), `${name}: ${page.html}`);
    }
    assert.equal(page.message, undefined, "the published UI library closes the window at any message");
    assert.equal(page.headers.get("cross-origin-opener-policy"), null);
    assert.match(page.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    const { message } = await browser.consent(begun.text);
    const update = await busbar.inProject("PATCH", `/connections/${message?.data.connection}:oauth-update`);
    const again = await openConsentBrowser().open(update.text);
    assert.ok(again.html.includes("Acme &#38; Söhne (named)"), again.html);
  });

  test("nobody leaves for the provider without that page: a form that another site sends changes nothing", async () => {
    const { text: url } = await begin("hubspot", "forged");
    const victim = openConsentBrowser();
    await victim.open(url);
    const attacker = openConsentBrowser();
    const { html } = await attacker.open(url);
    const proof = /name="proof" value="([^"]+)"/.exec(html)?.[1] ?? "";
    for (const [fields, headers] of [
      [{ proof }, {}],
      [{ proof: "" }, {}],
      [{}, { "sec-fetch-site": "cross-site" }],
      [{}, { "sec-fetch-site": "same-site" }],
    ] as const) {
      await victim.open(url);
      const sent = await victim.send({ decision: "continue", ...fields }, headers);
      assert.equal(sent.status, 400, sent.html);
    }
    const consent = new URL(url).searchParams.get("consent") ?? "";
    const bare = await fetch(`${origin()}/callbacks/v1/oauth/begin`, {
      method: "POST",
      body: new URLSearchParams({ consent, proof, decision: "continue" }),
    });
    assert.equal(bare.status, 400, "without the cookie");
    assert.match(await bare.text(), /Allow cookies/);
    assert.equal((await consents("forged"))[0].leaveTime, undefined);
    await victim.consent(url);
    assert.equal((await consents("forged"))[0].status, "succeeded");
  });

  test("a consent ends in the browser that continued, and in no other", async () => {
    const { text: url } = await begin("hubspot", "tied");
    assert.equal(url.includes("state="), false, "the state is for that browser only");
    const [first, second] = [openConsentBrowser(), openConsentBrowser()];
    // A preview of the link in a chat must not use it up.
    await openConsentBrowser().open(url);
    await second.open(url);
    const leaving = await first.leave(url);
    const cookie = /^busbar_consent_[0-9a-f]{32}=/;
    assert.match(first.cookies(), cookie);
    const late = await second.send({ decision: "continue" });
    assert.equal(late.status, 400);
    assert.match((await second.open(url)).html, /another browser/);
    const back = await first.decide(leaving);
    const refused = await second.open(back);
    assert.equal(refused.status, 400);
    assert.match(refused.message?.data.error ?? "", /another browser/);
    assert.doesNotMatch(refused.html, /Try again/);
    assert.equal((await first.open(back)).status, 400, "the state was used");
    assert.deepEqual((await busbar.inProject("GET", "/connections?groupRef=tied")).body, []);
    assert.equal((await consents("tied"))[0].reason, "other-browser");

    const { headers } = await openConsentBrowser().open((await begin("hubspot", "tied")).text);
    assert.match(
      headers.get("set-cookie") ?? "",
      /; Path=\/callbacks\/v1\/oauth; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    );
  });

  test("who goes back may continue again, and only the newest state counts", async () => {
    const { text: url } = await begin("hubspot", "back");
    const browser = openConsentBrowser();
    const first = await browser.leave(url);
    const second = await browser.leave(url);
    assert.equal((await browser.open(await browser.decide(first))).status, 400);
    assert.equal((await browser.open(await browser.decide(second))).status, 200);
    const used = await browser.open(url);
    assert.equal(used.status, 400);
    assert.match(used.html, /<h1>Connected already</);
    assert.equal(used.message, undefined);
  });

  test("the page posts one message with the connection, which is committed by then, and lets no other script run", async () => {
    const { status, headers, html, message } = await consent(await begin("hubspot", "one"));
    assert.equal(status, 200, html);
    assert.equal(message?.eventType, "AUTHORIZATION_SUCCEEDED");
    assert.equal(html.match(/postMessage/g)?.length, 1);
    assert.match(html, /Widgets is now connected to HubSpot/);
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'; script-src 'nonce-/);
    assert.equal(headers.get("cross-origin-opener-policy"), null);
    const row = await busbar.inProject("GET", `/connections/${message?.data.connection}?includeCreds=true`);
    assert.equal(row.status, 200, row.text);
    assert.equal(row.body.group.groupName, "one");
    assert.equal(row.body.authScheme, "oauth2/authorizationCode");
    assert.ok(row.body.oauth2AuthorizationCode.accessToken.expiresAt);
    assert.equal(row.body.oauth2AuthorizationCode.refreshToken, undefined);
    const [listed] = await consents("one");
    assert.deepEqual([listed.status, listed.connectionId], ["succeeded", message?.data.connection]);
  });

  test("Salesforce: workspace and consumer come from the token answer although none was entered", async () => {
    const { message } = await consent(await begin("salesforce", "one"));
    const row = await busbar.inProject("GET", `/connections/${message?.data.connection}`);
    assert.equal(row.body.authScheme, "oauth2/authorizationCodePKCE");
    assert.equal(row.body.providerMetadata.workspace.source, "token");
    assert.equal(row.body.providerWorkspaceRef, new URL(busbar.sandbox.url).host);
    assert.match(row.body.providerConsumerRef, /\/id\//);
  });

  test("a state serves once", async () => {
    const browser = openConsentBrowser();
    const back = await browser.decide(await browser.leave((await begin("hubspot", "twice")).text));
    assert.equal((await browser.open(back)).status, 200);
    const again = await browser.open(back);
    assert.equal(again.status, 400);
    assert.equal(again.message?.eventType, "AUTHORIZATION_FAILED");
    assert.equal(again.message?.data.error, again.message?.message);
    assert.match(again.message?.message ?? "", /expired or was used/);
    assert.equal((await consents("twice"))[0].status, "succeeded");
  });

  test("address and state are good for ten minutes each, and only digests of them are stored", async () => {
    const { text: url } = await begin("hubspot", "late");
    const browser = openConsentBrowser();
    const away = await browser.leave(url);
    const [row] = await change(
      "select consents::text as text, expire_time - now() < interval '10 minutes' as soon from consents where group_ref = 'late'",
    );
    assert.equal(row.soon, true);
    for (const [address, name] of [
      [url, "consent"],
      [away, "state"],
    ] as const) {
      assert.doesNotMatch(row.text, new RegExp(new URL(address).searchParams.get(name) ?? "-"));
    }
    const expire = "update consents set expire_time = now() where group_ref = 'late'";
    await change(expire);
    assert.match((await browser.open(url)).html, /has expired/);
    assert.equal((await consents("late"))[0].status, "expired");
    const late = await browser.open(await browser.decide(away));
    assert.equal(late.message?.eventType, "AUTHORIZATION_FAILED");
    assert.match(late.html, /took too long[^]*Try again/);
    assert.equal((await consents("late"))[0].reason, "late");
  });

  test("a customer who declines is told so with Try again; the builder finds it in the list", async () => {
    const browser = openConsentBrowser();
    const declined = await browser.consent((await begin("hubspot", "denied")).text, "deny");
    assert.equal(declined.status, 400);
    assert.equal(declined.message?.message, "Access to HubSpot was declined, and nothing was connected.");
    assert.deepEqual((await busbar.inProject("GET", "/connections?groupRef=denied")).body, []);
    const [{ id, status, reason, message, detail, openTime, leaveTime, endTime }] = await consents("denied");
    assert.deepEqual([status, reason, message], ["failed", "declined", declined.message?.message]);
    assert.equal(detail, "access_denied: end-user denied authorization");
    assert.ok(openTime && leaveTime && endTime);
    assert.ok(declined.html.includes(`Reference: ${id}`));

    const away = await browser.send();
    assert.equal(away.status, 303, away.html);
    assert.equal((await consents("denied"))[0].status, "pending");
    const done = await browser.open(await browser.decide(away.headers.get("location") ?? ""));
    assert.equal(done.status, 200, done.html);
    const listed = await consents("denied");
    assert.deepEqual([listed.length, listed[0].status, listed[0].reason], [1, "succeeded", undefined]);
  });

  test("only the browser of a failed consent can try again, with the proof of its page, within an hour", async () => {
    const browser = openConsentBrowser();
    await browser.consent((await begin("hubspot", "retried")).text, "deny");
    const [{ id }] = await consents("retried");
    const stranger = openConsentBrowser();
    await stranger.open((await begin("hubspot", "stranger")).text);
    const url = `${origin()}/callbacks/v1/oauth/retry`;
    for (const headers of [{}, { cookie: stranger.cookies() }, { cookie: browser.cookies() }]) {
      const body = new URLSearchParams({ consent: id, proof: "guessed" });
      const sent = await fetch(url, { method: "POST", body, headers });
      assert.equal(sent.status, 400, await sent.text());
    }
    await change("update consents set create_time = now() - interval '1 hour' where group_ref = 'retried'");
    assert.equal((await browser.send()).status, 400);
  });

  test("a customer who cancels before the provider's page is not connected, and the address ends", async () => {
    const { text: url } = await begin("hubspot", "cancelled");
    const browser = openConsentBrowser();
    await browser.open(url);
    const cancelled = await browser.send({ decision: "cancel" });
    assert.equal(cancelled.status, 400);
    assert.match(cancelled.message?.data.error ?? "", /You cancelled/);
    assert.match((await browser.open(url)).html, /You cancelled/);
    assert.equal((await consents("cancelled"))[0].reason, "cancelled");
  });

  test("a fault of the provider app is told to the builder, in the log and in the list, and not to the customer", async () => {
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/oauth/2026-03/token",
      status: 400,
      body: { error: "invalid_client", error_description: "missing or invalid client secret" },
    });
    const { html, message } = await consent(await begin("hubspot", "broken"));
    assert.match(message?.data.error ?? "", /^Widgets is not set up correctly for HubSpot/);
    for (const internal of ["invalid_client", "client secret", new URL(busbar.sandbox.url).host]) {
      assert.equal(html.includes(internal), false, internal);
    }
    assert.doesNotMatch(html, /Try again/);
    const [{ id, reason, detail, retryable }] = await consents("broken");
    assert.deepEqual([reason, retryable], ["provider-app", false]);
    const logged = lines.map((line) => JSON.parse(line)).filter(({ consentId }) => consentId === id);
    assert.deepEqual(
      logged.map((line) => [line.level, line.msg, line.reason, line.detail, line.projectId]),
      [["warn", "a consent failed", reason, detail, busbar.projectId]],
    );
    for (const line of lines)
      assert.equal(line.includes("broken"), false, "names of customers stay out of the log");
    assert.match(detail, /answered 400 \(invalid_client: missing or invalid client secret\)/);
  });

  test("consents are listed by status, provider and page, newest first, and not to browsers", async () => {
    for (const groupRef of ["l1", "l2", "l3"]) await begin("salesforce", groupRef);
    const path = "/consents?provider=salesforce&status=pending&pageSize=2";
    const first = (await busbar.inProject("GET", path)).body;
    assert.deepEqual(
      first.results.map(({ groupRef }: { groupRef: string }) => groupRef),
      ["l3", "l2"],
    );
    const next = (await busbar.inProject("GET", `${path}&pageToken=${first.pagination.nextPageToken}`)).body;
    assert.equal(next.results[0].groupRef, "l1");
    assert.equal(
      (await busbar.inProject("GET", "/consents?status=failed&groupRef=l1")).body.results.length,
      0,
    );
    const { key } = (await busbar.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] }))
      .body;
    const browser = await busbar.call("GET", "/v1/projects/default/consents", undefined, {
      "x-api-key": key,
    });
    assert.equal(browser.status, 403);
  });

  test("what a provider says is never shown, and names cannot become markup or end the script", async () => {
    const evil = "</script><img src=x onerror=alert(1)>";
    const browser = openConsentBrowser();
    const { text: url } = await begin("hubspot", "evil", { groupName: evil });
    assert.doesNotMatch((await browser.open(url)).html, /<img/);
    const state = new URL(await browser.leave(url)).searchParams.get("state");
    const back = `${origin()}/callbacks/v1/oauth?state=${state}&error=${encodeURIComponent(evil)}`;
    const { html } = await browser.open(back);
    assert.doesNotMatch(html, /img src/);
    assert.equal(html.match(/<\/script>/g)?.length, 1);
    assert.equal((await consents("evil"))[0].detail, evil);
  });

  test("connecting again keeps the connection's id, by oauth-connect and by oauth-update", async () => {
    const first = await consent(await begin("salesforce", "again"));
    const id = first.message?.data.connection;
    const second = await consent(await begin("salesforce", "again"));
    assert.equal(second.message?.data.connection, id);
    busbar.sandbox.salesforce.revokeTokens();
    const third = await consent(await busbar.inProject("PATCH", `/connections/${id}:oauth-update`));
    assert.equal(third.message?.data.connection, id);
    const row = await busbar.inProject("GET", `/connections/${id}?refresh=force`);
    assert.equal(row.status, 200, row.text);
  });

  test("the project in the body is checked like one in the path", async () => {
    const other = await begin("hubspot", "acme", { projectIdOrName: "elsewhere" });
    assert.equal(other.status, 404);
    const older = await begin("hubspot", "acme", { projectIdOrName: undefined, projectId: busbar.projectId });
    assert.equal(older.status, 200, older.text);
    const none = await begin("hubspot", "acme", { projectIdOrName: undefined });
    assert.equal(none.status, 400);
    assert.equal(none.body.issues[0].name, "projectIdOrName");
    const keyless = await busbar.call("POST", "/v1/oauth-connect", {}, { "x-api-key": "" });
    assert.equal(keyless.status, 401);
  });

  test("what cannot be connected this way is refused with what to do", async () => {
    assert.match((await begin("nonsense", "acme")).body.detail, /no provider/);
    assert.match((await begin("openAI", "acme")).body.detail, /connections:generate/);
    assert.match((await begin("pipedrive", "acme")).body.detail, /no provider app/);
  });
});

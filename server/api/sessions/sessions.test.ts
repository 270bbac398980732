/** Sessions through the API: bearer tokens, and the cookie of a browser. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../../../tests/harness/busbar.ts";
import { addPerson, signIn } from "../../../tests/harness/people.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";

type Headers = Record<string, string>;
const OWN_PAGE = { "sec-fetch-site": "same-origin" };

const busbar = await shareTestBusbar();
await addWebhook(busbar, "hook", "https://example.com/hook");

describe("sessions", () => {
  const create = (body: object, headers: Headers = {}) =>
    busbar.call("POST", "/v1/sessions", body, { "x-api-key": "", ...headers });
  /** Returns the headers with which a browser sends its cookie from a page of ours. */
  const signInBrowser = async (apiKey = busbar.apiKey, more: Headers = {}): Promise<Headers> => {
    const { status, headers, text } = await create({ apiKey, cookie: true }, { ...OWN_PAGE, ...more });
    assert.equal(status, 201, text);
    const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";");
    return { "x-api-key": "", cookie, ...OWN_PAGE };
  };
  const current = (headers: Headers) => busbar.call("GET", "/v1/sessions/current", undefined, headers);
  const list = async (headers: Headers) =>
    (await busbar.call("GET", "/v1/sessions", undefined, headers)).body;
  const me = (headers: Headers) => busbar.call("GET", "/v1/my-info", undefined, headers);
  const end = (which: string, headers: Headers): Promise<Answer> =>
    busbar.call("DELETE", `/v1/sessions/${which}`, undefined, headers);

  test("a session opens what its person may, until it is deleted", async () => {
    const { status, body } = await create({ apiKey: busbar.apiKey });
    assert.equal(status, 201);
    const headers = { "x-api-key": "", authorization: `Bearer ${body.token}` };
    assert.equal((await me(headers)).body.builder.id, body.builderId);
    assert.equal((await current(headers)).body.id, body.id);
    assert.equal((await end("current", headers)).status, 204);
    assert.equal((await me(headers)).status, 401);
    assert.equal((await current(headers)).status, 401);
  });

  test("an unknown key is refused with 401, an empty one with its place", async () => {
    assert.equal((await create({ apiKey: "bb_nonsense" })).status, 401);
    const empty = await create({ apiKey: "" });
    assert.deepEqual([empty.status, empty.body.issues[0].name], [400, "apiKey"]);
  });

  test("a browser gets the session as a cookie that scripts cannot read, and no token", async () => {
    const answer = await create({ apiKey: busbar.apiKey, cookie: true }, OWN_PAGE);
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(Object.keys(answer.body).toSorted(), ["builderId", "expireTime", "id"]);
    assert.match(
      answer.headers.get("set-cookie") ?? "",
      /^busbar_session=bbs_[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
  });

  test("the cookie counts for pages of this server only, for every method", async () => {
    const { cookie = "" } = await signInBrowser();
    const { origin } = new URL(busbar.server.urls.base);
    const send = (method: string, path: string, more: Headers) =>
      busbar.call(method, path, undefined, { "x-api-key": "", cookie, ...more });
    const rotate = "/v1/projects/default/destinations/hook?rotate=true&includeSecrets=true";
    const before = (await send("GET", rotate.replace("rotate=true&", ""), OWN_PAGE)).body.secrets;
    const foreign: Headers[] = [
      {},
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: origin.replace(/\d+$/, "1") },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "same-site", origin },
    ];
    for (const more of foreign) {
      for (const [method, path] of [
        ["GET", "/v1/my-info"],
        ["GET", rotate],
        ["DELETE", "/v1/projects/default/destinations/hook"],
      ] as const) {
        const answer = await send(method, path, more);
        assert.equal(answer.status, 401, `${method} ${path} ${JSON.stringify(more)}: ${answer.text}`);
      }
      const nobody = await current({ "x-api-key": "", cookie, ...more });
      assert.deepEqual([nobody.status, nobody.text], [204, ""]);
      const refused = await create({ apiKey: busbar.apiKey, cookie: true }, more);
      assert.deepEqual([refused.status, refused.headers.get("set-cookie")], [403, null], refused.text);
    }
    for (const more of [OWN_PAGE, { origin }, { ...OWN_PAGE, origin: "https://evil.example" }]) {
      assert.equal((await send("GET", "/v1/my-info", more)).status, 200, JSON.stringify(more));
    }
    const after = await send("GET", rotate.replace("rotate=true&", ""), OWN_PAGE);
    assert.deepEqual(after.body.secrets, before);
  });

  test("a key or a bearer comes first, even when it is wrong, and a cookie's token is no bearer", async () => {
    const browser = await signInBrowser();
    assert.equal((await me({ ...browser, "x-api-key": "bb_wrong" })).status, 401);
    assert.equal((await me({ ...browser, "x-api-key": busbar.apiKey })).status, 403, "the key is no person");
    for (const authorization of ["Bearer bbs_wrong", "Basic eDp5", "nonsense"]) {
      assert.equal((await me({ ...browser, authorization })).status, 401, authorization);
    }
    const token = browser["cookie"]?.split("=")[1] ?? "";
    assert.equal((await me({ "x-api-key": "", authorization: `Bearer ${token}` })).status, 401);
    const bearer = (await create({ apiKey: busbar.apiKey })).body.token;
    assert.equal((await me({ ...browser, cookie: `busbar_session=${bearer}` })).status, 401);
  });

  test("the current session is 200, and 204 when nobody is signed in", async () => {
    const browser = await signInBrowser();
    const shown = await current(browser);
    assert.deepEqual([shown.status, shown.body.kind], [200, "cookie"], shown.text);
    assert.equal(shown.body.builderId, busbar.server.bootstrap?.builderId);
    for (const nobody of [
      { "x-api-key": "" },
      { "x-api-key": "", ...OWN_PAGE },
      { "x-api-key": "", ...OWN_PAGE, cookie: "busbar_session=bbs_gone" },
      { ...browser, "x-api-key": busbar.apiKey },
    ]) {
      assert.equal((await current(nobody)).status, 204, JSON.stringify(nobody));
    }
    assert.equal((await current({ "x-api-key": "", authorization: "Bearer bbs_gone" })).status, 401);
  });

  test("signing out removes the cookie, and a person ends their own sessions only", async () => {
    const { apiKey } = await addPerson(busbar, "viewer");
    const mine = await signInBrowser(apiKey, { "user-agent": "Browser/1.0" });
    const other = await signIn(busbar, apiKey);
    const stranger = await signInBrowser();
    const listed = await list(mine);
    const [own] = listed.filter((row: { current: boolean }) => row.current);
    assert.deepEqual([own.kind, own.userAgent], ["cookie", "Browser/1.0"]);
    assert.equal((await end(own.id, stranger)).status, 404, "another person's session");
    assert.equal((await end("nonsense", mine)).status, 404);
    // That of `addPerson`.
    const token = listed.findLast((row: { kind: string }) => row.kind === "token");
    const ended = await end(token.id, mine);
    assert.deepEqual([ended.status, ended.headers.get("set-cookie")], [204, null]);
    const out = await end("current", mine);
    assert.equal(out.status, 204);
    assert.match(
      out.headers.get("set-cookie") ?? "",
      /^busbar_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/,
    );
    assert.equal((await me(mine)).status, 401);
    assert.equal((await me(other)).status, 200);
    assert.equal((await me(stranger)).status, 200);
  });

  test("all other sessions of a person end at once, and nobody else's", async () => {
    const { apiKey, headers: first } = await addPerson(busbar, "viewer");
    const [mine, second, stranger] = [
      await signInBrowser(apiKey),
      await signIn(busbar, apiKey),
      await signIn(busbar),
    ];
    assert.equal((await list(mine)).length, 3);
    assert.equal((await end("others", mine)).status, 204);
    assert.equal((await list(mine)).length, 1);
    assert.deepEqual([(await me(first)).status, (await me(second)).status], [401, 401]);
    assert.deepEqual([(await me(mine)).status, (await me(stranger)).status], [200, 200]);
  });

  test("the ways to sign in say where the first key lies, and not the key", async () => {
    const { status, body, text } = await busbar.call("GET", "/v1/sign-in-ways", undefined, {
      "x-api-key": "",
    });
    assert.deepEqual([status, body.ways], [200, [{ type: "apiKey" }]]);
    assert.match(body.firstKey, /bootstrap\.json/);
    assert.equal(text.includes(busbar.apiKey), false);
  });

  test("the proxy takes no cookie", async () => {
    const { cookie = "" } = await signInBrowser();
    const { status } = await fetch(`${busbar.server.urls.proxy}/crm/v3/objects/contacts`, {
      headers: {
        cookie,
        ...OWN_PAGE,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": busbar.projectId,
        "x-amp-integration-name": "hs",
        "x-amp-group-ref": "acme",
      },
    });
    assert.equal(status, 401);
  });
});

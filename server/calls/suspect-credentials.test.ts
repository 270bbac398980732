/** What a provider's 401 does to connections whose credentials cannot be refreshed, through a real Busbar. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, mock, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { until } from "../../tests/harness/until.ts";
import { createLog } from "../../ground/log.ts";
import type { Database } from "../store/database/database.ts";
import { openDatabase } from "../store/database/open-database.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - { name: checked, provider: checked, proxy: { enabled: true } }
  - { name: odd, provider: odd, proxy: { enabled: true } }
  - { name: unchecked, provider: unchecked, proxy: { enabled: true } }
  - { name: tokens, provider: tokens, proxy: { enabled: true } }
  - { name: x-described, provider: x-described, proxy: { enabled: true } }
`;

const SIGN_IN = "<!DOCTYPE html><html><title>Sign in to the network</title></html>";

describe("credentials that a provider refuses", () => {
  /** Keys that the provider takes. */
  const valid = new Set<string>();
  const calls: string[] = [];
  /** What the health check of `odd` answers with its 403. */
  let oddRefusal = "";
  /** Something in between wants a sign-in of its own. */
  let isPortal = false;
  let server: Server;
  let busbar: TestBusbar;
  let database: Database;
  after(async () => {
    await database.close();
    await busbar.stop();
    await new Promise((resolve) => server.close(resolve));
  });
  before(async () => {
    server = createServer((request, response) => {
      const { url = "", headers } = request;
      calls.push(url);
      if (url === "/token") {
        valid.add("new-token");
        const body = { access_token: "new-token", refresh_token: "r2", expires_in: 3_600 };
        return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      }
      const key = (headers.authorization ?? "").replace("Bearer ", "");
      if (isPortal) return response.writeHead(401, { "content-type": "text/html" }).end(SIGN_IN);
      if (url === "/odd-me") return response.writeHead(403).end(oddRefusal);
      response.writeHead(valid.has(key) && url !== "/odd" ? 200 : 401).end(url === "/parts" ? "[]" : "{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const keyed = {
      authType: "apiKey",
      baseURL: url,
      support: { proxy: true },
      apiKeyOpts: { attachmentType: "header", header: { name: "Authorization", valuePrefix: "Bearer " } },
    };
    busbar = await openTestBusbar({
      providers: {
        checked: { ...keyed, authHealthCheck: { url: `${url}/me`, successStatusCodes: [200] } },
        odd: {
          ...keyed,
          authHealthCheck: {
            url: `${url}/odd-me`,
            successStatusCodes: [200],
            refusals: [{ status: 403, text: "Bad_OAuth_Token" }],
          },
        },
        unchecked: keyed,
        tokens: {
          authType: "oauth2",
          baseURL: url,
          support: { proxy: true },
          oauth2Opts: {
            grantType: "authorizationCode",
            authURL: `${url}/authorize`,
            tokenURL: `${url}/token`,
          },
        },
      },
    });
    database = await openDatabase({ connectionString: busbar.connectionString, log: createLog("silent") });
    const described = await busbar.inProject("PUT", "/providers/x-described", {
      displayName: "Described",
      authType: "apiKey",
      baseURL: url,
      apiKeyOpts: keyed.apiKeyOpts,
      connector: {
        defaults: { paging: { link: true } },
        objects: { parts: { modes: ["read"], list: { path: "/parts" } } },
        errors: { message: ["error"] },
        sources: { documentation: "https://docs.example", checked: "2026-11-29, tests" },
      },
    });
    assert.ok(described.status < 300, described.text);
    assert.equal(
      (await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST })).status,
      200,
    );
  });

  interface Customer {
    id: string;
    installation: string;
    /** Through the proxy of another process where its address is given. */
    call(path?: string, proxy?: string): Promise<number>;
    status(): Promise<string>;
    health(): Promise<string>;
    errors(): Promise<number>;
  }

  async function customer(provider: string, groupRef: string, credentials: object): Promise<Customer> {
    const made = await busbar.inProject("POST", "/connections:generate", {
      provider,
      groupRef,
      consumerRef: "ada",
      ...credentials,
    });
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    const base = `/integrations/${provider}/installations`;
    const config = { content: { provider } };
    const installed = await busbar.inProject("POST", base, { groupRef, config });
    assert.equal(installed.status, 201, installed.text);
    return {
      id,
      installation: installed.body.id,
      async call(path = "/things", proxy = busbar.server.urls.proxy) {
        const answer = await fetch(`${proxy}${path}`, {
          headers: {
            "x-api-key": busbar.apiKey,
            "x-amp-proxy-version": "1",
            "x-amp-project-id": busbar.projectId,
            "x-amp-installation-id": installed.body.id,
          },
        });
        await answer.text();
        return answer.status;
      },
      status: async () => (await busbar.inProject("GET", `/connections/${id}`)).body.status,
      health: async () => (await busbar.inProject("GET", `${base}/${installed.body.id}`)).body.healthStatus,
      async errors() {
        const { rows } = await database.pool.query(
          "select count(*)::int as count from events where type = 'connection.error' and row_to_json(events)::text like $1",
          [`%${id}%`],
        );
        return rows[0].count;
      },
    };
  }
  /** Returns whether the database has it, so that a jump of the clock does not overtake work in the background. */
  const isSuspect = async ({ id }: Customer): Promise<boolean> => {
    const found = await database.pool.query("select 1 from connection_doubts where connection_id = $1", [id]);
    return found.rowCount === 1;
  };
  const key = (groupRef: string) => {
    const apiKey = `key-of-${groupRef}`;
    valid.add(apiKey);
    return { apiKey };
  };

  test("the first successful call makes a new connection `working`", async () => {
    const acme = await customer("unchecked", "works", key("works"));
    assert.equal(await acme.call(), 200);
    await until(async () => (await acme.status()) === "working");
  });

  test("one endpoint that answers 401 does not mark a connection whose health check succeeds", async () => {
    const acme = await customer("checked", "odd", key("odd"));
    for (let tries = 0; tries < 4; tries += 1) assert.equal(await acme.call("/odd"), 401);
    await until(async () => calls.includes("/me"));
    assert.equal(await acme.call(), 200);
    await until(async () => (await acme.status()) === "working");
    assert.equal(
      calls.filter((path) => path === "/me").length,
      2,
      "asked when the key was stored and after a refusal; it rests after it was fine",
    );
    assert.equal(await acme.errors(), 0);
  });

  test("refused by its health check too, a connection is bad until its key is replaced", async () => {
    const acme = await customer("checked", "off", key("off"));
    assert.equal(await acme.call(), 200);
    valid.delete("key-of-off");
    await Promise.all(Array.from({ length: 8 }, () => acme.call()));
    await until(async () => (await acme.status()) === "bad_credentials");
    assert.equal(await acme.health(), "unhealthy");
    await until(async () => (await acme.errors()) === 1);
    valid.add("another-key");
    const change = { updateMask: ["apiKey"], connection: { apiKey: "another-key" } };
    const updated = await busbar.inProject("PATCH", `/connections/${acme.id}`, change);
    assert.deepEqual([updated.body.status, updated.body.verified], ["working", true], updated.text);
    assert.equal(await acme.call(), 200);
    await until(async () => (await acme.status()) === "working");
    assert.equal(await acme.health(), "healthy");
  });

  test("a sign-in page of something in between says nothing about a key, whatever its status is", async () => {
    const acme = await customer("checked", "portal", key("portal"));
    assert.equal(await acme.call(), 200);
    await until(async () => (await acme.status()) === "working");
    const asked = calls.filter((path) => path === "/me").length;
    isPortal = true;
    assert.equal(await acme.call(), 401);
    await until(() => calls.filter((path) => path === "/me").length > asked);
    await until(() => isSuspect(acme));
    isPortal = false;
    assert.equal(await acme.status(), "working");
    assert.equal(await acme.call(), 200);
    assert.equal(await acme.errors(), 0);
  });

  test("a health check that refuses by another status than 401 counts where the catalog names its answer", async () => {
    const acme = await customer("odd", "forbidden", { apiKey: "dead-key" });
    oddRefusal = "No permission";
    assert.equal(await acme.call(), 401);
    await until(() => calls.includes("/odd-me"));
    assert.notEqual(await acme.status(), "bad_credentials", "another 403 says nothing about the key");
    const other = await customer("odd", "dead", { apiKey: "other-dead-key" });
    oddRefusal = "Bad_OAuth_Token";
    assert.equal(await other.call(), 401);
    await until(async () => (await other.status()) === "bad_credentials");
    await until(async () => (await other.errors()) === 1);
  });

  test("without a health check it takes three refusals in a row over ten minutes, and one success heals", async (t) => {
    const acme = await customer("unchecked", "slow", key("slow"));
    assert.equal(await acme.call(), 200);
    await until(async () => (await acme.status()) === "working");
    const laterMs = { by: 0 };
    const now = Date.now.bind(Date);
    t.mock.method(Date, "now", () => now() + laterMs.by);
    for (let tries = 0; tries < 5; tries += 1) await acme.call("/odd");
    await until(() => isSuspect(acme));
    laterMs.by += 11 * 60_000;
    assert.equal(await acme.call(), 200, "a success starts the count anew");
    await until(async () => (await acme.call()) === 200 && !(await isSuspect(acme)));
    for (let tries = 0; tries < 5; tries += 1) await acme.call("/odd");
    await until(() => isSuspect(acme));
    assert.equal(await acme.status(), "working", "a moment's trouble ends nothing");
    laterMs.by += 11 * 60_000;
    await acme.call("/odd");
    await until(async () => (await acme.status()) === "bad_credentials");
    await until(async () => (await acme.errors()) === 1);
    assert.equal(await acme.call(), 200);
    await until(async () => (await acme.status()) === "working");

    await until(async () => (await acme.call("/odd")) === 401 && (await isSuspect(acme)));
    laterMs.by += 11 * 60_000;
    for (let tries = 0; tries < 3; tries += 1) await acme.call("/odd");
    assert.equal(
      await acme.status(),
      "working",
      "refused by one address alone, it is not bad each ten minutes",
    );
    laterMs.by += 10 * 60_000;
    await acme.call("/odd");
    await until(async () => (await acme.status()) === "bad_credentials");
    const change = { updateMask: ["apiKey"], connection: key("the-next") };
    assert.equal((await busbar.inProject("PATCH", `/connections/${acme.id}`, change)).status, 200);
    assert.equal(await acme.call(), 200);
    await until(async () => (await acme.status()) === "working");
    assert.equal(await acme.call("/odd"), 401);
    await until(() => isSuspect(acme));
    assert.equal(
      await acme.status(),
      "working",
      "what was held against the old key does not count for the new one",
    );
    mock.restoreAll();
  });

  test("without a health check, the cheapest read of its description tells that only one address refuses", async (t) => {
    const acme = await customer("x-described", "one-address", key("one-address"));
    assert.equal(await acme.status(), "working");
    const laterMs = { by: 0 };
    const now = Date.now.bind(Date);
    t.mock.method(Date, "now", () => now() + laterMs.by);
    for (let round = 0; round < 3; round += 1) {
      for (let tries = 0; tries < 3; tries += 1) assert.equal(await acme.call("/odd"), 401);
      await until(() => isSuspect(acme));
      laterMs.by += 11 * 60_000;
      const before = calls.filter((path) => path.startsWith("/parts")).length;
      assert.equal(await acme.call("/odd"), 401);
      await until(() => calls.filter((path) => path.startsWith("/parts")).length > before);
      await until(async () => !(await isSuspect(acme)));
      assert.equal(await acme.status(), "working");
      // A suspicion is stored once a minute.
      laterMs.by += 2 * 60_000;
    }
    assert.equal(await acme.errors(), 0);
    // Now the key is withdrawn: the read is refused, too.
    for (let tries = 0; tries < 3; tries += 1) await acme.call("/odd");
    await until(() => isSuspect(acme));
    valid.delete("key-of-one-address");
    laterMs.by += 11 * 60_000;
    await acme.call("/odd");
    await until(async () => (await acme.status()) === "bad_credentials");
    mock.restoreAll();
  });

  test("no process marks a connection whose calls succeed through another process", async (t) => {
    const { urls } = await busbar.sibling();
    const acme = await customer("unchecked", "many", key("many"));
    const laterMs = { by: 0 };
    const now = Date.now.bind(Date);
    t.mock.method(Date, "now", () => now() + laterMs.by);
    assert.equal(await acme.call("/things", urls.proxy), 200);
    await until(async () => (await acme.status()) === "working");
    for (let round = 0; round < 3; round += 1) {
      for (let tries = 0; tries < 4; tries += 1) await acme.call("/odd");
      await until(() => isSuspect(acme));
      await until(async () => (await acme.call("/things", urls.proxy)) === 200 && !(await isSuspect(acme)));
      laterMs.by += 11 * 60_000;
    }
    for (let tries = 0; tries < 4; tries += 1) await acme.call("/odd");
    await until(() => isSuspect(acme));
    assert.equal(await acme.status(), "working");
    assert.equal(await acme.errors(), 0);
  });

  const token = (text: string, more: object = {}, refreshToken?: string) => ({
    oauth2AuthorizationCode: {
      accessToken: { token: text, ...more },
      ...(refreshToken && { refreshToken: { token: refreshToken } }),
    },
  });
  const inMs = (ms: number) => ({ expiresAt: new Date(Date.now() + ms).toISOString() });

  test("a token without a refresh token survives a single 401, and is marked bad when it expires", async () => {
    valid.add("imported");
    const acme = await customer("tokens", "imported", token("imported", inMs(3_600_000)));
    assert.equal(await acme.call(), 200);
    await until(async () => (await acme.status()) === "working");
    assert.equal(await acme.call("/odd"), 401);
    assert.equal(await acme.call(), 200);
    const forced = await busbar.inProject("GET", `/connections/${acme.id}?refresh=force`);
    assert.equal(forced.status, 422, forced.text);
    assert.notEqual(await acme.status(), "bad_credentials", "it still serves");

    const ended = await customer("tokens", "ended", token("imported", inMs(1_000)));
    await until(async () => (await ended.call()) !== 200);
    await until(async () => (await ended.status()) === "bad_credentials");
    await until(async () => (await ended.errors()) === 1);
  });

  test("without a provider app an expired token marks the connection as bad, and creating the app heals it", async () => {
    const acme = await customer("tokens", "no-app", token("old", inMs(-1_000), "r1"));
    assert.equal(await acme.call(), 401);
    await until(async () => (await acme.status()) === "bad_credentials");
    await until(async () => (await acme.errors()) === 1);
    const app = { provider: "tokens", clientId: "c", clientSecret: "s" };
    assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
    assert.equal(await acme.status(), "created");
    assert.equal(await acme.call(), 200);
    await until(async () => (await acme.status()) === "working");
  });
});

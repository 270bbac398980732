/** API keys through the API of a real Busbar. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { signIn } from "../../../tests/harness/people.ts";
import { until } from "../../../tests/harness/until.ts";

// Callers of the test stand behind a reverse proxy when they send X-Forwarded-For.
const busbar = await shareTestBusbar({ env: { BUSBAR_TRUSTED_PROXIES: "127.0.0.1" } });

describe("API keys", () => {
  const create = (body: object) => busbar.inProject("POST", "/api-keys", body);
  const opens = async (key: string) =>
    (await busbar.inProject("GET", "", undefined, { "x-api-key": key })).status;

  test("a key is shown whole once, and can be named by itself, its id or its beginning", async () => {
    const made = await create({ label: "ci" });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body.scopes, ["full"]);
    const { key, id } = made.body;
    assert.match(key, /^bb_[\w-]{43}[0-9a-z]{7}$/);
    assert.equal(await opens(key), 200);
    const listed = await busbar.inProject("GET", "/api-keys");
    const shown = listed.body.find((row: { id: string }) => row.id === id);
    assert.equal(shown.key, `${key.slice(0, 7)}…`);
    assert.equal(listed.text.includes(key), false);
    for (const name of [key, id, encodeURIComponent(shown.key)]) {
      const found = await busbar.inProject("GET", `/api-keys/${name}`);
      assert.equal(found.body.id, id, found.text);
      assert.equal(found.text.includes(key), false);
    }
  });

  test("a key that is switched off opens nothing, and opens again when it is switched on", async () => {
    const { key, id } = (await create({ label: "switch" })).body;
    assert.equal(await opens(key), 200);
    const off = { updateMask: ["active"], apiKey: { active: false } };
    assert.equal((await busbar.inProject("PATCH", `/api-keys/${id}`, off)).body.active, false);
    await until(async () => (await opens(key)) === 401);
    assert.equal((await busbar.inProject("GET", "/api-keys?active=true")).text.includes(id), false);
    const back = { updateMask: ["active", "label"], apiKey: { active: true, label: "on" } };
    assert.equal((await busbar.inProject("PATCH", `/api-keys/${id}`, back)).body.label, "on");
    await until(async () => (await opens(key)) === 200);
    assert.equal((await busbar.inProject("DELETE", `/api-keys/${id}`)).status, 204);
    await until(async () => (await opens(key)) === 401);
  });

  test("a frontend key reads what a browser needs and nothing else", async () => {
    const { key } = (await create({ label: "web", scopes: ["frontend"] })).body;
    const headers = { "x-api-key": key };
    assert.equal((await busbar.inProject("GET", "/integrations", undefined, headers)).status, 200);
    assert.equal((await busbar.inProject("GET", "/api-keys", undefined, headers)).status, 403);
    assert.equal((await busbar.inProject("GET", "/connections", undefined, headers)).status, 400);
    assert.equal((await busbar.inProject("GET", "/connections?groupRef=a", undefined, headers)).status, 200);
  });

  test("a further scope takes nothing from a key that reads everything", async () => {
    const scopes = ["read-only", "frontend", "read"];
    const { key } = (await create({ label: "reports in pages", scopes })).body;
    const headers = { "x-api-key": key };
    assert.equal((await busbar.inProject("GET", "/connections", undefined, headers)).status, 200);
  });

  test("the last active full key of a project is neither deleted, switched off nor narrowed", async () => {
    const keys = (await busbar.inProject("GET", "/api-keys")).body as {
      id: string;
      scopes: string[];
      label: string;
    }[];
    const [own] = keys.filter(({ label }) => label === "bootstrap");
    for (const { id, scopes } of keys) {
      if (id !== own?.id && scopes.includes("full")) await busbar.inProject("DELETE", `/api-keys/${id}`);
    }
    const path = `/api-keys/${own?.id}`;
    assert.equal((await busbar.inProject("DELETE", path)).status, 409);
    const end = { expireTime: new Date(Date.now() + 3_600_000).toISOString() };
    for (const apiKey of [{ active: false }, { scopes: ["frontend"] }, end]) {
      const answer = await busbar.inProject("PATCH", path, { updateMask: Object.keys(apiKey), apiKey });
      assert.equal(answer.status, 409, answer.text);
    }
    assert.equal(await opens(busbar.apiKey), 200);
  });

  test("a key shows who created it and when it was last used, to about a minute", async () => {
    const { key, id, createdBy, lastUsedTime } = (await create({ label: "used" })).body;
    const byKey = (await busbar.inProject("GET", "/api-keys")).body as { id: string; createdBy: string }[];
    assert.ok(byKey.some((row) => createdBy === `apiKey:${row.id}` && row.createdBy === "system"));
    assert.equal(lastUsedTime, undefined);
    const byPerson = await busbar.inProject("POST", "/api-keys", { label: "p" }, await signIn(busbar));
    assert.equal(byPerson.body.createdBy, `builder:${busbar.server.bootstrap?.builderId}`);
    const beforeMs = Date.now();
    assert.equal(await opens(key), 200);
    const afterMs = Date.now();
    await busbar.restart();
    const used = (await busbar.inProject("GET", `/api-keys/${id}`)).body.lastUsedTime;
    assert.ok(Date.parse(used) > beforeMs - 120_000 && Date.parse(used) < afterMs + 120_000, used);
  });

  test("a key expires in every process, and its end can be moved and removed", async () => {
    const expireTime = new Date(Date.now() + 3_600_000).toISOString();
    const { key, id, ...made } = (await create({ label: "guest", expireTime })).body;
    assert.equal(made.expireTime, expireTime);
    const change = (end: string | null) =>
      busbar.inProject("PATCH", `/api-keys/${id}`, {
        updateMask: ["expireTime"],
        apiKey: { expireTime: end },
      });
    assert.equal(await opens(key), 200);
    // On a busy machine that time may be over before it is asked for, and is refused.
    const { soon, unused } = await until(async () => {
      const soon = new Date(Date.now() + 4_000).toISOString();
      const { body } = await create({ label: "unused", expireTime: soon });
      return (await change(soon)).body.expireTime === soon && body.key && { soon, unused: body.key };
    });
    await until(async () => (await opens(key)) === 401);
    for (const expired of [key, unused]) {
      const reported = await busbar.inProject("GET", "", undefined, { "x-api-key": expired });
      assert.equal(reported.body.detail, `This API key expired at ${soon}. Create another one.`);
    }
    assert.equal((await change(null)).body.expireTime, undefined);
    await until(async () => (await opens(key)) === 200);
    for (const past of ["2020-01-01T00:00:00Z", "tomorrow"]) {
      assert.equal((await change(past)).status, 400, past);
      assert.equal((await create({ label: "x", expireTime: past })).status, 400, past);
    }
  });

  test("a key is refused from other addresses than those of its list, and the refusal is listed", async () => {
    const allowedAddresses = ["192.0.2.0/24", "2001:db8::/32"];
    const { key, id, ...made } = (await create({ label: "office", allowedAddresses })).body;
    assert.deepEqual(made.allowedAddresses, allowedAddresses);
    const from = async (address: string) => {
      const headers = { "x-api-key": key, ...(address && { "x-forwarded-for": address }) };
      return busbar.inProject("GET", "", undefined, headers);
    };
    for (const address of ["192.0.2.7", "2001:db8::5", "198.51.100.1, 192.0.2.7"])
      assert.equal((await from(address)).status, 200, address);
    for (const address of ["198.51.100.1", "2001:db9::5", "192.0.2.7, 198.51.100.1", ""]) {
      const refused = await from(address);
      assert.equal(refused.status, 403, address);
      assert.match(refused.body.detail, /not allowed from the address (198|2001:db9::5|127\.0\.0\.1)/);
    }
    await until(async () => {
      const { body } = await busbar.inProject("GET", `/requests?apiKeyId=${id}`);
      return body.results.length === 4;
    });
    const open = { updateMask: ["allowedAddresses"], apiKey: { allowedAddresses: [] } };
    assert.equal((await busbar.inProject("PATCH", `/api-keys/${id}`, open)).body.allowedAddresses, undefined);
    await until(async () => (await from("198.51.100.1")).status === 200);
  });

  test("a list of addresses holds texts that are one, and does not exclude the key that changes itself", async () => {
    for (const wrong of [
      "192.0.2.0/33",
      "example.com",
      "::ffff:192.0.2.1",
      "fe80::1%eth0",
      "192.0.2.0/24/1",
    ]) {
      const refused = await create({ label: "x", allowedAddresses: ["127.0.0.1", wrong] });
      assert.equal(refused.status, 400, wrong);
      assert.equal(refused.body.issues[0].name, "allowedAddresses[1]");
    }
    const { key, id } = (await create({ label: "own" })).body;
    const change = (allowedAddresses: string[]) =>
      busbar.inProject(
        "PATCH",
        `/api-keys/${id}`,
        { updateMask: ["allowedAddresses"], apiKey: { allowedAddresses } },
        { "x-api-key": key },
      );
    assert.equal((await change(["192.0.2.1"])).status, 409);
    assert.equal((await change(["192.0.2.1", "127.0.0.0/8"])).status, 200);
  });

  test("a list of addresses also limits who signs in with the key", async () => {
    const body = { label: "p", signIn: true, allowedAddresses: ["192.0.2.1"] };
    const { key: apiKey } = (await busbar.inProject("POST", "/api-keys", body, await signIn(busbar))).body;
    assert.equal((await busbar.call("POST", "/v1/sessions", { apiKey })).status, 403);
    const there = { "x-forwarded-for": "192.0.2.1" };
    assert.equal((await busbar.call("POST", "/v1/sessions", { apiKey }, there)).status, 201);
  });

  test("a key beyond its rate limit gets 429 with Retry-After, until its limit is raised or removed", async () => {
    const rateLimit = { requestsPerSecond: 0.01, burst: 3 };
    const { key, id, ...made } = (await create({ label: "slow", rateLimit })).body;
    assert.deepEqual(made.rateLimit, rateLimit);
    const headers = { "x-api-key": key };
    // Its project is in the body, so its caller is identified twice.
    const twice = await busbar.call("POST", "/v1/oauth-connect", { projectIdOrName: "x" }, headers);
    assert.equal(twice.status, 404);
    assert.equal(await opens(key), 200);
    assert.equal(await opens(key), 200);
    const refused = await busbar.inProject("GET", "", undefined, headers);
    assert.equal(refused.status, 429, refused.text);
    assert.ok(Date.parse(refused.headers.get("retry-after") ?? "") > Date.now() + 60_000);
    assert.equal(refused.body.retryable, true);
    const change = async (changed: object | null) =>
      (
        await busbar.inProject("PATCH", `/api-keys/${id}`, {
          updateMask: ["rateLimit"],
          apiKey: { rateLimit: changed },
        })
      ).body.rateLimit;
    assert.deepEqual(await change({ requestsPerSecond: 1_000 }), { requestsPerSecond: 1_000, burst: 1_000 });
    await until(async () => (await opens(key)) === 200);
    assert.equal(await change(null), undefined);
    assert.equal(await opens(key), 200);
  });

  test("unknown scopes and names are refused, and a name that may be a key is not repeated", async () => {
    assert.equal((await create({ label: "x", scopes: ["admin"] })).status, 400);
    assert.equal((await create({ label: "x", scopes: [] })).status, 400);
    const missing = await busbar.inProject("GET", "/api-keys/bb_doesnotexist");
    assert.equal(missing.status, 404);
    assert.doesNotMatch(missing.text, /doesnotexist/);
  });
});

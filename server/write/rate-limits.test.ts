import assert from "node:assert/strict";
import { beforeEach, describe, test, type TestContext } from "node:test";
import { Client } from "pg";
import { shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { openClient } from "../../tests/harness/client.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { until } from "../../tests/harness/until.ts";

const busbar = await shareTestBusbar({ env: { BUSBAR_RETRY_BASE_SECONDS: "0.02" } });

busbar.sandbox.hubspot.setLimits("off");

/** The gates of this process and of the database are closed per connection, so each test has a customer of its own. */
describe("rate limits of a connection", () => {
  beforeEach(() => busbar.sandbox.clearFaults());

  let customers = 0;
  const customer = (provider: "hubspot" | "salesforce" = "hubspot"): Promise<Customer> =>
    connectCustomer(busbar, {
      provider,
      objects: [provider === "hubspot" ? "companies" : "Account"],
      groupRef: `limited-${++customers}`,
    });
  const create = { type: "create", record: { name: "Limited" } };
  const limitOnce = (seconds: number) =>
    busbar.sandbox.addFault({ preset: "hubspot.rate_limit", headers: { "retry-after": String(seconds) } });
  const sent = () =>
    busbar.sandbox.requests({ provider: "hubspot", path: "/crm/v3/objects/companies" }).length;
  const throttled = (acme: Customer) =>
    acme.proxied("/crm/v3/objects/companies", { "x-amp-rate-limiter-mode": "throttle" });
  const operation = (answer: Answer) => busbar.inProject("GET", `/operations/${answer.body.operationId}`);

  /** Lets the clock of this process's gates jump to the time of the header, so that a limit may last for longer than a test. */
  function jumpTo(t: TestContext, retryAfter: string | null): void {
    const now = Date.now.bind(Date);
    const aheadMs = Date.parse(retryAfter ?? "") - now();
    t.mock.method(Date, "now", () => now() + aheadMs);
  }

  function assertRateLimited(answer: Answer): void {
    assert.equal(answer.status, 429, answer.text);
    assert.equal(answer.body.type.split("/").at(-1), "rate-limited");
    assert.equal(answer.body.retryable, true);
    assert.deepEqual(answer.body.result, { success: false });
    const retryAfterMs = Date.parse(answer.body.retryAfter);
    assert.ok(retryAfterMs > Date.now(), answer.text);
    // The header has whole seconds, and must not name a time at which the gate is still closed.
    const roundedUpMs = Date.parse(answer.headers.get("retry-after") ?? "") - retryAfterMs;
    assert.ok(roundedUpMs >= 0 && roundedUpMs < 1_000, answer.text);
  }

  test("after a rate limit, the next synchronous write is sent only from the provider's time on", async (t) => {
    const acme = await customer();
    limitOnce(60);
    const first = await acme.write("companies", create);
    assertRateLimited(first);
    const before = sent();
    const second = await acme.write("companies", create);
    assertRateLimited(second);
    assert.match(second.body.detail, /rate limit.*nothing was sent/);
    assert.equal(sent(), before);
    assert.equal((await operation(second)).body.status, "failure");
    // A caller that obeys the header gets through.
    jumpTo(t, first.headers.get("retry-after"));
    const third = await acme.write("companies", create);
    assert.equal(third.status, 200, third.text);
  });

  test("after a rate limit of a synchronous write, asynchronous writes and throttled proxy calls wait too", async () => {
    const acme = await customer();
    // Long enough for the calls that are to be refused, on a busy machine too.
    limitOnce(15);
    const first = await acme.write("companies", create);
    const opensMs = Date.parse(first.body.retryAfter);
    const later = await acme.write("companies", { ...create, mode: "asynchronous" });
    const proxied = await throttled(acme);
    assert.equal(proxied.status, 429, proxied.text);
    const reported = proxied.headers.get("x-amp-retry-after")?.replace("UTC", "GMT") ?? "";
    assert.ok(Date.parse(reported) >= opensMs && Date.parse(reported) < opensMs + 1_000, reported);
    const before = sent();
    const ended = await until(async () => {
      const { body } = await operation(later);
      return body.status === "in_progress" ? undefined : body;
    });
    assert.equal(ended.status, "success");
    assert.equal(sent(), before + 1);
    assert.ok(Date.parse(ended.updateTime) >= opensMs);
  });

  test("after a rate limit of a proxied call or an asynchronous write, no synchronous write is sent", async () => {
    const proxying = await customer();
    limitOnce(3600);
    assert.equal((await throttled(proxying)).status, 429);
    assertRateLimited(await proxying.write("companies", create));

    const queueing = await customer();
    limitOnce(3600);
    const later = await queueing.write("companies", { ...create, mode: "asynchronous" });
    await until(async () => (await operation(later)).body.status !== "in_progress");
    assertRateLimited(await queueing.write("companies", create));
  });

  test("a rate limit applies in every process, and only to its own connection", async () => {
    const acme = await customer();
    const other = await customer();
    const sibling = await busbar.sibling();
    limitOnce(3600);
    assertRateLimited(await acme.write("companies", create));
    const elsewhere = openClient({ ...busbar, urls: () => sibling.urls });
    const writeElsewhere = () =>
      elsewhere.write("hubspot", "companies", { groupRef: acme.groupRef, ...create });
    const refused = await until(async () => {
      const answered = await writeElsewhere();
      return answered.status === 429 && answered;
    });
    assertRateLimited(refused);
    const before = sent();
    assertRateLimited(await writeElsewhere());
    assert.equal(sent(), before);
    assert.equal((await other.write("companies", create)).status, 200);
  });

  test("while credentials may be locked, no write and no throttled call is sent, and no retry is advised", async () => {
    const acme = await customer("salesforce");
    busbar.sandbox.addFault({
      provider: "salesforce",
      status: 403,
      body: [{ errorCode: "LOGIN_RATE_EXCEEDED", message: "login rate exceeded" }],
      count: 1,
    });
    const record = { type: "create", record: { Name: "Locked" } };
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await acme.write("Account", record);
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.body.type, /\/credentials-locked$/);
      assert.equal(answer.body.retryable, false);
      const waitMs = Date.parse(answer.body.retryAfter) - Date.now();
      assert.ok(waitMs > 14 * 60_000 && waitMs <= 15 * 60_000 + 1_000, String(waitMs));
    }
    const proxied = await acme.proxied("/services/data/v60.0/limits", {
      "x-amp-rate-limiter-mode": "throttle",
    });
    assert.equal(proxied.status, 429, proxied.text);
    assert.equal(proxied.headers.get("x-amp-retryable"), "false");
  });

  test("a write that was not sent because of a closed gate does not use up its Idempotency-Key", async () => {
    const acme = await customer();
    limitOnce(3600);
    await acme.write("companies", create);
    const key = { "idempotency-key": "held back" };
    const held = await acme.write("companies", create, key);
    assertRateLimited(held);
    const client = new Client({ connectionString: busbar.dataUrl ?? busbar.connectionString });
    await client.connect();
    await client.query("delete from connection_gates");
    await client.end();
    await busbar.restart();
    const again = await acme.write("companies", create, key);
    assert.equal(again.status, 200, again.text);
  });

  test("a write that the provider limited does not use up its Idempotency-Key", async (t) => {
    const acme = await customer();
    limitOnce(60);
    const key = { "idempotency-key": "limited" };
    const limited = await acme.write("companies", create, key);
    assertRateLimited(limited);
    jumpTo(t, limited.headers.get("retry-after"));
    const again = await acme.write("companies", create, key);
    assert.equal(again.status, 200, again.text);
  });

  test("an object's fields are not read while the gate is closed", async () => {
    const acme = await customer();
    limitOnce(3600);
    assertRateLimited(await acme.write("companies", create));
    const before = busbar.sandbox.requests({ provider: "hubspot" }).length;
    const path = `/providers/hubspot/objects/companies/metadata?groupRef=${acme.groupRef}`;
    const refused = await busbar.inProject("GET", path);
    assert.equal(refused.status, 429, refused.text);
    assert.equal(refused.body.retryable, true);
    assert.ok(Date.parse(refused.headers.get("retry-after") ?? "") > Date.now());
    assert.equal(busbar.sandbox.requests({ provider: "hubspot" }).length, before);
  });
});

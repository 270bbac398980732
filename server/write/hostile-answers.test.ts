import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Client } from "pg";
import { shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { until } from "../../tests/harness/until.ts";

const busbar = await shareTestBusbar({ env: { BUSBAR_RETRY_BASE_SECONDS: "0.02" } });

busbar.sandbox.hubspot.setLimits("off");
await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"] });

describe("a provider that answers what nobody expects", () => {
  beforeEach(() => busbar.sandbox.clearFaults());

  const write = (body: object, headers?: Record<string, string>) =>
    busbar.write("hubspot", "companies", { groupRef: "acme", ...body }, headers);
  const later = (body: object) => write({ mode: "asynchronous", ...body });
  const ended = (answer: Answer): Promise<Answer> =>
    until(async () => {
      const operation = await busbar.inProject("GET", `/operations/${answer.body.operationId}`);
      return operation.body.status === "in_progress" ? undefined : operation;
    });
  const answer = (method: string, status: number, body: string, headers?: Record<string, string>) =>
    busbar.sandbox.addFault({ provider: "hubspot", method, status, body, headers, count: 1 });
  const create = { type: "create", record: { name: "Hostile" } };
  const update = { type: "update", record: { id: "601", name: "Hostile" } };

  const REFUSAL = '{"status":"error","category":"VALIDATION_ERROR","message":"bad \\u0000 and \\ud800"}';

  test("a refusal with a NUL or half a character is noted and answered like any other", async () => {
    answer("POST", 400, REFUSAL);
    const refused = await write(create);
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.body.detail, /bad \ufffd and \ufffd/);
    answer("POST", 400, REFUSAL);
    const kept = await write(create, { "Idempotency-Key": "hostile" });
    assert.equal(kept.status, 422, kept.text);
    const again = await write(create, { "Idempotency-Key": "hostile" });
    assert.equal(again.body.operationId, kept.body.operationId);
  });

  test("an update that is refused so is sent once and ends", async () => {
    answer("PATCH", 400, REFUSAL);
    const operation = await ended(await later(update));
    assert.match(operation.body.result, /bad \ufffd and \ufffd/);
  });

  test("an update that something in between answers, or whose answer is cut, is sent again and ends well", async () => {
    for (const [status, body] of [
      [302, ""],
      [200, "<html>Sign in</html>"],
      [200, '{"id": "60'],
    ] as const) {
      answer("PATCH", status, body, { location: "https://elsewhere.example/" });
      const operation = await ended(await later(update));
      assert.equal(operation.body.status, "success", `${status} ${body}: ${operation.text}`);
    }
  });

  test("a record that was written is reported as written, whatever its id and its fields hold", async () => {
    const written = '{"id":"12\\u00003","properties":{"name":"\\udc00"}}';
    answer("POST", 201, written);
    const now = await write(create, { "Idempotency-Key": "hostile id" });
    assert.equal(now.status, 200, now.text);
    answer("POST", 201, written);
    const operation = await ended(await later(create));
    assert.equal(operation.body.status, "success", operation.text);
  });

  test("a fault of ours after the provider was called is no invitation to send it again", async () => {
    // Nothing is known of the credentials yet.
    busbar.sandbox.addFault({ provider: "hubspot", path: "/account-info", status: 503, count: 10 });
    const { write: first } = await connectCustomer(busbar, {
      provider: "hubspot",
      objects: ["companies"],
      groupRef: "new",
    });
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    // The first success of a connection is noted on it.
    await client.query(`create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger fail before update on connections for each row execute function fail()`);
    const answered = await first("companies", create, { "idempotency-key": "our fault" });
    const again = await first("companies", create, { "idempotency-key": "our fault" });
    await client.query("drop trigger fail on connections");
    await client.end();
    assert.equal(answered.status, 500, answered.text);
    assert.equal(answered.body.retryable, false);
    assert.match(answered.body.detail, /unknown/);
    assert.equal(again.body.operationId, answered.body.operationId);
    const operation = await ended(answered);
    assert.match(operation.body.result, /unknown/);
  });

  test("a Retry-After beyond all time is none", async () => {
    const headers = { "retry-after": "99999999999999999999999" };
    const body = '{"status":"error","message":"slow down"}';
    answer("POST", 429, body, headers);
    const refused = await write(create);
    assert.equal(refused.status, 429, refused.text);
    assert.ok(Date.parse(refused.body.retryAfter) < Date.now() + 60_000);
  });
});

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Client } from "pg";
import { shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { until } from "../../tests/harness/until.ts";

// An hour is 1.2 s here.
const busbar = await shareTestBusbar({ env: { BUSBAR_MINUTE_MS: "20", BUSBAR_RETRY_BASE_SECONDS: "0.02" } });

busbar.sandbox.hubspot.setLimits("off");
await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"] });

describe("the deadline of an asynchronous write", () => {
  beforeEach(() => busbar.sandbox.clearFaults());

  const later = (body: object) =>
    busbar.write("hubspot", "companies", { groupRef: "acme", mode: "asynchronous", ...body });
  const create = { type: "create", record: { name: "Deadline" } };
  const ended = (answer: Answer): Promise<Answer> => {
    assert.equal(answer.status, 200, answer.text);
    return until(async () => {
      const operation = await busbar.inProject("GET", `/operations/${answer.body.operationId}`);
      return operation.body.status === "in_progress" ? undefined : operation;
    });
  };
  const calls = () => busbar.sandbox.requests({ provider: "hubspot", method: "POST" }).length;

  test("ends a write that fails for a reason of ours again and again", async () => {
    const update = { type: "update", record: { id: "601", name: "Spoilt" } };
    const client = new Client({ connectionString: busbar.dataUrl ?? busbar.connectionString });
    await client.connect();
    // Long enough to spoil the record before it is sent.
    const autoBatchPolicy = { maxDelayMinutes: 240, retryDeadlineHours: 6 };
    const accepted = await later({ ...update, autoBatchPolicy });
    const spoilt = await client.query(
      `update writes set records = '[{"planned": {"withheld": 1}}]' where operation_id = $1`,
      [accepted.body.operationId],
    );
    await client.end();
    assert.equal(spoilt.rowCount, 1);
    const operation = await ended(accepted);
    assert.equal(operation.body.status, "failure");
    assert.match(operation.body.result, /deadline/);
  });

  test("ends what waits for a connection that is told to wait for longer, on every process", async () => {
    const before = calls();
    busbar.sandbox.addFault({ preset: "hubspot.rate_limit", headers: { "retry-after": "3600" } });
    const first = await ended(await later(create));
    assert.equal(first.body.status, "failure", first.text);
    assert.match((await ended(await later(create))).body.result, /rate limit is reached until/);
    await busbar.restart();
    const third = await ended(await later(create));
    assert.match(third.body.result, /rate limit is reached until/);
    assert.equal(third.body.metadata.retry, undefined);
    assert.equal(calls() - before, 1);
  });
});

/** Asynchronous writes: accepted for good, carried out in order, retried, grouped, told. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Client } from "pg";
import { shareTestBusbar, type Answer } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";

/** Without the header it would not be known whether a create was carried out. */
const BUSY = { status: 503, body: "busy", headers: { "retry-after": "0" } };

/** Requests that write companies. */
const COMPANIES = { provider: "hubspot", path: "/crm/v3/objects/companies" } as const;

// A minute is 30 ms here, so that delays and deadlines can be waited for.
const busbar = await shareTestBusbar({ env: { BUSBAR_MINUTE_MS: "30", BUSBAR_RETRY_BASE_SECONDS: "0.02" } });

busbar.sandbox.hubspot.setLimits("off");
const acme = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts", "companies"] });
await connectCustomer(busbar, { provider: "salesforce", objects: ["Contact"] });

describe("asynchronous writes", () => {
  beforeEach(() => busbar.sandbox.clearFaults());

  interface Policies {
    retryPolicy?: object;
    autoBatchPolicy?: object;
  }
  /** With the longest deadline, because an hour is only 1.8 s here. */
  const write = (
    { retryPolicy, autoBatchPolicy, ...body }: Record<string, unknown> & Policies,
    integration = "hubspot",
    object = "companies",
    headers?: Record<string, string>,
  ) =>
    busbar.write(
      integration,
      object,
      {
        groupRef: "acme",
        mode: "asynchronous",
        ...body,
        retryPolicy: { deadlineHours: 48, ...retryPolicy },
        ...(autoBatchPolicy && { autoBatchPolicy: { retryDeadlineHours: 48, ...autoBatchPolicy } }),
      },
      headers,
    );

  const awaitEnd = (operationId: string): Promise<Answer> =>
    until(async () => {
      const operation = await busbar.inProject("GET", `/operations/${operationId}`);
      return operation.body.status === "in_progress" ? undefined : operation;
    });
  const ended = (answer: Answer): Promise<Answer> => {
    assert.equal(answer.status, 200, answer.text);
    return awaitEnd(answer.body.operationId);
  };
  const readLog = async (operationId: string): Promise<string> =>
    (await busbar.inProject("GET", `/operations/${operationId}/logs`)).text;
  const named = (name: string) =>
    busbar.sandbox
      .records("hubspot", "companies")
      .filter((record) => JSON.stringify(record).includes(`"${name}"`));

  test("a create is answered with its operation at once and is carried out in the background", async () => {
    const accepted = await write({ type: "create", record: { name: "Async One" } });
    assert.deepEqual(Object.keys(accepted.body), ["operationId"]);
    const operation = await ended(accepted);
    assert.equal(operation.body.status, "success", operation.text);
    assert.equal(operation.body.resource, "companies");
    assert.equal(operation.body.metadata.successfulRecordIds.length, 1);
    assert.equal(named("Async One").length, 1);
  });

  test("a write that can never succeed is refused before it is accepted", async () => {
    const refused = await write({ type: "update", record: { name: "no id" } });
    assert.equal(refused.status, 400);
    assert.match(refused.body.detail, /record\.id/);
  });

  test("what the provider refuses ends the operation with the object and the error", async () => {
    const operation = await ended(await write({ type: "create", record: { no_such_property: "x" } }));
    assert.equal(operation.body.status, "failure");
    assert.match(operation.body.result, /\[companies\].*no_such_property/);
  });

  test("a batch reports each record, and part of it is a success", async () => {
    const batch = [{ record: { name: "Batch A" } }, { record: { name: "Batch B", no_such_property: 1 } }];
    const operation = await ended(await write({ type: "create", batch }));
    assert.equal(operation.body.status, "success", operation.text);
    assert.match(operation.body.result, /1 succeeded, 1 failed/);
    assert.match(await readLog(operation.body.id), /batch\[1\] failed/);
  });

  test("a failure that may pass is retried until it does, and the attempts are on record", async () => {
    busbar.sandbox.addFault({ ...COMPANIES, ...BUSY, count: 3 });
    const operation = await ended(await write({ type: "create", record: { name: "Retried" } }));
    assert.equal(operation.body.status, "success", operation.text);
    assert.equal(operation.body.metadata.retry.attempts, 4);
    assert.equal(named("Retried").length, 1);
  });

  test("a refusal that HubSpot does not explain in its own form is no refusal of the record", async () => {
    const blocked = "<html><body>Your request has been blocked</body></html>";
    const between = [
      { status: 406, body: "" },
      { status: 420, body: "" },
      { status: 403, body: blocked },
      { status: 400, body: blocked },
    ];
    for (const fault of between) busbar.sandbox.addFault({ ...COMPANIES, ...fault, count: 1 });
    const operation = await ended(await write({ type: "create", record: { name: "Behind a firewall" } }));
    assert.equal(operation.body.status, "success", operation.text);
    assert.equal(operation.body.metadata.retry.attempts, 5);
    assert.equal(named("Behind a firewall").length, 1);
  });

  test("retries end at the deadline", async () => {
    busbar.sandbox.addFault({ ...COMPANIES, ...BUSY, count: 10_000 });
    const operation = await ended(
      await write({ type: "create", record: { name: "Never" }, retryPolicy: { deadlineHours: 4 } }),
    );
    assert.equal(operation.body.status, "failure");
    assert.ok(operation.body.metadata.retry.attempts > 1, operation.text);
  });

  test("a connection that is told to wait is closed for its other writes too", async () => {
    busbar.sandbox.addFault({
      ...COMPANIES,
      status: 429,
      headers: { "retry-after": "1" },
      body: JSON.stringify({ status: "error", policyName: "SECONDLY", message: "wait" }),
      count: 1,
    });
    busbar.sandbox.clearRequests();
    const first = await write({ type: "create", record: { name: "Limited 1" } });
    await until(async () => /Attempt 1 failed/.test(await readLog(first.body.operationId)));
    const others = await Promise.all(
      [2, 3, 4].map((n) => write({ type: "create", record: { name: `Limited ${n}` } })),
    );
    for (const answer of [first, ...others]) assert.equal((await ended(answer)).body.status, "success");
    const [reported = 0, ...after] = busbar.sandbox
      .requests({ provider: "hubspot" })
      .filter(({ body }) => body.includes("Limited "))
      .map(({ receivedAt }) => Date.parse(receivedAt));
    assert.equal(after.length, 4);
    assert.ok(Math.min(...after) - reported >= 1_000, "nobody called before the time was over");
  });

  test("a create whose answer was lost is not repeated and says that its outcome is unknown", async () => {
    busbar.sandbox.addFault({ ...COMPANIES, reset: "after", count: 1 });
    const operation = await ended(await write({ type: "create", record: { name: "Lost Answer" } }));
    assert.equal(operation.body.status, "failure");
    assert.match(operation.body.result, /outcome is unknown.*Look the record up/);
    assert.match(await readLog(operation.body.id), /unknown_outcome/);
    assert.equal(named("Lost Answer").length, 1);
  });

  test("a create whose answer was lost is repeated when the caller asked for it", async () => {
    busbar.sandbox.addFault({ ...COMPANIES, reset: "after", count: 1 });
    const policy = { retryPolicy: { onUnknownOutcome: "retry" } };
    const operation = await ended(await write({ type: "create", record: { name: "Lost Twice" }, ...policy }));
    assert.equal(operation.body.status, "success", operation.text);
    assert.equal(named("Lost Twice").length, 2);
  });

  test("an update whose answer was lost is repeated", async () => {
    const { result } = await acme.succeed("companies", { type: "create", record: { name: "Upd" } });
    const id = result.recordId;
    busbar.sandbox.addFault({ provider: "hubspot", method: "PATCH", reset: "after", count: 1 });
    const operation = await ended(await write({ type: "update", record: { id, name: "Updated once" } }));
    assert.equal(operation.body.status, "success", operation.text);
  });

  test("updates of one record are applied in the order they were accepted, also when one is retried", async () => {
    const { result } = await acme.succeed("companies", { type: "create", record: { name: "Order" } });
    const id = result.recordId;
    busbar.sandbox.addFault({ provider: "hubspot", method: "PATCH", status: 503, body: "busy", count: 2 });
    const answers = [];
    for (let step = 0; step < 10; step++)
      answers.push(await write({ type: "update", record: { id, name: `Order ${step}` } }));
    for (const answer of answers) assert.equal((await ended(answer)).body.status, "success");
    const sent = busbar.sandbox
      .requests({ provider: "hubspot", method: "PATCH" })
      .filter((request) => request.path.endsWith(id) && request.status === 200)
      .map((request) => JSON.parse(request.body).properties.name);
    assert.deepEqual(
      sent,
      Array.from({ length: 10 }, (_, step) => `Order ${step}`),
    );
  });

  test("auto-batched records share one operation and one provider call, by their delay or by a hundred", async () => {
    const policy = { autoBatchPolicy: { maxDelayMinutes: 240 } };
    const slow = await Promise.all(
      [1, 2, 3].map((n) => write({ type: "create", record: { name: `Grouped ${n}` }, ...policy })),
    );
    assert.equal(new Set(slow.map((answer) => answer.body.operationId)).size, 1);
    const operation = await ended(slow[0]!);
    assert.match(operation.body.result, /3 succeeded, 0 failed/);
    assert.equal(operation.body.metadata.successfulRecordIds.length, 3);

    busbar.sandbox.clearRequests();
    const long = { autoBatchPolicy: { maxDelayMinutes: 1440 } };
    const many = await Promise.all(
      Array.from({ length: 250 }, (_, n) =>
        write({ type: "create", record: { name: `Full ${n}` }, ...long }),
      ),
    );
    const ids = [...new Set(many.map((answer) => answer.body.operationId))];
    assert.equal(ids.length, 3);
    const counts = ids.map((id) => many.filter((answer) => answer.body.operationId === id).length);
    assert.deepEqual(
      counts.toSorted((a, b) => a - b),
      [50, 100, 100],
    );
    await until(
      async () =>
        busbar.sandbox
          .requests({ provider: "hubspot" })
          .filter((request) => request.path.includes("/batch/create")).length >= 2,
    );
    for (const id of ids.filter((_, index) => counts[index] === 100))
      assert.match((await awaitEnd(id)).body.result, /100 succeeded, 0 failed/);
  });

  /** The operation of a record's group, which stays open for longer than this test takes. */
  const grouped = async (body: object, ...where: string[]): Promise<string> => {
    const policy = { autoBatchPolicy: { maxDelayMinutes: 1440 } };
    return (await write({ type: "create", ...policy, ...body }, ...where)).body.operationId;
  };

  test("groups of another object, type or installation are others", async () => {
    await connectCustomer(busbar, {
      provider: "hubspot",
      objects: ["contacts", "companies"],
      groupRef: "other",
    });
    const group = await grouped({ record: { name: "G" } });
    const others = [
      await grouped({ record: { email: "g@example.com" } }, "hubspot", "contacts"),
      await grouped({ type: "update", record: { id: "501", name: "G" } }),
      await grouped({ record: { name: "G" }, groupRef: "other" }),
    ];
    assert.equal(new Set([group, ...others]).size, 4);
    assert.equal(await grouped({ record: { name: "H" } }), group);
  });

  test("records that are to be sent differently share no group", async () => {
    const headers = [{ key: "Sforce-Duplicate-Rule-Header", value: "allowSave=true" }];
    const ids: string[] = [];
    for (const more of [{}, { headers }, { retryPolicy: { onUnknownOutcome: "retry" } }, { headers }]) {
      ids.push(await grouped({ record: { LastName: "Apart" }, ...more }, "salesforce", "Contact"));
    }
    assert.equal(new Set(ids.slice(0, 3)).size, 3);
    assert.equal(ids[3], ids[1]);
  });

  test("a record that a later write waits for joins no older group, which would overtake it", async () => {
    const update = (name: string) => ({ type: "update", record: { id: "502", name } });
    const group = await grouped(update("first"));
    assert.equal(await grouped({ type: "update", record: { id: "503", name: "beside" } }), group);
    await write(update("second"));
    assert.notEqual(await grouped(update("third")), group);
  });

  test("an Idempotency-Key repeats the first answer, refuses another request, and one that still runs", async () => {
    const headers = { "idempotency-key": "once-1" };
    const body = { type: "create", record: { name: "Only once" } };
    const first = await write(body, "hubspot", "companies", headers);
    const second = await write(body, "hubspot", "companies", headers);
    assert.equal(second.body.operationId, first.body.operationId);
    await ended(first);
    assert.equal(named("Only once").length, 1);
    const other = await write({ type: "create", record: { name: "Other" } }, "hubspot", "companies", headers);
    assert.equal(other.status, 422);

    let turn = 0;
    await until(async () => {
      const [name, key] = [`Slow ${(turn += 1)}`, { "idempotency-key": `slow-${turn}` }];
      const path = "/crm/v3/objects/companies";
      busbar.sandbox.addFault({ provider: "hubspot", path, delayMs: 2_000, count: 1 });
      const sync = { groupRef: "acme", type: "create", record: { name } };
      const send = () => busbar.write("hubspot", "companies", sync, key);
      const [done, second] = (await Promise.all([send(), send()])).toSorted((a, b) => a.status - b.status);
      assert.deepEqual((await send()).body, done?.body);
      assert.equal(named(name).length, 1);
      // On a busy machine, the second request may come when the first one has ended.
      return second?.status === 409;
    });
  });

  test("a refusal under an Idempotency-Key is repeated as it was", async () => {
    const headers = { "idempotency-key": "refused-1" };
    const body = { groupRef: "acme", type: "create", record: { nope: 1 } };
    const first = await busbar.write("hubspot", "companies", body, headers);
    const second = await busbar.write("hubspot", "companies", body, headers);
    assert.equal(first.status, 422);
    assert.equal(second.status, 422);
    assert.equal(second.body.operationId, first.body.operationId);
  });

  test("a dry run shows the provider's request and sends nothing", async () => {
    busbar.sandbox.clearRequests();
    const body = { groupRef: "acme", type: "create", record: { name: "Dry" } };
    const path = "/write/v1/projects/default/integrations/hubspot/objects/companies?dryRun=true";
    const shown = await busbar.call("POST", path, body);
    assert.equal(shown.status, 200, shown.text);
    assert.equal(shown.body.requests[0].path, "/crm/objects/2026-03/companies");
    assert.deepEqual(shown.body.records[0].fields, { name: "Dry" });
    // Groups of the tests before may be sent meanwhile.
    const sent = busbar.sandbox.requests({ provider: "hubspot" }).filter((one) => one.body.includes('"Dry"'));
    assert.deepEqual(sent, []);
    const impossible = await busbar.call("POST", path, {
      ...body,
      type: "update",
      record: { id: "../1", name: "x" },
    });
    assert.equal(impossible.status, 422, impossible.text);
    assert.match(impossible.body.detail, /not a HubSpot record id/);
  });

  test("how a write ended is written to the outbox with it", async () => {
    const operation = await ended(await write({ type: "create", record: { name: "Told" } }));
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    const { rows } = await client.query(
      "select data from events where type = 'write.async.done' and data->>'operationId' = $1",
      [operation.body.id],
    );
    await client.end();
    assert.equal(rows.length, 1);
    assert.equal(rows[0].data.success, true);
    assert.equal(rows[0].data.groupRef, "acme");
  });

  test("Salesforce: asynchronous create, batch and update", async () => {
    const single = await ended(
      await write({ type: "create", record: { LastName: "Async" } }, "salesforce", "Contact"),
    );
    assert.equal(single.body.status, "success", single.text);
    const [id] = single.body.metadata.successfulRecordIds;
    const update = await ended(
      await write({ type: "update", record: { id, FirstName: "Later" } }, "salesforce", "Contact"),
    );
    assert.equal(update.body.status, "success", update.text);
    const batch = [{ record: { LastName: "One" } }, { record: { FirstName: "No last name" } }];
    const part = await ended(await write({ type: "create", batch }, "salesforce", "Contact"));
    assert.match(part.body.result, /1 succeeded, 1 failed/);
  });

  test("a group survives a restart and takes more records afterwards", async () => {
    const objects = ["contacts", "companies"];
    const { groupRef } = await connectCustomer(busbar, {
      provider: "hubspot",
      objects,
      groupRef: "restarted",
    });
    // With minutes of 60 s, the group is open however long the restart takes.
    await busbar.restart({ BUSBAR_MINUTE_MS: "60000" });
    const contact = (n: number) =>
      grouped({ groupRef, record: { email: `restart-${n}@example.com` } }, "hubspot", "contacts");
    const id = await contact(0);
    await busbar.restart();
    // The hundredth fills the group, which then waits no longer.
    const more = await Promise.all(Array.from({ length: 99 }, (_, n) => contact(n + 1)));
    assert.deepEqual([...new Set(more)], [id]);
    assert.match((await awaitEnd(id)).body.result, /100 succeeded, 0 failed/);
  });

  test("a provider that says wait under many waiting writes is asked a handful of times, not hundreds", async () => {
    busbar.sandbox.addFault({
      ...COMPANIES,
      status: 429,
      headers: { "retry-after": "1" },
      body: JSON.stringify({ status: "error", policyName: "TEN_SECONDLY_ROLLING" }),
      count: 100_000,
    });
    busbar.sandbox.clearRequests();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => write({ type: "create", record: { name: `Patient ${n}` } })),
    );
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const [first = 0, ...later] = busbar.sandbox
      .requests({ provider: "hubspot" })
      .filter(({ body }) => body.includes("Patient "))
      .map(({ receivedAt }) => Date.parse(receivedAt));
    const asked = later.filter((time) => time - first < 1_500).length;
    assert.ok(asked <= 16 + 1, `${asked} more calls in one and a half seconds of "wait a second"`);
    busbar.sandbox.clearFaults();
    for (const answer of answers) assert.equal((await ended(answer)).body.status, "success");
  });
});

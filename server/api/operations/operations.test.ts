/** Operations through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../../tests/harness/until.ts";
import { openTestBusbar, type Answer, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";

describe("operations", () => {
  let busbar: TestBusbar;
  let customer: Customer;
  after(() => busbar.stop());
  before(async () => {
    busbar = await openTestBusbar();
    customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
  });

  test("an operation is shown with its log, and listed for its installation in pages", async () => {
    const { operationId } = await customer.succeed("contacts", {
      type: "create",
      record: { email: "ada@example.com" },
    });
    const shown = await busbar.inProject("GET", `/operations/${operationId}`);
    assert.deepEqual([shown.status, shown.body.status], [200, "success"]);
    const logs = await busbar.inProject("GET", `/operations/${operationId}/logs`);
    assert.ok(logs.body.length > 1, logs.text);
    await customer.succeed("contacts", { type: "create", record: { email: "bob@example.com" } });
    const list = `/integrations/hubspot/installations/${customer.installationId}/operations`;
    const first = (await busbar.inProject("GET", `${list}?pageSize=1`)).body;
    assert.equal(first.pagination.done, false);
    const next = `${list}?pageSize=1&pageToken=${first.pagination.nextPageToken}`;
    const second = (await busbar.inProject("GET", next)).body;
    assert.deepEqual([second.results[0], second.pagination.done], [shown.body, true]);
  });

  test("an operation names who asked for it, with the name they had then, and the list is filtered by it", async () => {
    const made = await busbar.inProject("POST", "/api-keys", {
      label: "Sync job",
      scopes: ["write", "read"],
    });
    const headers = { "x-api-key": made.body.key };
    const path = "/write/v1/projects/default/integrations/hubspot/objects/contacts";
    const write = (mode: string) => ({
      groupRef: customer.groupRef,
      type: "create",
      mode,
      record: { email: `${mode}@example.com` },
    });
    const ids: string[] = [];
    for (const mode of ["synchronous", "asynchronous"]) {
      const answer = await busbar.call("POST", path, write(mode), headers);
      assert.equal(answer.status, 200, answer.text);
      ids.push(answer.body.operationId);
      const shown = await busbar.inProject("GET", `/operations/${answer.body.operationId}`);
      assert.deepEqual(shown.body.actor, { kind: "key", id: made.body.id, name: "Sync job" });
    }
    const listed = await busbar.inProject("GET", `/operations?actor=${made.body.id}`);
    assert.deepEqual(
      listed.body.results.map(({ id }: { id: string }) => id),
      ids.toReversed(),
    );
    const none = await busbar.inProject("GET", `/operations?actor=${ids[0]}`);
    assert.deepEqual(none.body.results, []);
  });

  test("a page token of another kind is refused", async () => {
    const list = `/integrations/hubspot/installations/${customer.installationId}/operations`;
    const answer = await busbar.inProject("GET", `${list}?pageToken=nonsense`);
    assert.deepEqual([answer.status, answer.body.issues[0].name], [400, "pageToken"]);
  });

  test("unknown operations are refused with 404, their logs too", async () => {
    for (const id of ["nothing", "01a1fecd-d759-75de-a63c-a80eaf0833b4"]) {
      assert.equal((await busbar.inProject("GET", `/operations/${id}`)).status, 404);
      assert.equal((await busbar.inProject("GET", `/operations/${id}/logs`)).status, 404);
    }
  });

  test("lists below an unknown installation or integration are refused with 404", async () => {
    const unknown = "01a1fecd-d759-75de-a63c-a80eaf0833b4";
    const { installationId } = customer;
    for (const path of [
      `hubspot/installations/${unknown}`,
      "hubspot/installations/nothing",
      `nope/installations/${installationId}`,
      `${unknown}/installations/${installationId}`,
    ]) {
      for (const list of ["operations", "proxy-calls"]) {
        const answer = await busbar.inProject("GET", `/integrations/${path}/${list}`);
        assert.deepEqual(
          [answer.status, answer.body.type?.split("/").at(-1)],
          [404, "not-found"],
          answer.text,
        );
      }
    }
  });

  test("the operations of a deleted installation stay listed, those of an integration by its id", async () => {
    const other = await connectCustomer(busbar, {
      provider: "hubspot",
      objects: ["contacts"],
      groupRef: "leaving",
    });
    const { operationId } = await other.succeed("contacts", {
      type: "create",
      record: { email: "c@d.example" },
    });
    const { integrationId } = (await busbar.inProject("GET", `/operations/${operationId}`)).body;
    const installation = `installations/${other.installationId}`;
    await busbar.inProject("DELETE", `/integrations/hubspot/${installation}`);
    for (const integration of ["hubspot", integrationId]) {
      const listed = await busbar.inProject("GET", `/integrations/${integration}/${installation}/operations`);
      assert.equal(listed.body.results?.[0].id, operationId, listed.text);
    }
  });
});

describe("the operations of a project", () => {
  let busbar: TestBusbar;
  let acme: Customer;
  let globex: Customer;
  after(() => busbar.stop());
  before(async () => {
    busbar = await openTestBusbar();
    acme = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"], groupRef: "acme" });
    globex = await connectCustomer(busbar, {
      provider: "hubspot",
      objects: ["contacts"],
      groupRef: "globex",
    });
  });

  const list = async (query: string): Promise<Answer> => {
    const answer = await busbar.inProject("GET", `/operations?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  const ids = async (query: string): Promise<string[]> =>
    (await list(query)).body.results.map((one: { id: string }) => one.id);

  test("are listed newest first with the names of integration and customer, and filtered by each", async () => {
    const one = await acme.succeed("contacts", { type: "create", record: { email: "a@example.com" } });
    const two = await globex.succeed("contacts", { type: "create", record: { email: "b@example.com" } });
    const { results } = (await list("pageSize=2")).body;
    const shown = (await busbar.inProject("GET", `/operations/${two.operationId}`)).body;
    assert.deepEqual(results[0], shown);
    assert.deepEqual(
      [shown.integrationName, shown.groupRef, shown.groupName, results[1].id],
      ["hubspot", "globex", "globex", one.operationId],
    );
    for (const query of [
      "groupRef=acme",
      `installationId=${acme.installationId}`,
      `installationId=${acme.installationId}&groupRef=acme`,
      `text=ACM`,
      `text=${one.operationId.slice(0, 23)}&groupRef=acme`,
      `status=success&integration=hubspot&object=Contacts&type=write&groupRef=acme`,
    ])
      assert.deepEqual(await ids(query), [one.operationId], query);
    assert.deepEqual(await ids(`integration=${shown.integrationId}`), [two.operationId, one.operationId]);
    for (const query of [
      "groupRef=nobody",
      "integration=nothing",
      "installationId=nothing",
      `installationId=${acme.installationId}&groupRef=globex`,
      "object=companies",
      "type=read",
      "text=100%25",
    ])
      assert.deepEqual(await ids(query), [], query);
    assert.equal((await busbar.inProject("GET", "/operations?status=done")).status, 400);
    assert.equal((await busbar.inProject("GET", "/operations?pageSize=201")).status, 400);
  });

  test("a period includes the time at which an operation began, and excludes its end", async () => {
    const { operationId } = await acme.succeed("contacts", {
      type: "create",
      record: { email: "c@example.com" },
    });
    const { createTime } = (await busbar.inProject("GET", `/operations/${operationId}`)).body;
    const has = async (query: string) => (await ids(query)).includes(operationId);
    assert.equal(await has(`since=${createTime}`), true);
    assert.equal(await has(`until=${createTime}`), false);
    assert.deepEqual(await ids(`after=${operationId}`), []);
  });

  test("a failed write is found by the record's id and by the request's", async () => {
    const failed = await busbar.write("hubspot", "contacts", {
      groupRef: "acme",
      type: "update",
      mode: "synchronous",
      record: { id: "4711004711", email: "d@example.com" },
    });
    assert.equal(failed.status, 422, failed.text);
    const { operationId } = failed.body;
    assert.deepEqual(await ids("text=4711004711"), [operationId]);
    const requestId = failed.headers.get("x-request-id") ?? "";
    assert.deepEqual(await ids(`text=${requestId.toUpperCase()}`), [operationId]);
    const shown = (await busbar.inProject("GET", `/operations/${operationId}`)).body;
    assert.deepEqual([shown.requestId, shown.metadata.failedRecordIds], [requestId, ["4711004711"]]);
    const later = await busbar.write("hubspot", "contacts", {
      groupRef: "acme",
      type: "create",
      mode: "asynchronous",
      record: { email: "e@example.com" },
    });
    assert.deepEqual(await ids(`text=${later.headers.get("x-request-id")}`), [later.body.operationId]);
  });

  test("a waiting write that is cancelled fails, never reaches the provider, and is not cancelled twice", async () => {
    const waiting = await acme.write("contacts", {
      type: "create",
      mode: "asynchronous",
      autoBatchPolicy: { maxDelayMinutes: 10 },
      record: { email: "cancelled@example.com" },
    });
    const { operationId } = waiting.body;
    const cancel = () => busbar.inProject("POST", `/operations/${operationId}:cancel`);
    const cancelled = await cancel();
    assert.deepEqual(
      [cancelled.status, cancelled.body.status, cancelled.body.result],
      [200, "failure", "[contacts] Cancelled"],
      cancelled.text,
    );
    const sent = busbar.sandbox
      .requests()
      .filter(({ body }) => JSON.stringify(body ?? "").includes("cancelled@"));
    assert.deepEqual(sent, []);
    const queued = await busbar.inProject("GET", `/operations/${operationId}/logs`);
    assert.match(queued.text, /Cancelled before it was sent/);
    assert.equal((await cancel()).status, 409);
    assert.equal((await busbar.inProject("POST", "/operations/nothing:cancel")).status, 404);
    const next = await acme.write("contacts", {
      type: "create",
      mode: "asynchronous",
      autoBatchPolicy: { maxDelayMinutes: 10 },
      record: { email: "next@example.com" },
    });
    assert.notEqual(next.body.operationId, operationId, "the cancelled group takes no more records");
  });

  test("an unchanged list is not sent again", async () => {
    const first = await list("groupRef=globex");
    const tag = first.headers.get("etag") ?? "";
    const again = await busbar.inProject("GET", "/operations?groupRef=globex", undefined, {
      "if-none-match": tag,
    });
    assert.deepEqual([again.status, again.text], [304, ""]);
  });

  test("keep the names of an integration and a customer after they are gone", async () => {
    const initech = await connectCustomer(busbar, {
      provider: "salesforce",
      objects: ["account"],
      groupRef: "initech",
    });
    const { operationId } = await initech.succeed("account", { type: "create", record: { Name: "Initech" } });
    const before = (await busbar.inProject("GET", `/operations/${operationId}`)).body;
    await busbar.inProject("DELETE", "/integrations/salesforce");
    assert.deepEqual((await busbar.inProject("GET", `/operations/${operationId}`)).body, before);
    assert.equal(before.integrationName, "salesforce");
    for (const query of ["integration=salesforce", "groupRef=initech", "text=initech"])
      assert.deepEqual(await ids(query), [operationId], query);
  });
});

const READING = `
specVersion: 1.0.0
integrations:
  - name: reading
    provider: hubspot
    read:
      objects:
        - objectName: companies
          mapToName: firm
          enabled: always
          destination: log
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: name }]
          backfill: { defaultPeriod: { fullHistory: true } }
        - objectName: contacts
          enabled: always
          destination: log
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: email }]
`;

test("the progress of a backfill is shown from the installation on and after its end, under the name asked for", async (t) => {
  // The wait for a destination that does not exist yet is short.
  const busbar = await openTestBusbar({ env: { BUSBAR_MINUTE_MS: "100" } });
  t.after(() => busbar.stop());
  busbar.sandbox.hubspot.setLimits("off");
  const changedFrom = Date.parse("2026-01-01T00:00:00Z");
  busbar.sandbox.hubspot.account.generate("companies", {
    count: 250,
    changedFrom,
    changedTo: changedFrom,
    values: {},
  });
  const all = busbar.sandbox.records("hubspot", "companies").length;
  const customer = { provider: "hubspot", manifest: READING, integration: "reading" } as const;
  const { installationId } = await connectCustomer(busbar, customer);
  const readProgress = (objectName: string) =>
    busbar.inProject(
      "GET",
      `/integrations/reading/installations/${installationId}/objects/${objectName}/backfill-progress`,
    );
  const waiting = await readProgress("firm");
  assert.deepEqual([waiting.status, waiting.body.recordsProcessed], [200, 0], waiting.text);
  const waitsFor = (kind: string, name: string) =>
    until(async () => {
      const { waitingFor } = (await readProgress("firm")).body;
      return waitingFor?.kind === kind && waitingFor.name === name && waitingFor;
    });
  const { since } = await waitsFor("destination", "log");
  assert.ok(Date.parse(since) <= Date.now() + 1_000);
  const companies = { provider: "hubspot", path: "/objects/companies" } as const;
  // After a first page and the count of all, so that there is a rate.
  busbar.sandbox.addFault({ ...companies, status: 503, body: "", count: 1_000, skip: 2 });
  await busbar.inProject("POST", "/destinations", { name: "log", type: "log", metadata: {} });
  await waitsFor("provider", "hubspot");
  const { body: stopped } = await readProgress("firm");
  assert.ok(stopped.recordsProcessed > 0, JSON.stringify(stopped));
  assert.deepEqual([stopped.recordsPerSecond, stopped.secondsLeft], [undefined, undefined]);
  busbar.sandbox.clearFaults();
  busbar.sandbox.addFault({
    ...companies,
    status: 429,
    headers: { "retry-after": "1" },
    body: { message: "wait" },
    count: 1_000,
  });
  await waitsFor("rate_limit", "hubspot");
  busbar.sandbox.clearFaults();
  const done = await until(async () => {
    const { body } = await readProgress("companies");
    return body.recordsProcessed === all && body;
  });
  assert.deepEqual(
    [done.objectName, done.operationId, done.recordsEstimatedTotal],
    ["companies", waiting.body.operationId, all],
  );
  assert.ok(done.recordsPerSecond > 0, JSON.stringify(done));
  assert.equal(done.waitingFor, undefined);
  for (const [objectName, says] of [
    ["contacts", /has no backfill/],
    ["deals", /is not read/],
  ] as const) {
    const { status, body } = await readProgress(objectName);
    assert.equal(status, 404);
    assert.match(body.detail, says);
  }
});

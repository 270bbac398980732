/** A provider that breaks writes makes its customer unhealthy by their outcomes: nothing of them waits. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Client } from "pg";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { until } from "../../../tests/harness/until.ts";

interface Reason {
  type: string;
  name: string;
  detail: string;
  since: string;
}

const COMPANIES = "/crm/(v3/)?objects/companies";
/** HubSpot's answer to a property with a wrong value, by its documentation of errors. */
const REFUSAL = { status: "error", category: "VALIDATION_ERROR", message: "Property values were not valid" };

const busbar = await shareTestBusbar({ env: { BUSBAR_METRICS: "true", BUSBAR_MINUTE_MS: "1000" } });

const sql = new Client({ connectionString: busbar.dataUrl ?? busbar.connectionString });
await sql.connect();
busbar.sandbox.hubspot.setLimits("off");
const acme = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies", "contacts"] });

describe("writes that the provider breaks", () => {
  after(async () => {
    await sql.end();
  });

  const get = async (path: string) => (await busbar.inProject("GET", path)).body;
  const reasons = async (): Promise<Reason[]> =>
    (await get(`/integrations/hubspot/installations/${acme.installationId}`)).healthReasons;
  const create = (name: string) => acme.write("companies", { type: "create", record: { name } });
  const breakCreates = (status: number, body: unknown = "broken") =>
    busbar.sandbox.addFault({
      provider: "hubspot",
      method: "POST",
      path: COMPANIES,
      status,
      body,
      count: 1e6,
    });
  const configure = async (content: object) => {
    const path = `/integrations/hubspot/installations/${acme.installationId}`;
    const answer = await busbar.inProject("PATCH", path, {
      updateMask: ["config.content"],
      installation: { config: { content: { provider: "hubspot", proxy: { enabled: true }, ...content } } },
    });
    assert.equal(answer.status, 200, answer.text);
  };
  const mend = () => busbar.sandbox.clearFaults();
  /** What is counted of this customer, as soon as this many writes have failed in a row. */
  const counted = (failures: number) =>
    until(async () => {
      const { rows } = await sql.query("select failures from failing_writes where installation_id = $1", [
        acme.installationId,
      ]);
      return (rows[0]?.failures ?? 0) === failures;
    });

  test("make the customer unhealthy at the third in a row, until one of their kind succeeds", async () => {
    const { result } = await acme.succeed("companies", { type: "create", record: { name: "Kept" } });
    breakCreates(500);
    const startMs = Date.now();
    for (const name of ["one", "two"])
      assert.equal((await create(name)).body.type.split("/").at(-1), "unknown-outcome");
    await counted(2);
    assert.deepEqual(await reasons(), []);
    const third = (await create("three")).body;
    const [reason] = await until(async () => {
      const found = await reasons();
      return found.length > 0 && found;
    });
    assert.deepEqual([reason?.type, reason?.name], ["write", "companies"]);
    assert.match(reason?.detail ?? "", /^The last 3 creates failed at the provider.*500/);
    assert.match(reason?.detail ?? "", new RegExp(`log of operation ${third.operationId}`));
    const lastMs = Date.parse(/the last time at (\S+Z)/.exec(reason?.detail ?? "")?.[1] ?? "");
    assert.ok(lastMs >= startMs - 1_000 && lastMs <= Date.now(), reason?.detail);
    assert.match(reason?.detail ?? "", /ends with the next create that succeeds/);
    const sinceMs = Date.parse(reason?.since ?? "");
    assert.ok(sinceMs >= startMs - 1_000 && sinceMs <= Date.now(), reason?.since);

    // Each surface says it.
    const [listed] = (await get("/installations:search?healthStatus=unhealthy")).results;
    assert.equal(listed.id, acme.installationId);
    const [group] = (await get("/groups?healthStatus=unhealthy")).results;
    assert.deepEqual(group.healthReasons, [reason]);
    for (const q of ["acme", acme.installationId]) {
      const [found] = (await get(`/find?q=${q}`)).results;
      assert.equal(found.healthStatus, "unhealthy", found.kind);
    }
    await until(async () => {
      const [event] = (await get("/events?type=installation.health.changed&pageSize=1")).results;
      return event && (await get(`/events/${event.id}`)).data.healthReasons[0]?.detail === reason?.detail;
    });
    const { text } = await busbar.call("GET", "/metrics", undefined, {});
    assert.match(text, /^busbar_installations_unhealthy\{reason="write"\} 1$/m);

    // Updates work, which says nothing of creates; so does a refusal of what a record contains.
    await acme.succeed("companies", { type: "update", record: { id: result.recordId, phone: "1" } });
    mend();
    breakCreates(400, REFUSAL);
    assert.equal((await create("refused")).status, 422);
    mend();
    breakCreates(502);
    await create("four");
    await counted(4);
    assert.match((await reasons())[0]?.detail ?? "", /^The last 4 creates/);
    assert.equal((await reasons())[0]?.since, reason?.since);
    mend();
    assert.equal((await create("five")).status, 200);
    await until(async () => (await reasons()).length === 0);
  });

  test("count asynchronous ones and batches, each as one", async () => {
    breakCreates(500);
    await acme.succeed("companies", { type: "create", mode: "asynchronous", record: { name: "later" } });
    await counted(1);
    await acme.write("companies", {
      type: "create",
      batch: [{ record: { name: "a" } }, { record: { name: "b" } }],
    });
    await counted(2);
    mend();
    await create("ok");
    await counted(0);
  });

  test("are forgotten as soon as the object is not written any more", async () => {
    breakCreates(500);
    for (const name of ["one", "two", "three"]) await create(name);
    await until(async () => (await reasons()).length > 0);
    // Another object alone: this one stays.
    await configure({ write: { objects: { companies: { objectName: "companies" } } } });
    assert.equal((await reasons())[0]?.name, "companies");
    await configure({ write: { objects: { contacts: { objectName: "contacts" } } } });
    await until(async () => (await reasons()).length === 0);
    // Chosen again, it begins anew.
    await configure({});
    await create("four");
    await counted(1);
    mend();
    await create("ok");
    await counted(0);
  });

  test("begin no new count when they were queued before the object was taken out", async () => {
    const objects = (...names: string[]) => ({
      write: { objects: Object.fromEntries(names.map((objectName) => [objectName, { objectName }])) },
    });
    await configure(objects("companies", "contacts"));
    // The first one is refused for a moment; all wait for it.
    busbar.sandbox.addFault({
      provider: "hubspot",
      method: "POST",
      path: COMPANIES,
      status: 429,
      headers: { "retry-after": "3" },
      body: { status: "error", message: "later", errorType: "RATE_LIMIT", policyName: "SECONDLY" },
    });
    breakCreates(500);
    const queued: string[] = [];
    for (const name of ["one", "two", "three"]) {
      const { body } = await acme.write("companies", {
        type: "create",
        mode: "asynchronous",
        record: { name },
      });
      queued.push(body.operationId);
    }
    const hasEnded = async (id: string): Promise<boolean> =>
      (await get(`/operations/${id}`)).status !== "in_progress";
    assert.deepEqual(await Promise.all(queued.map(hasEnded)), [false, false, false]);
    await configure(objects("contacts"));
    await until(async () => (await Promise.all(queued.map(hasEnded))).every(Boolean));
    // A later outcome is counted behind them.
    busbar.sandbox.addFault({
      provider: "hubspot",
      method: "POST",
      path: COMPANIES.replace("companies", "contacts"),
      status: 500,
      body: "broken",
    });
    await acme.write("contacts", { type: "create", record: { email: "new@example.com" } });
    const { rows } = await until(async () => {
      const found = await sql.query("select object_name from failing_writes where installation_id = $1", [
        acme.installationId,
      ]);
      return found.rows.some((row) => row.object_name === "contacts") && found;
    });
    assert.deepEqual(rows, [{ object_name: "contacts" }]);
    assert.deepEqual(await reasons(), []);
    mend();
    await acme.succeed("contacts", { type: "create", record: { email: "newer@example.com" } });
    await configure({});
    await counted(0);
  });

  test("are forgotten a week after the last one", async () => {
    breakCreates(500);
    for (const name of ["one", "two", "three"]) await create(name);
    await until(async () => (await reasons()).length > 0);
    await sql.query(
      "update failing_writes set last_time = now() - interval '169 hours', since = now() - interval '9 days'",
    );
    assert.deepEqual(await reasons(), []);
    // The next one is the first again.
    await create("four");
    await counted(1);
    mend();
  });
});

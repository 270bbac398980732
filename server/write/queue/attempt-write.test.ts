import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { buildCatalogOverlay } from "../../../sandbox/catalog-overlay.ts";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { until } from "../../../tests/harness/until.ts";
import { openBoth } from "../../../tests/harness/two-databases.ts";
import { readConfig } from "../../../ground/config.ts";
import { createLog } from "../../../ground/log.ts";
import { openServices, type Cleanup, type Services } from "../../services.ts";
import type { ClaimedWrite } from "../../store/operations/write-queue.ts";
import { attemptWrite } from "./attempt-write.ts";
import { WriteTurns } from "./write-turns.ts";

/** The Busbar of this test accepts writes and executes none; the test is its worker. */
describe("one attempt at a queued write", () => {
  let busbar: TestBusbar;
  let services: Services;
  let dataDir: string;
  const closers: Cleanup = [];
  after(async () => {
    for (const close of closers.toReversed()) await close();
    await busbar.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  before(async () => {
    busbar = await openTestBusbar({ env: { BUSBAR_ROLES: "api,proxy" } });
    busbar.sandbox.hubspot.setLimits("off");
    dataDir = await mkdtemp(join(tmpdir(), "busbar-worker-"));
    const catalogPath = join(dataDir, "catalog.json");
    await writeFile(catalogPath, JSON.stringify(buildCatalogOverlay(busbar.sandbox.url)));
    const config = readConfig({
      DATABASE_URL: busbar.connectionString,
      BUSBAR_DATA_DATABASE_URL: busbar.dataUrl,
      BUSBAR_DATA_DIR: dataDir,
      BUSBAR_CATALOG: catalogPath,
      BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
      BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    });
    services = await openServices({ config, log: createLog("silent"), openBoth }, closers);
  });
  beforeEach(() => busbar.sandbox.clearFaults());

  let customers = 0;
  /** Gates are closed per connection, so each test has a customer of its own. */
  const customer = (): Promise<Customer> =>
    connectCustomer(busbar, {
      provider: "hubspot",
      objects: ["companies"],
      groupRef: `attempts-${++customers}`,
    });
  const create = { type: "create", record: { name: "Attempted" } };
  const fault = (more: object) =>
    busbar.sandbox.addFault({ provider: "hubspot", path: "/crm/v3/objects/companies", count: 1, ...more });
  const sent = () =>
    busbar.sandbox.requests({ provider: "hubspot", method: "POST", path: "/crm/v3/objects/companies" });

  const claimAll = () =>
    new WriteTurns(services.database.queries, () => services.identity.id).claim(100, () => 100);
  /** Accepts a write and claims it, as the worker does. */
  async function claimed(acme: Customer, body: object): Promise<ClaimedWrite> {
    const accepted = await acme.write("companies", { mode: "asynchronous", ...body });
    assert.equal(accepted.status, 200, accepted.text);
    const write = (await claimAll()).find(({ operationId }) => operationId === accepted.body.operationId);
    assert.ok(write);
    return write;
  }
  async function attempt(write: ClaimedWrite): Promise<string[]> {
    const results: string[] = [];
    const deps = { ...services, workerId: () => services.identity.id, retryBaseMs: 60_000 };
    await attemptWrite(deps, write, (result) => results.push(result));
    return results;
  }
  const queued = async (write: ClaimedWrite) => {
    const { rows } = await (services.database.dataPool ?? services.database.pool).query(
      "select claimed_by, attempts, due_time, may_have_been_sent, records from writes where operation_id = $1",
      [write.operationId],
    );
    return rows[0];
  };
  const operation = async (write: ClaimedWrite) =>
    (await busbar.inProject("GET", `/operations/${write.operationId}`)).body;
  const events = async (write: ClaimedWrite) => {
    const { rows } = await (services.database.dataPool ?? services.database.pool).query(
      "select data from events where type = 'write.async.done' and data->>'operationId' = $1",
      [write.operationId],
    );
    return rows.map(({ data }) => data);
  };

  test("ends the operation with its log and its event when the provider wrote the record", async () => {
    const write = await claimed(await customer(), create);
    assert.deepEqual(await attempt(write), ["sent"]);
    const { status, metadata } = await operation(write);
    assert.equal(status, "success");
    assert.equal(metadata.successfulRecordIds.length, 1);
    assert.equal(await queued(write), undefined);
    const [event, ...more] = await events(write);
    assert.deepEqual([event.success, event.errors, more], [true, [], []]);
    const log = await busbar.inProject("GET", `/operations/${write.operationId}/logs`);
    assert.match(log.text, /POST \/crm\/objects\/2026-03\/companies → 201/);
  });

  test("marks a create before it is sent, so that a crash meanwhile leaves a trace", async () => {
    const write = await claimed(await customer(), create);
    fault({ delayMs: 50_000 });
    const attempted = attempt(write);
    await until(async () => (await queued(write))?.may_have_been_sent === true);
    busbar.sandbox.clearFaults();
    assert.deepEqual(await attempted, ["sent"]);
  });

  test("puts a write that meets a rate limit back behind the connection's gate", async () => {
    const acme = await customer();
    const write = await claimed(acme, { ...create, retryPolicy: { deadlineHours: 48 } });
    fault({ preset: "hubspot.rate_limit", headers: { "retry-after": "3600" } });
    assert.deepEqual(await attempt(write), ["rate-limited"]);
    const back = await queued(write);
    const waitMs = back.due_time.getTime() - Date.now();
    assert.ok(waitMs > 3_500_000 && waitMs <= 3_600_000, String(waitMs));
    assert.deepEqual([back.claimed_by, back.attempts, back.may_have_been_sent], [null, 1, false]);
    assert.equal((await operation(write)).status, "in_progress");
    const accepted = await acme.write("companies", {
      mode: "asynchronous",
      retryPolicy: { deadlineHours: 48 },
      ...create,
    });
    assert.deepEqual(
      (await claimAll()).filter(({ operationId }) => operationId === accepted.body.operationId),
      [],
    );
  });

  test("sends nothing behind a gate that was closed after the claim, and gives the write back as it was", async () => {
    const acme = await customer();
    const write = await claimed(acme, create);
    const before = sent().length;
    services.gates.close(acme.connectionId, { retryable: true, retryAt: new Date(Date.now() + 60_000) });
    assert.deepEqual(await attempt(write), ["not-sent"]);
    const { claimed_by, attempts, may_have_been_sent } = await queued(write);
    assert.deepEqual([claimed_by, attempts, may_have_been_sent], [null, 0, false]);
    assert.equal((await operation(write)).status, "in_progress");
    assert.equal(sent().length, before);
  });

  test("ends a write whose deadline passes while the gate is closed, and says until when that is", async () => {
    const acme = await customer();
    const write = await claimed(acme, create);
    const before = sent().length;
    const retryAt = new Date(Date.now() + 2 * 3_600_000);
    services.gates.close(acme.connectionId, { retryable: true, retryAt });
    assert.deepEqual(await attempt(write), ["given-up"]);
    const { status, result } = await operation(write);
    assert.equal(status, "failure");
    assert.match(result, new RegExp(`Not sent: .*until ${retryAt.toISOString()}`));
    assert.equal((await events(write)).length, 1);
    assert.equal(sent().length, before);
  });

  test("sends nothing after the deadline unless the write was never tried", async () => {
    const acme = await customer();
    const deadline = new Date(Date.now() - 1_000);
    const tried = { ...(await claimed(acme, create)), attempts: 1, deadline };
    const before = sent().length;
    assert.deepEqual(await attempt(tried), ["given-up"]);
    assert.match((await operation(tried)).result, /deadline, .*, passed/);
    assert.equal(sent().length, before);
    const fresh = { ...(await claimed(acme, create)), deadline };
    assert.deepEqual(await attempt(fresh), ["sent"]);
    assert.equal((await operation(fresh)).status, "success");
  });

  test("does not repeat a create whose answer was lost, unless the caller asked for it", async () => {
    const acme = await customer();
    const write = await claimed(acme, create);
    fault({ reset: "after" });
    assert.deepEqual(await attempt(write), ["sent"]);
    const { status, result } = await operation(write);
    assert.equal(status, "failure");
    assert.match(result, /outcome is unknown/);

    const retryPolicy = { onUnknownOutcome: "retry" };
    const repeated = await claimed(acme, { ...create, retryPolicy });
    fault({ reset: "after" });
    assert.deepEqual(await attempt(repeated), ["sent"]);
    assert.equal((await operation(repeated)).status, "in_progress");
    assert.equal((await queued(repeated)).attempts, 1);
  });

  test("sends only those records of a batch that have no outcome yet, and reports all of them", async () => {
    const batch = ["One", "Two", "Three"].map((name) => ({ record: { name: `Partial ${name}` } }));
    const write = await claimed(await customer(), { type: "create", batch });
    const [first, second, third] = write.records as { planned: object }[];
    const refused = { success: false, kind: "invalid", message: "refused before" };
    const records = [
      { ...first, outcome: { success: true, recordId: "901" } },
      { ...second, outcome: refused },
      third,
    ] as ClaimedWrite["records"];
    assert.deepEqual(await attempt({ ...write, records, attempts: 1 }), ["sent"]);
    const body = sent().at(-1)?.body ?? "";
    assert.match(body, /Partial Three/);
    assert.doesNotMatch(body, /Partial (One|Two)/);
    const { status, result, metadata } = await operation(write);
    assert.equal(status, "success");
    assert.match(result, /2 succeeded, 1 failed/);
    assert.equal(metadata.successfulRecordIds[0], "901");
    assert.equal(metadata.retry.attempts, 2);
  });

  test("ends a write whose installation was deleted, and sends nothing", async () => {
    const acme = await customer();
    const write = await claimed(acme, create);
    const before = sent().length;
    const path = `/integrations/hubspot/installations/${acme.installationId}`;
    assert.equal((await busbar.inProject("DELETE", path)).status, 204);
    await until(async () => (await services.installations.findFields(write.installationId)) === undefined);
    assert.deepEqual(await attempt(write), ["given-up"]);
    assert.equal(await queued(write), undefined);
    assert.equal(sent().length, before);
  });
});

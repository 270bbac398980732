/** What a living process no longer knows that it has in the database is found, and ends like everything else. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hub
    provider: hubspot
    write:
      objects:
        - objectName: companies
`;

/** Ends the connection of a statement that changes this table in the middle of it, and does something before others may. */
async function breakOff(client: Client, table: string, meanwhile: () => Promise<void>): Promise<void> {
  // Reading goes on: a question that is broken off has nothing to lose.
  await client.query(`begin; lock table ${table} in exclusive mode`);
  await until(async () => {
    // Otherwise a transaction sees the same activity each time it looks.
    await client.query("select pg_stat_clear_snapshot()");
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'busbar' and datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount ? true : undefined;
  });
  await meanwhile();
  await client.query("commit");
}

describe("a claim whose answer was lost with the connection to the database", () => {
  let on: TestBusbar;
  let client: Client;
  let connectionId: string;
  before(async () => {
    on = await openTestBusbar();
    client = new Client({ connectionString: on.connectionString, application_name: "test" });
    await client.connect();
    const customer = { provider: "hubspot", manifest: MANIFEST, integration: "hub", groupRef: "g" } as const;
    ({ connectionId } = await connectCustomer(on, customer));
  });
  after(async () => {
    await client.end();
    await on.stop();
  });

  /** A write that the process has claimed, without having been told. */
  const claimedUnknowingly = async (name: string, called: boolean): Promise<string> => {
    await client.query("insert into connection_gates values ($1, now() + interval '1.5 seconds', true)", [
      connectionId,
    ]);
    const request = { groupRef: "g", type: "create", mode: "asynchronous", record: { name } };
    const { operationId } = (await on.write("hub", "companies", request)).body;
    const { rows } = await client.query(
      `select objid::int as id from pg_locks where classid = 735561
         and database = (select oid from pg_database where datname = current_database())`,
    );
    await breakOff(client, "writes", async () => {
      const claimed = "update writes set claimed_by = $1, called = $2 where operation_id = $3";
      await client.query(claimed, [rows[0].id, called, operationId]);
      await client.query("delete from connection_gates");
    });
    return operationId;
  };
  const endOf = (operationId: string) =>
    until(async () => {
      const { status, body } = await on.inProject("GET", `/operations/${operationId}`);
      // Connections to the database have just been broken off: the question may meet another of them.
      return status === 200 && body.status !== "in_progress" ? body : undefined;
    });
  const companies = (name: string): number =>
    on.sandbox.records("hubspot", "companies").filter((record) => JSON.stringify(record).includes(name))
      .length;

  test("is given back, and the write is carried out once", async () => {
    const ended = await endOf(await claimedUnknowingly("Never sent", false));
    assert.equal(ended.status, "success", JSON.stringify(ended));
    assert.equal(companies("Never sent"), 1);
  });

  test("of a create that may have been sent ends with an unknown outcome, and is not sent", async () => {
    const ended = await endOf(await claimedUnknowingly("Perhaps sent", true));
    assert.equal(ended.status, "failure");
    assert.match(ended.result, /unknown/);
    assert.equal(companies("Perhaps sent"), 0);
  });
});

describe("a synchronous write during which the database goes away", () => {
  test("is answered with what the provider said, and its operation ends when the database is back", async (t) => {
    const on = await openTestBusbar();
    t.after(() => on.stop());
    const customer = { provider: "hubspot", manifest: MANIFEST, integration: "hub", groupRef: "g" } as const;
    await connectCustomer(on, customer);
    on.sandbox.addFault({ provider: "hubspot", path: "/crm/v3/objects/companies", delayMs: 300, count: 1 });
    const client = new Client({ connectionString: on.connectionString, application_name: "test" });
    await client.connect();
    const answer = on.write("hub", "companies", {
      groupRef: "g",
      type: "create",
      record: { name: "Kept" },
    });
    await until(
      async () => on.sandbox.requests({ provider: "hubspot", method: "POST" }).length === 1 || undefined,
    );
    await breakOff(client, "operations", async () => {});
    await client.end();
    const { status, body, text } = await answer;
    assert.equal(status, 200, text);
    assert.equal(body.result.success, true);
    const { status: ended } = await until(async () => {
      const { status, body: operation } = await on.inProject("GET", `/operations/${body.operationId}`);
      return status === 200 && operation.status !== "in_progress" ? operation : undefined;
    });
    assert.equal(ended, "success");
  });
});

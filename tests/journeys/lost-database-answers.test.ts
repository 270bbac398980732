/** What a living process no longer knows that it has in the database is found, and ends like everything else. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openTestBusbar, type Answer, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer, type Customer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";

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
    return (rowCount ?? 0) > 0;
  });
  await meanwhile();
  await client.query("commit");
}

/** An operation when it has ended. */
const endOf = (on: TestBusbar, operationId: string): Promise<Answer["body"]> =>
  until(async () => {
    const { status, body } = await on.inProject("GET", `/operations/${operationId}`);
    // Connections to the database have just been broken off: the question may meet another of them.
    return status === 200 && body.status !== "in_progress" ? body : undefined;
  });

describe("a claim whose answer was lost with the connection to the database", () => {
  let on: TestBusbar;
  let client: Client;
  let acme: Customer;
  before(async () => {
    on = await openTestBusbar();
    client = new Client({ connectionString: on.connectionString, application_name: "test" });
    await client.connect();
    acme = await connectCustomer(on, { provider: "hubspot", objects: ["companies"] });
  });
  after(async () => {
    await client.end();
    await on.stop();
  });

  /** A write that the process has claimed, without having been told. */
  const claimedUnknowingly = async (name: string, called: boolean): Promise<string> => {
    await client.query("insert into connection_gates values ($1, now() + interval '5 seconds', true)", [
      acme.connectionId,
    ]);
    const request = { type: "create", mode: "asynchronous", record: { name } };
    const { operationId } = await acme.succeed("companies", request);
    const { rows } = await client.query(
      `select objid::int as id from pg_locks where classid = 735561
         and database = (select oid from pg_database where datname = current_database())`,
    );
    await breakOff(client, "writes", async () => {
      const claimed = "update writes set claimed_by = $1, may_have_been_sent = $2 where operation_id = $3";
      await client.query(claimed, [rows[0].id, called, operationId]);
      await client.query("delete from connection_gates");
    });
    return operationId;
  };
  const companies = (name: string): number =>
    on.sandbox.records("hubspot", "companies").filter((record) => JSON.stringify(record).includes(name))
      .length;

  test("is given back, and the write is carried out once", async () => {
    const ended = await endOf(on, await claimedUnknowingly("Never sent", false));
    assert.equal(ended.status, "success", JSON.stringify(ended));
    assert.equal(companies("Never sent"), 1);
  });

  test("of a create that may have been sent ends with an unknown outcome, and is not sent", async () => {
    const ended = await endOf(on, await claimedUnknowingly("Perhaps sent", true));
    assert.equal(ended.status, "failure");
    assert.match(ended.result, /unknown/);
    assert.equal(companies("Perhaps sent"), 0);
  });
});

describe("a synchronous write during which the database goes away", () => {
  test("is answered with what the provider said, and its operation ends when the database is back", async (t) => {
    const on = await openTestBusbar();
    t.after(() => on.stop());
    const acme = await connectCustomer(on, { provider: "hubspot", objects: ["companies"] });
    on.sandbox.addFault({ provider: "hubspot", path: "/crm/v3/objects/companies", delayMs: 3_000, count: 1 });
    const client = new Client({ connectionString: on.connectionString, application_name: "test" });
    await client.connect();
    const answer = acme.succeed("companies", { type: "create", record: { name: "Kept" } });
    await until(() => on.sandbox.requests({ provider: "hubspot", method: "POST" }).length === 1);
    await breakOff(client, "operations", async () => {});
    await client.end();
    const { result, operationId } = await answer;
    assert.equal(result.success, true);
    assert.equal((await endOf(on, operationId)).status, "success");
  });
});

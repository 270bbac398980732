/** What a living process no longer knows that it has in the database is found, and ends like everything else. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openTestBusbar, type Answer, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer, type Customer } from "../harness/connect-customer.ts";
import { OWN_LOCKS } from "../harness/database.ts";
import { startLossyDatabase, type LossyDatabase } from "../harness/lossy-database.ts";
import { until } from "../harness/until.ts";

/** Returns the process of a statement of Busbar that waits for a lock which this client has. */
const awaitWaiting = (client: Client): Promise<number> =>
  until(async () => {
    // Otherwise a transaction sees the same activity each time it looks.
    await client.query("select pg_stat_clear_snapshot()");
    const { rows } = await client.query(
      `select pid from pg_stat_activity
       where application_name = 'busbar' and datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.pid;
  });
const TERMINATE = "select pg_terminate_backend($1)";

/** An operation when it has ended. */
const awaitEnd = (busbar: TestBusbar, operationId: string): Promise<Answer["body"]> =>
  until(async () => {
    const { status, body } = await busbar.inProject("GET", `/operations/${operationId}`);
    // Connections to the database have just been broken off: the question may meet another of them.
    return status === 200 && body.status !== "in_progress" ? body : undefined;
  });

describe("a claim whose answer was lost with the connection to the database", () => {
  let busbar: TestBusbar;
  let client: Client;
  let other: Client;
  let acme: Customer;
  before(async () => {
    busbar = await openTestBusbar();
    [client, other] = [new Client(busbar.connectionString), new Client(busbar.connectionString)];
    await Promise.all([client.connect(), other.connect()]);
    acme = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"] });
  });
  after(async () => {
    await Promise.all([client.end(), other.end()]);
    await busbar.stop();
  });

  /** A write that the process has claimed, without having been told. */
  const claimedUnknowingly = async (name: string, called: boolean): Promise<string> => {
    // Every claim reads this table, and accepting a write does not.
    await client.query("begin; lock table connection_gates in access exclusive mode");
    const request = { type: "create", mode: "asynchronous", record: { name } };
    const { operationId } = await acme.succeed("companies", request);
    const { rows } = await client.query(
      `select objid::int as id from pg_locks where classid = 735561
         and ${OWN_LOCKS}`,
    );
    const waiting = await awaitWaiting(client);
    const claimed = "update writes set claimed_by = $1, may_have_been_sent = $2 where operation_id = $3";
    await other.query(claimed, [rows[0].id, called, operationId]);
    await client.query(TERMINATE, [waiting]);
    await client.query("commit");
    return operationId;
  };
  const companies = (name: string): number =>
    busbar.sandbox.records("hubspot", "companies").filter((record) => JSON.stringify(record).includes(name))
      .length;

  test("is given back, and the write is carried out once", async () => {
    const ended = await awaitEnd(busbar, await claimedUnknowingly("Never sent", false));
    assert.equal(ended.status, "success", JSON.stringify(ended));
    assert.equal(companies("Never sent"), 1);
  });

  test("of a create that may have been sent ends with an unknown outcome, and is not sent", async () => {
    const ended = await awaitEnd(busbar, await claimedUnknowingly("Perhaps sent", true));
    assert.equal(ended.status, "failure");
    assert.match(ended.result, /unknown/);
    assert.equal(companies("Perhaps sent"), 0);
  });
});

describe("a request whose commit the database does not confirm", () => {
  let busbar: TestBusbar;
  let acme: Customer;
  let lossy: LossyDatabase;
  before(async () => {
    busbar = await openTestBusbar();
    lossy = await startLossyDatabase(busbar.connectionString);
    await busbar.restart({ DATABASE_URL: lossy.connectionString });
    acme = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"] });
  });
  after(async () => {
    await busbar.stop();
    lossy.close();
  });
  const create = (name: string, more: Record<string, unknown>) =>
    acme.write("companies", { type: "create", record: { name }, ...more });
  const created = (name: string): number =>
    busbar.sandbox.records("hubspot", "companies").filter((record) => JSON.stringify(record).includes(name))
      .length;

  test("is accepted as an asynchronous create, and carried out once", async () => {
    const names = ["Ada", "Bob", "Cleo"];
    lossy.loseAnswer("accept-writes");
    const answers = await Promise.all(names.map((name) => create(name, { mode: "asynchronous" })));
    assert.equal(lossy.lost, 1);
    for (const { status, body } of answers) {
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal((await awaitEnd(busbar, body.operationId)).status, "success");
    }
    for (const name of names) assert.equal(created(name), 1, name);
  });

  test("is not told to have done nothing, where it cannot be found out", async () => {
    lossy.loseAnswer("commit", "Dora");
    const { status, body } = await create("Dora", {
      mode: "asynchronous",
      autoBatchPolicy: { maxDelayMinutes: 1 },
    });
    assert.equal(lossy.lost, 2);
    assert.equal(status, 503);
    assert.match(body.detail, /may have been carried out or not/);
    assert.equal(body.retryable, false);
  });
});

describe("a synchronous write during which the database goes away", () => {
  test("is answered with what the provider said, and its operation ends when the database is back", async (t) => {
    const busbar = await openTestBusbar();
    t.after(() => busbar.stop());
    const acme = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"] });
    const client = new Client(busbar.connectionString);
    await client.connect();
    // The operation begins by an insert and ends by an update, which waits for this lock whenever it comes.
    await client.query(`
      create function wait_for_test() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(4711); return new; end $$;
      create trigger wait_for_test before update on operations for each row execute function wait_for_test();
      select pg_advisory_lock(4711)`);
    const answer = acme.succeed("companies", { type: "create", record: { name: "Kept" } });
    await client.query(TERMINATE, [await awaitWaiting(client)]);
    await client.query("select pg_advisory_unlock(4711)");
    await client.end();
    const { result, operationId } = await answer;
    assert.equal(result.success, true);
    assert.equal((await awaitEnd(busbar, operationId)).status, "success");
  });
});

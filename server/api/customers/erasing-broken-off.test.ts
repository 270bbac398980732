/** Erasures that an outage of the database breaks off. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { openTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { eraseWhole } from "../../../tests/harness/erase-whole.ts";

/** The customer that is erased. */
const MARK = "erasemark";

test("an erasure that the database stops half way says that it is not done, rather than that nothing was, and goes on", async (t) => {
  const busbar = await openTestBusbar();
  t.after(() => busbar.stop());
  await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef: MARK });
  const locker = new Client(busbar.dataUrl ?? busbar.connectionString);
  await locker.connect();
  await locker.query("begin; lock table events in access exclusive mode");
  const stopped = await busbar.inProject("DELETE", `/groups/${MARK}`);
  assert.deepEqual([stopped.status, stopped.body.done, stopped.body.erased?.connections], [200, false, 1]);
  await locker.query("rollback");
  await locker.end();
  await eraseWhole(busbar, MARK);
});

test("an erasure that the database breaks off at any of its steps can be repeated, whenever it says that it is not done", async (t) => {
  const busbar = await openTestBusbar();
  const client = new Client(busbar.dataUrl ?? busbar.connectionString);
  await client.connect();
  t.after(async () => {
    await client.end();
    await busbar.stop();
  });
  await client.query(`
    create sequence passes;
    create table broken_pass (pass integer);
    create function break_pass() returns trigger language plpgsql as $$ begin
      if nextval('passes') = (select pass from broken_pass) then
        raise exception 'terminating connection' using errcode = '57P01';
      end if;
      return null;
    end $$;
    create trigger breaks before delete on operations for each statement execute function break_pass()`);
  // The first erasure runs through and counts the steps.
  let passes = 1;
  for (let pass = 0; pass <= passes; pass += 1) {
    await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef: MARK });
    await client.query("truncate broken_pass; select setval('passes', 1, false)");
    await client.query("insert into broken_pass values ($1)", [pass]);
    const first = await busbar.inProject("DELETE", `/groups/${MARK}`);
    assert.equal(first.status, 200, first.text);
    const { rows } = await client.query<{ last: number }>("select last_value::integer as last from passes");
    passes = Math.max(passes, Number(rows[0]?.last));
    if (first.body.done) continue;
    await eraseWhole(busbar, MARK);
  }
  assert.ok(passes >= 2, `${passes} passes`);
});

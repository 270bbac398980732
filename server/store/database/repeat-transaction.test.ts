/** Transactions that lose a race against another one are run again: an erasure and a page of a read lock the same rows in another order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "../../../tests/harness/database.ts";
import { transactData } from "./database.ts";

test("two transactions that block each other are both committed, one of them at its second try", async (t) => {
  const database = await testDatabase(t);
  const { pool } = database;
  await pool.query("create table counters (name text primary key, value integer not null default 0)");
  await pool.query("insert into counters (name) values ('a'), ('b')");
  const both = Promise.withResolvers<void>();
  const committed = Promise.withResolvers<void>();
  let began = 0;
  let tries = 0;
  const countBoth = (first: string, second: string) =>
    transactData(database, async (queries) => {
      tries += 1;
      // The second try waits for the other transaction: PostgreSQL may give the freed row to either of the two.
      if (tries === 3) await committed.promise;
      const add = (name: string) =>
        sql`update counters set value = value + 1 where name = ${name}`.execute(queries);
      await add(first);
      began += 1;
      if (began === 2) both.resolve();
      await both.promise;
      await add(second);
    }).then(committed.resolve);
  await Promise.all([countBoth("a", "b"), countBoth("b", "a")]);
  assert.equal(tries, 3);
  const { rows } = await pool.query("select name, value from counters order by name");
  assert.deepEqual(rows, [
    { name: "a", value: 2 },
    { name: "b", value: 2 },
  ]);
});

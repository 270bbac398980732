/** A role that serves without owning the schema. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../tests/harness/database.ts";
import { grantServing } from "./grant-serving.ts";

test("a granted role may change rows, present and future ones, but neither tables nor migrations", async (t) => {
  const { queries, pool } = await testDatabase(t);
  await assert.rejects(grantServing(queries, "nobody_here"), { message: /no role nobody_here/ });
  // Any role but the owner: the tests' role cannot create one.
  const role = "pg_monitor";
  await grantServing(queries, role);
  await pool.query("create table later (id text)");
  const { rows } = await pool.query(
    `select has_table_privilege($1, 'projects', 'insert,update,delete') as rows,
            has_table_privilege($1, 'later', 'update') as later,
            has_sequence_privilege($1, 'worker_ids', 'usage') as sequences,
            has_table_privilege($1, 'migrations', 'select') as migrations,
            has_table_privilege($1, 'migrations', 'insert') as "insertMigrations",
            has_schema_privilege($1, 'public', 'create') as tables`,
    [role],
  );
  assert.deepEqual(rows, [
    { rows: true, later: true, sequences: true, migrations: true, insertMigrations: false, tables: false },
  ]);
});

/** A role that serves without owning the schema. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { testDatabase } from "../../../tests/harness/database.ts";
import { createLog } from "../../../ground/log.ts";
import { grantServing } from "./grant-serving.ts";
import { migrate } from "../database/migrate.ts";

test("a role without rights on a migrated database is told how to get them", async (t) => {
  const { connectionString } = await testDatabase(t, { isDivided: false });
  const client = new Client({ connectionString });
  await client.connect();
  // The tests' role cannot create one without rights, so it takes them from itself.
  await client.query("revoke select on migrations from current_user");
  const refused = migrate(client, createLog("silent"));
  await assert.rejects(refused, { name: "StartError", message: /run "busbar migrate --grant \w+"/ });
  await client.end();
});

test("a granted role may change rows, present and future ones, but neither tables nor migrations", async (t) => {
  const { queries, pool } = await testDatabase(t, { isDivided: false });
  await assert.rejects(grantServing(queries, "nobody_here"), { message: /no role nobody_here/ });
  // Any role but the owner: the tests' role cannot create one.
  const role = "pg_monitor";
  const mayDrop = "select has_function_privilege($1, 'drop_history_range(text, text)', 'execute') as may";
  assert.deepEqual((await pool.query(mayDrop, [role])).rows, [{ may: false }]);
  await grantServing(queries, role);
  await pool.query("create table later (id text)");
  const { rows } = await pool.query(
    `select has_table_privilege($1, 'projects', 'insert,update,delete') as rows,
            has_table_privilege($1, 'later', 'update') as later,
            has_sequence_privilege($1, 'worker_ids', 'usage') as sequences,
            has_table_privilege($1, 'migrations', 'select') as migrations,
            has_table_privilege($1, 'migrations', 'insert') as "insertMigrations",
            has_function_privilege($1, 'drop_history_range(text, text)', 'execute') as ranges,
            has_schema_privilege($1, 'public', 'create') as tables`,
    [role],
  );
  assert.deepEqual(rows, [
    {
      rows: true,
      later: true,
      sequences: true,
      migrations: true,
      insertMigrations: false,
      ranges: true,
      tables: false,
    },
  ]);
});

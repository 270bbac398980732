/** A kept connection: what happens while it is opened again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { createTestDatabase } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { createLog } from "../../../ground/log.ts";
import { keepConnection } from "./kept-connection.ts";

test("a connection that is closed while it is being opened again does not stay open", async (t) => {
  const { connectionString, drop } = await createTestDatabase();
  t.after(drop);
  const applicationName = "kept for a test";
  const prepared = Promise.withResolvers<void>();
  let opened = 0;
  const kept = await keepConnection({
    connectionString,
    applicationName,
    log: createLog("silent"),
    retryMs: 10,
    async prepare() {
      opened += 1;
      if (opened > 1) await prepared.promise;
    },
  });
  await assert.rejects(kept.query("select pg_terminate_backend(pg_backend_pid())"));
  await until(() => opened > 1);
  await kept.close();
  prepared.resolve();
  const observer = new Client({ connectionString });
  await observer.connect();
  await until(async () => {
    const open = "select from pg_stat_activity where datname = current_database() and application_name = $1";
    return (await observer.query(open, [applicationName])).rowCount === 0;
  });
  await observer.end();
  assert.equal(kept.connected, false);
});

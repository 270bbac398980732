/** Databases behind a connection pooler. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { createTestDatabase, OWN_LOCKS } from "../../../tests/harness/database.ts";
import { noPgbouncer, startPgbouncer } from "../../../tests/harness/pgbouncer.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase } from "./open-database.ts";
import { openPool } from "./pool.ts";
import { openClient } from "./prepare-database.ts";

describe("a database behind PgBouncer", { skip: noPgbouncer }, () => {
  const log = createLog("silent");

  const modes: Record<string, string>[] = [
    { pool_mode: "transaction" },
    { pool_mode: "transaction", server_round_robin: "1" },
    { pool_mode: "statement" },
  ];
  for (const settings of modes) {
    test(`is refused at the start with a sentence: ${Object.values(settings).join(", ")}`, async (t) => {
      const { connectionString, drop } = await createTestDatabase({ isDivided: false });
      const pooler = await startPgbouncer(connectionString, settings);
      t.after(async () => {
        await pooler.stop();
        await drop();
      });
      await assert.rejects(openDatabase({ connectionString: pooler.connectionString, log }), {
        name: "StartError",
        message: /pooler in transaction or statement mode.*session mode/,
      });
    });
  }

  test("keeps no lock of a start with two databases that is refused", async (t) => {
    const { connectionString, drop } = await createTestDatabase({ isDivided: false });
    const pooler = await startPgbouncer(connectionString, { pool_mode: "transaction" });
    const watcher = await openClient(connectionString);
    t.after(async () => {
      await watcher.end();
      await pooler.stop();
      await drop();
    });
    const refused = openDatabase({
      connectionString: pooler.connectionString,
      dataUrl: connectionString,
      log,
    });
    await assert.rejects(refused, { name: "StartError" });
    const { rows } = await watcher.query(`select from pg_locks where locktype = 'advisory' and ${OWN_LOCKS}`);
    assert.equal(rows.length, 0);
    await assert.rejects(refused, { message: /pooler in transaction or statement mode/ });
  });

  test("is used in session mode", async (t) => {
    const { connectionString, drop } = await createTestDatabase({ isDivided: false });
    const pooler = await startPgbouncer(connectionString, { pool_mode: "session" });
    const database = await openDatabase({ connectionString: pooler.connectionString, log });
    t.after(async () => {
      await database.close();
      await pooler.stop();
      await drop();
    });
    assert.deepEqual(await database.queries.selectFrom("projects").select("id").execute(), []);
  });

  test("is used although a session still has the prepared statements of an earlier connection", async (t) => {
    const { connectionString, drop } = await createTestDatabase({ isDivided: false });
    // One session, which PgBouncer gives on as it was.
    const settings = { pool_mode: "session", default_pool_size: "1", server_reset_query: "" };
    const pooler = await startPgbouncer(connectionString, settings);
    t.after(async () => {
      await pooler.stop();
      await drop();
    });
    for (let connection = 0; connection < 2; connection++) {
      const options = { connectionString: pooler.connectionString, applicationName: "test", log, size: 1 };
      const { queries } = openPool(options);
      const { rows } = await sql`/* prepare one */ select 1 as one`.execute(queries);
      await queries.destroy();
      assert.deepEqual(rows, [{ one: 1 }]);
    }
  });
});

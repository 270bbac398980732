/** Wake-ups: workers of all processes hear of committed work soon and in few messages. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import { testDatabase, type Scope } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import { createLog } from "../../../ground/log.ts";
import { listenForChanges } from "./changes.ts";
import type { Database, Queries } from "./database.ts";
import { buildWakeColumn } from "./wake-ups.ts";

const wake = (queries: Queries, table: string) => sql`select ${buildWakeColumn(table)}`.execute(queries);

async function openHearing(t: Scope): Promise<{ database: Database; heard: string[] }> {
  const database = await testDatabase(t, { isDivided: false });
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  const heard: string[] = [];
  changes.subscribe((change) => heard.push(change?.table ?? "reconnected"));
  return { database, heard };
}

/** Wakes the workers of "one" in a transaction that is rolled back, and those of "two" in one that commits when it is told to. */
const OTHER_PROCESS = `
  const { openDatabase } = await import(process.env.STORE + "open-database.ts");
  const { transact, rehearse } = await import(process.env.STORE + "database.ts");
  const { buildWakeColumn } = await import(process.env.STORE + "wake-ups.ts");
  const { createLog } = await import(process.env.STORE + "../../../ground/log.ts");
  const { sql } = await import(process.env.KYSELY);
  const database = await openDatabase({ connectionString: process.env.DATABASE_URL, log: createLog("silent") });
  await rehearse(database, (queries) => sql\`select \${buildWakeColumn("one")}\`.execute(queries));
  await transact(database, async (queries) => {
    await sql\`select \${buildWakeColumn("two")}\`.execute(queries);
    console.log("not committed yet");
    await new Promise((resolve) => process.stdin.once("data", resolve));
  });
  console.log("committed");
  await new Promise((resolve) => process.stdin.once("end", resolve));
  await database.close();
`;

test("work of another process is heard once its transaction is committed, and not at all after a rollback", async (t) => {
  const { database, heard } = await openHearing(t);
  const other = spawn(process.execPath, ["--input-type=module", "-e", OTHER_PROCESS], {
    env: {
      ...process.env,
      DATABASE_URL: database.connectionString,
      STORE: new URL("./", import.meta.url).href,
      KYSELY: import.meta.resolve("kysely"),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(other, "exit");
  const said = createInterface(other.stdout)[Symbol.asyncIterator]();
  assert.equal((await said.next()).value, "not committed yet");
  await wait(100);
  assert.deepEqual(heard, []);
  other.stdin.write("commit\n");
  assert.equal((await said.next()).value, "committed");
  await until(() => heard.length > 0);
  assert.deepEqual(heard, ["two"]);
  other.stdin.end();
  assert.deepEqual(await ended, [0, null]);
});

test("many commits share a message in five milliseconds, and the last one is heard", async (t) => {
  const { database, heard } = await openHearing(t);
  const startedMs = elapsedMs();
  await Promise.all(
    Array.from({ length: 500 }, () =>
      database.queries.transaction().execute((queries) => wake(queries, "many")),
    ),
  );
  await wake(database.queries, "last");
  await until(() => heard.includes("last"));
  const max = 2 + (elapsedMs() - startedMs) / 5;
  assert.ok(heard.filter((table) => table === "many").length <= max, `${heard.length} of at most ${max}`);
});

test("a statement whose condition does not hold wakes nobody", async (t) => {
  const { database, heard } = await openHearing(t);
  await sql`select ${buildWakeColumn("nobody", sql`1 = 2`)}`.execute(database.queries);
  await wake(database.queries, "somebody");
  await until(() => heard.length > 0);
  assert.deepEqual(heard, ["somebody"]);
});

test("a wake-up after the connection that listens was lost is heard by the next one", async (t) => {
  const { database, heard } = await openHearing(t);
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'busbar changes'",
  );
  await until(() => heard.includes("reconnected"));
  await wake(database.queries, "again");
  await until(() => heard.includes("again"));
});

/** Migrations beside processes that go on writing. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { createLog } from "../../../ground/log.ts";
import { PROJECT_ROOT } from "../../../ground/project-root.ts";
import { createEmptyDatabase } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { migrate } from "./migrate.ts";

const log = createLog("silent");
const BEFORE = "0018_order_of_groups.sql";

test("the index of failed deliveries is built while others write, by one of the processes that start together, also after a broken-off attempt", async (t) => {
  const clients: Client[] = [];
  // Before the database is dropped, hence added first.
  t.after(() => Promise.all(clients.map((client) => client.end())));
  const connectionString = await createEmptyDatabase(t);
  for (let index = 0; index < 4; index += 1) clients.push(new Client({ connectionString }));
  for (const client of clients) await client.connect();
  const [writer, other, ...starting] = clients as [Client, Client, ...Client[]];
  const upTo = (await readdir(join(PROJECT_ROOT, "migrations"))).filter((name) => name <= BEFORE);
  await migrate(writer, log, { upTo });
  // An index of this name that cannot be used, as an attempt leaves it that was broken off.
  await writer.query("create index deliveries_last_failure on deliveries (state)");
  // A snapshot of before holds up the end of the build, and no lock.
  await writer.query("begin isolation level repeatable read");
  await writer.query("select from projects");
  const migrated = Promise.all(starting.map((client) => migrate(client, log)));
  await until(async () => {
    const { rows } = await other.query(
      "select from pg_index join pg_class on oid = indexrelid where relname = 'deliveries_last_failure' and not indisvalid",
    );
    return rows.length === 1;
  });
  await other.query(
    "insert into deliveries (destination_id, event_id, state, due_time) values (gen_random_uuid(), gen_random_uuid(), 'waiting', now())",
  );
  await writer.query("commit");
  await migrated;
  const { rows } = await other.query<{ definition: string; valid: boolean }>(
    `select indexdef as definition, indisvalid as valid from pg_indexes join pg_class on relname = indexname
     join pg_index on indexrelid = oid where indexname = 'deliveries_last_failure'`,
  );
  assert.equal(rows.length, 1);
  assert.equal(rows[0]?.valid, true);
  assert.match(rows[0].definition, /failures > 0/);
});

test("the last step of every migration is a transaction, which records it", async () => {
  const folder = join(PROJECT_ROOT, "migrations");
  for (const name of await readdir(folder)) {
    const steps = (await readFile(join(folder, name), "utf8")).match(
      /^-- (Next transaction|Concurrently)\b/gm,
    );
    assert.notEqual(steps?.at(-1), "-- Concurrently", name);
  }
});

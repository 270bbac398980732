/** Backups of several shards: one file from one moment, restored into one database or two, with all customers in the main shard. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { sql } from "kysely";
import { insertCustomerRows, readAllRows } from "../../tests/harness/customer-rows.ts";
import { createEmptyDatabase, createTestDatabase } from "../../tests/harness/database.ts";
import { createEmptyPair } from "../../tests/harness/empty-pair.ts";
import { stockDatabase } from "../../tests/harness/proxy/stock-database.ts";
import { addOnce, log } from "../../tests/harness/shards.ts";
import { freePort } from "../../tests/harness/free-port.ts";
import { openSnapshots } from "../store/maintenance/open-snapshots.ts";
import { waitForCopies } from "../../tests/harness/wait-for-copies.ts";
import { readConfig } from "../../ground/config.ts";
import { newId } from "../../ground/ids.ts";
import { insertDestination } from "../store/deliveries/destinations.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { writeBackup, restore } from "./backup-command.ts";

const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;

test("of three shards is one file, and restored into one database or two, where all customers are in main", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-backup-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const closing: (() => Promise<unknown>)[] = [];
  const urls: Record<string, string> = {};
  let connectionString = "";
  t.after(async () => {
    for (const close of closing) await close();
  });
  t.after(() => addOnce(connectionString, urls).unpair());
  const created = await createTestDatabase({ isDivided: false });
  t.after(created.drop);
  ({ connectionString } = created);
  for (const name of ["a", "b"]) urls[name] = await createEmptyDatabase(t);
  const database = await openDatabase({ connectionString, log, poolSize: 5 });
  closing.push(() => database.close());
  const stocks = [];
  for (const projectName of ["main", "a", "b"]) {
    const stock = await stockDatabase(database.queries, { projectName });
    const destination = { id: newId(), projectId: stock.projectId, name: "d", type: "webhook" };
    await insertDestination(database.control, { ...destination, metadata: {}, secretsSealed: "" });
    stocks.push({ ...stock, destinationId: destination.id, groupRef: "customer-1", shard: projectName });
  }
  await addOnce(connectionString, urls).add(database);
  for (const { shard, projectId } of stocks.slice(1))
    await sql`update groups set shard = ${shard} where project_id = ${projectId}`.execute(database.control);
  for (const dataUrl of Object.values(urls)) await waitForCopies({ connectionString, dataUrl });
  const expected: Record<string, string[]> = {};
  for (const { shard, ...owner } of stocks) {
    const client = new Client({ connectionString: urls[shard] ?? connectionString });
    await client.connect();
    closing.unshift(() => client.end());
    if (shard === "main") await client.query("delete from read_syncs; delete from subscription_syncs");
    await insertCustomerRows(client, owner, 2);
    for (const [table, lines] of Object.entries(await readAllRows(client)))
      expected[table] = [...(expected[table] ?? []), ...lines];
  }
  for (const lines of Object.values(expected)) lines.sort();

  const services = (more: Record<string, string | undefined>) => ({
    config: readConfig({ BUSBAR_DATA_DIR: folder, BUSBAR_ENCRYPTION_KEYS: KEYS, ...more }),
    log,
  });
  const file = join(folder, "backup");
  await sql`insert into shard_moves (group_id, state) select id, 'closing' from groups limit 1`.execute(
    database.control,
  );
  await assert.rejects(writeBackup(services({ DATABASE_URL: connectionString }), file), {
    name: "StartError",
    message: /the customer customer-1 is being moved.*busbar shards list/,
  });
  await sql`delete from shard_moves`.execute(database.control);
  await sql`update shards set state = 'failed' where name = 'b'`.execute(database.control);
  await assert.rejects(writeBackup(services({ DATABASE_URL: connectionString }), file), {
    name: "StartError",
    message: /customers are in the shard b, which is not open/,
  });
  await sql`update shards set state = 'active'`.execute(database.control);
  const otherKeys = { BUSBAR_ENCRYPTION_KEYS: `other:${Buffer.alloc(32, 8).toString("base64")}` };
  await assert.rejects(writeBackup(services({ DATABASE_URL: connectionString, ...otherKeys }), file), {
    name: "StartError",
    message: /includes the shard a, and the key.*BUSBAR_ENCRYPTION_KEYS/,
  });
  const opened: Client[] = [];
  const away = { name: "b", url: `postgres://busbar@127.0.0.1:${await freePort()}/busbar` };
  await assert.rejects(openSnapshots({ connectionString, shards: [away] }, opened), {
    name: "StartError",
    message: /^cannot connect to the database of the shard b:/,
  });
  for (const client of opened) await client.end();
  await writeBackup(services({ DATABASE_URL: connectionString }), file);

  const one = await createEmptyDatabase(t);
  await restore(services({ DATABASE_URL: one }), file);
  const two = await createEmptyPair(t);
  await restore(
    services({
      DATABASE_URL: two.connectionString,
      BUSBAR_DATA_DATABASE_URL: two.dataUrl,
      BUSBAR_REPLICATION_URL: two.replicationUrl,
    }),
    file,
  );
  for (const url of [one, two.dataUrl]) {
    const client = new Client({ connectionString: url });
    await client.connect();
    closing.unshift(() => client.end());
    const restored = await readAllRows(client);
    for (const lines of Object.values(restored)) lines.sort();
    assert.deepEqual(restored, expected);
    assert.deepEqual((await client.query("select from groups where shard is not null")).rows, []);
    // New rows get numbers that nobody has.
    await client.query(
      `insert into held_messages (installation_id, object_name, event_id, destination_id, size_bytes, operation_id)
       select installation_id, object_name, event_id, destination_id, size_bytes, operation_id from held_messages limit 1`,
    );
  }
});

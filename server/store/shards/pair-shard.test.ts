/** Adding a database as a shard of a control database that is in use, and what is refused before anything is made. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { stockDatabase } from "../../../tests/harness/proxy/stock-database.ts";
import { createShardScene, log, testShards } from "../../../tests/harness/shards.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import { waitForCopies } from "../../../tests/harness/wait-for-copies.ts";
import { openDatabase } from "../database/open-database.ts";
import { migrateSide, openClient } from "../database/prepare-database.ts";
import { nameSlot } from "../sides/pair-databases.ts";
import { pairShard, unpairShard } from "./pair-shard.ts";

test("a shard has copies of what was there before, and a change waits for those of every shard", async (t) => {
  let stocked = { projectId: "", installationId: "" };
  const main = await testShards(t, ["a", "b"], async ({ queries }) => {
    stocked = await stockDatabase(queries);
  });
  const [, a, b] = main.shards;
  assert.deepEqual(
    main.shards.map(({ shard }) => shard),
    ["main", "a", "b"],
  );
  for (const shard of [a, b]) {
    const { rows } = await sql`select id from installations`.execute(shard?.data ?? main.data);
    assert.deepEqual(rows, [{ id: stocked.installationId }]);
    // Otherwise the slot forgets changes that a standby of the shard does not have yet.
    const commits = await sql<{ wait: string }>`
      select subsynccommit as wait from pg_subscription join pg_database on pg_database.oid = subdbid
      where datname = current_database()`.execute(shard?.data ?? main.data);
    assert.deepEqual(commits.rows, [{ wait: "on" }]);
  }
  for (let n = 0; n < 10; n += 1) {
    const startedMs = elapsedMs();
    await sql`update projects set name = ${`p${n}`}`.execute(main.control);
    for (const shard of [a, b]) {
      // It waits for a second at most, which may be too short for a busy machine.
      if (elapsedMs() - startedMs >= 1_000) await waitForCopies(shard ?? main);
      const { rows } = await sql`select name from projects`.execute(shard?.data ?? main.data);
      assert.deepEqual(rows, [{ name: `p${n}` }]);
    }
  }
});

/** Lists what Busbar has made in a database. */
async function listMade(url: string): Promise<unknown[]> {
  const client = await openClient(url);
  const { rows } = await client.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace union all select nspname from pg_namespace where nspname like 'busbar%'",
  );
  await client.end();
  return rows;
}

test("a database that cannot be a shard is refused with the reason and the shard's name, and nothing is made", async (t) => {
  const { connectionString, pairs } = await createShardScene(t, ["a", "b"]);
  const [a, b] = pairs;
  assert.ok(a && b);
  const refuses = (pair: typeof a, message: RegExp) =>
    assert.rejects(pairShard(pair, log), { name: "StartError", message });
  const gone = new URL(a.url);
  gone.pathname = "/test_gone";
  await refuses({ ...a, url: connectionString }, /the shard a names the same database as DATABASE_URL/);
  await refuses({ ...a, url: gone.href }, /cannot connect to the database of the shard a.*test_gone/);
  await refuses({ ...a, replicationUrl: gone.href }, /the server of the shard a cannot subscribe.*test_gone/);
  await refuses({ ...a, replicationUrl: undefined }, /cannot subscribe.*needs REPLICATION and a password/);
  assert.deepEqual(await listMade(a.url), []);
  const client = await openClient(b.url);
  await client.query("create table theirs ()");
  await client.end();
  await refuses(b, /the database of the shard b is not empty \(it has the table theirs\): name an empty one/);
  const control = await openClient(connectionString);
  const { rows } = await control.query(
    "select pubname from pg_publication union all select slot_name from pg_replication_slots where database = current_database()",
  );
  await control.end();
  assert.deepEqual(rows, []);
});

test("a shard is added once: again it is found whole, under another name it is refused, and taken away it can be opened no more", async (t) => {
  const { connectionString, pairs } = await createShardScene(t, ["a"]);
  const [a] = pairs;
  assert.ok(a);
  const main = await openDatabase({ connectionString, log, poolSize: 2 });
  t.after(() => main.close());
  await stockDatabase(main.queries);
  await pairShard(a, log);
  await pairShard(a, log);
  await assert.rejects(pairShard({ ...a, name: "other", slot: nameSlot() }, log), {
    name: "StartError",
    message: /the database of the shard other belongs to another control database, or is a shard of this one/,
  });
  await unpairShard(a);
  const { rows } = await main.pool.query(
    "select from pg_replication_slots where database = current_database()",
  );
  assert.equal(rows.length, 0);
  await assert.rejects(pairShard(a, log), { message: /the shard a is not empty/ });
});

test("what a crash left of adding a shard does not hinder adding it again", async (t) => {
  const { connectionString, pairs } = await createShardScene(t, ["a"]);
  const [a] = pairs;
  assert.ok(a);
  const main = await openDatabase({ connectionString, log, poolSize: 2 });
  t.after(() => main.close());
  const { installationId } = await stockDatabase(main.queries);
  // As after a crash between the slot and the copies.
  await main.pool.query("select pg_create_logical_replication_slot($1, 'pgoutput')", [a.slot]);
  const client = await openClient(a.url);
  await migrateSide("data", a.url, log);
  await pairShard(a, log);
  const { rows } = await client.query("select id from installations");
  await client.end();
  assert.deepEqual(rows, [{ id: installationId }]);
});

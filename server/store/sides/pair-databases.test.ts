/** The first start with two databases, and what it refuses before it changes anything. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { sql } from "kysely";
import { createTestDatabase } from "../../../tests/harness/database.ts";
import {
  asReplicator,
  createEmptyPair,
  endReplication,
  type EmptyPair,
} from "../../../tests/harness/empty-pair.ts";
import { REPLICATING_ROLE } from "../../../tests/harness/side-roles.ts";
import { waitForCopies } from "../../../tests/harness/wait-for-copies.ts";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { grantServing } from "../maintenance/grant-serving.ts";
import { transactControl, type Database } from "../database/database.ts";
import { openDatabase } from "../database/open-database.ts";
import { openClient } from "../database/prepare-database.ts";

const log = createLog("silent");

const open = (pair: Pick<EmptyPair, "connectionString"> & Partial<EmptyPair>): Promise<Database> =>
  openDatabase({ ...pair, log, poolSize: 2 });

async function createPair(t: TestContext): Promise<EmptyPair> {
  const { connectionString, dataUrl = "", drop } = await createTestDatabase({ isDivided: true });
  t.after(drop);
  return { connectionString, dataUrl, replicationUrl: asReplicator(connectionString) };
}

const insertOrganization = (database: Database) =>
  transactControl(database, (queries) =>
    sql`insert into organizations (id, label, default_team_id) values (${newId()}, 'o', ${newId()})`.execute(
      queries,
    ),
  );

test("two empty databases become a pair, which a role that only serves opens again", async (t) => {
  const pair = await createEmptyPair(t);
  const first = await open(pair);
  await insertOrganization(first);
  await grantServing(first.control, REPLICATING_ROLE.name);
  await grantServing(first.data, REPLICATING_ROLE.name);
  await first.close();
  const serving = await open({
    connectionString: asReplicator(pair.connectionString),
    dataUrl: asReplicator(pair.dataUrl),
  });
  const orgId = newId();
  const projectId = newId();
  await transactControl(serving, async (queries) => {
    await sql`insert into organizations (id, label, default_team_id) values (${orgId}, 'o', ${newId()})`.execute(
      queries,
    );
    await sql`insert into projects (id, org_id, name, app_name) values (${projectId}, ${orgId}, 'p', 'p')`.execute(
      queries,
    );
  });
  await waitForCopies(serving);
  const { rows } = await sql<{ id: string }>`select id from projects`.execute(serving.data);
  assert.deepEqual(rows, [{ id: projectId }], "its change is copied");
  await transactControl(serving, (queries) => sql`delete from projects`.execute(queries));
  await waitForCopies(serving);
  const left = await sql`select from removed_copies`.execute(serving.data);
  assert.equal(left.rows.length, 0, "it may remove what belonged to a copy");
  await serving.close();
});

const refuses = (refused: Promise<Database>, message: RegExp) =>
  assert.rejects(refused, { name: "StartError", message });

/** Lists the tables and schemas that Busbar has made. */
async function listMade(url: string): Promise<unknown[]> {
  const client = await openClient(url);
  const { rows } = await client.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace union all select nspname from pg_namespace where nspname like 'busbar%'",
  );
  await client.end();
  return rows;
}

test("two databases that cannot be a pair are refused with the remedy, and nothing is made in them", async (t) => {
  const pair = await createEmptyPair(t);
  const { connectionString, dataUrl } = pair;
  const gone = new URL(connectionString);
  gone.pathname = "/test_gone";
  await refuses(open({ connectionString, dataUrl: connectionString }), /the same database as DATABASE_URL/);
  await refuses(
    open({ ...pair, dataUrl: gone.href }),
    /connect to the database of BUSBAR_DATA_DATABASE_URL.*test_gone/,
  );
  await refuses(
    open({ ...pair, replicationUrl: gone.href }),
    /cannot subscribe.*test_gone.*BUSBAR_REPLICATION_URL can name/,
  );
  await refuses(
    open({ ...pair, replicationUrl: `${connectionString}?nonsense=1` }),
    /cannot subscribe.*nonsense/,
  );
  // Only a superuser may subscribe without a password.
  await refuses(open({ connectionString, dataUrl }), /cannot subscribe.*needs REPLICATION and a password/);
  await refuses(
    open({ ...pair, dataUrl: asReplicator(dataUrl) }),
    /grant pg_create_subscription to busbar_replicating/,
  );
  assert.deepEqual([await listMade(connectionString), await listMade(dataUrl)], [[], []]);
  const client = await openClient(dataUrl);
  await client.query("create table theirs ()");
  await client.end();
  await refuses(open(pair), /not empty \(it has the table theirs\): name an empty one/);
});

test("a database in use is not divided, and the way to do it is told", async (t) => {
  const { connectionString, drop } = await createTestDatabase({ isDivided: false });
  t.after(drop);
  const pair = { ...(await createEmptyPair(t)), connectionString };
  const whole = await open({ connectionString });
  await insertOrganization(whole);
  await refuses(open(pair), /in use.*cannot be divided.*busbar backup FILE.*busbar restore FILE/);
  assert.equal((await sql`select from operations`.execute(whole.data)).rows.length, 0, "it is as it was");
  await whole.close();
  const reversed = { ...pair, connectionString: pair.dataUrl, dataUrl: pair.connectionString };
  await refuses(open(reversed), /not empty \(it has the table organizations\)/);
});

test("a pair is opened only as this pair", async (t) => {
  const pair = await createPair(t);
  const { connectionString, dataUrl } = pair;
  await refuses(open({ connectionString }), /tables of one side only.*set BUSBAR_DATA_DATABASE_URL/);
  const other = await createPair(t);
  await refuses(open({ ...pair, dataUrl: other.dataUrl }), /belongs to another control database/);
  const database = await open(pair);
  await insertOrganization(database);
  await database.close();
  const empty = await createEmptyPair(t);
  await refuses(
    open({ ...pair, dataUrl: empty.dataUrl }),
    /not the one that belongs to the database of DATABASE_URL/,
  );
  await (await open({ connectionString, dataUrl })).close();
});

test("a first start that broke off goes on, and processes that start together make one pair", async (t) => {
  const pair = await createPair(t);
  await endReplication(pair);
  const opened = await Promise.all([open(pair), open(pair), open(pair)]);
  await insertOrganization(opened[0]);
  await Promise.all(opened.map((database) => database.close()));
});

test("a table that a newer version publishes stays published", async (t) => {
  const pair = await createPair(t);
  const client = await openClient(pair.connectionString);
  t.after(() => client.end());
  await client.query(
    "create table newer (id integer primary key); alter publication busbar_shared add table newer",
  );
  await (await open(pair)).close();
  const { rows } = await client.query(
    "select tablename from pg_publication_tables where tablename = 'newer'",
  );
  assert.equal(rows.length, 1);
});

/** Creates a database for a test or test file, and drops it afterwards. */
import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { hasTwoDatabases, openBoth, replicateEmpty, replacePool } from "./two-databases.ts";
import { newId } from "../../ground/ids.ts";
import { createLog } from "../../ground/log.ts";
import type { Database } from "../../server/store/database/database.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { SIDE_ROLES, sideRoles } from "./side-roles.ts";
import { cloneTemplate, createDatabase, dropDatabase, startTestPostgres, URL_VARIABLE } from "./postgres.ts";

/** A test context or `node:test` itself. Callbacks run in the order in which they were added. */
export interface Scope {
  after(callback: () => Promise<void>): void;
}

export interface TestDatabase {
  connectionString: string;
  /** Set if the data tables are in a database of their own. */
  dataUrl?: string;
  drop(): Promise<void>;
}

/** Creates a migrated, empty database, or one of each side; the caller drops it. */
export async function createTestDatabase({ isDivided = hasTwoDatabases() } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const shared = process.env[URL_VARIABLE];
  const own = shared ? undefined : await startTestPostgres();
  const url = shared ?? own?.url ?? "";
  if (isDivided) return createDivided(url, name, () => own?.stop());
  const connectionString = await cloneTemplate(url, name);
  return {
    connectionString,
    async drop() {
      await dropDatabase(url, name);
      await own?.stop();
    },
  };
}

async function createDivided(
  url: string,
  name: string,
  stop: () => Promise<void> | undefined,
): Promise<TestDatabase> {
  const dataName = `${name}_data`;
  const urls = {
    connectionString: await cloneTemplate(url, name, "control"),
    dataUrl: await cloneTemplate(url, dataName, "data"),
  };
  const stopReplicating = await replicateEmpty(name, urls);
  return {
    ...urls,
    async drop() {
      await stopReplicating();
      await dropDatabase(url, dataName);
      await dropDatabase(url, name);
      await stop();
    },
  };
}

/** Creates a database without migrations, and drops it after the test. */
export async function createEmptyDatabase(scope: Scope): Promise<string> {
  const shared = process.env[URL_VARIABLE];
  const own = shared ? undefined : await startTestPostgres();
  const url = shared ?? own?.url ?? "";
  const name = `test_${randomBytes(6).toString("hex")}`;
  const connectionString = await createDatabase(url, name);
  scope.after(async () => {
    await dropDatabase(url, name);
    await own?.stop();
  });
  return connectionString;
}

const BUSY_CHECKS = 100;
const BUSY_CHECK_MS = 50;

/** Creates and opens a database. Fails the test if a connection was not released at the end. */
export async function testDatabase(scope: Scope, { isDivided = hasTwoDatabases() } = {}): Promise<Database> {
  const { connectionString, dataUrl, drop } = await createTestDatabase({ isDivided });
  const database = await openDatabase({
    connectionString,
    dataUrl,
    openBoth,
    log: createLog("silent"),
    poolSize: 5,
    sideRoles: sideRoles(),
  });
  scope.after(async () => {
    const countBusy = () => database.pool.totalCount - database.pool.idleCount;
    // A wake-up is sent some milliseconds after its commit, by a connection of its own.
    for (let left = BUSY_CHECKS; left > 0 && countBusy() > 0; left -= 1) await wait(BUSY_CHECK_MS);
    const busy = countBusy();
    await database.close();
    await drop();
    if (busy > 0) throw new Error(`${busy} database connections were not given back`);
  });
  return replacePool(database);
}

/** Opens a database once more, and closes it after the test. */
export async function reopenDatabase(
  scope: Scope,
  { connectionString, dataUrl }: Pick<Database, "connectionString" | "dataUrl">,
): Promise<Database> {
  const log = createLog("silent");
  const database = await openDatabase({ connectionString, dataUrl, openBoth, log, poolSize: 5 });
  scope.after(() => database.close());
  return replacePool(database);
}

/** Opens a database once more, with a role for each side unless it is two databases already, so that a change of one side reaches the other by a second commit. */
export async function openSides(
  scope: Scope,
  { connectionString, dataUrl }: Pick<Database, "connectionString" | "dataUrl">,
): Promise<Database> {
  const log = createLog("silent");
  const sides = dataUrl === undefined ? { sideRoles: SIDE_ROLES } : { dataUrl, openBoth };
  const database = await openDatabase({ connectionString, log, poolSize: 5, ...sides });
  scope.after(() => database.close());
  return database;
}

/** Limits a query of `pg_locks` to the own database: those of tests beside it have the same tables, with the same ids. */
export const OWN_LOCKS = "database = (select oid from pg_database where datname = current_database())";

/** Inserts an organisation and its project, which have the same id, and customers who are all in one shard. Returns the id. */
export async function addProject(
  connectionString: string,
  { id = newId(), name = "p", groupRefs = [] as string[], shard = null as string | null } = {},
): Promise<string> {
  const ask = (text: string, values: unknown[]) => queryOnce(connectionString, text, values);
  await ask("insert into organizations (id, label, default_team_id) values ($1, 'o', $1)", [id]);
  await ask("insert into projects (id, org_id, name, app_name) values ($1, $1, $2, 'p')", [id, name]);
  const insertGroup =
    "insert into groups (id, project_id, group_ref, group_name, shard) values ($1, $2, $3, $3, $4)";
  for (const groupRef of groupRefs) await ask(insertGroup, [newId(), id, groupRef, shard]);
  return id;
}

/** Runs one statement over a connection of its own. */
export async function queryOnce(
  connectionString: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}

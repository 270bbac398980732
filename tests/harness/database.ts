/** Creates a database for a test or test file, and drops it afterwards. */
import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { createLog } from "../../ground/log.ts";
import { openDatabase, type Database } from "../../server/store/database/database.ts";
import { SIDE_ROLES, sideRoles } from "./side-roles.ts";
import { cloneTemplate, createDatabase, dropDatabase, startTestPostgres, URL_VARIABLE } from "./postgres.ts";

/** A test context or `node:test` itself. Callbacks run in the order in which they were added. */
export interface Scope {
  after(callback: () => Promise<void>): void;
}

export interface TestDatabase {
  connectionString: string;
  drop(): Promise<void>;
}

/** Creates a migrated, empty database; the caller drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const shared = process.env[URL_VARIABLE];
  const own = shared ? undefined : await startTestPostgres();
  const url = shared ?? own?.url ?? "";
  const connectionString = await cloneTemplate(url, name);
  return {
    connectionString,
    async drop() {
      await dropDatabase(url, name);
      await own?.stop();
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
export async function testDatabase(scope: Scope): Promise<Database> {
  const { connectionString, drop } = await createTestDatabase();
  const database = await openDatabase({
    connectionString,
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
  return database;
}

/** Opens a database once more, with a role for each side, so that a change of one side reaches the other by a second commit. */
export async function openSides(
  scope: Scope,
  { connectionString }: Pick<Database, "connectionString">,
): Promise<Database> {
  const log = createLog("silent");
  const database = await openDatabase({ connectionString, log, poolSize: 5, sideRoles: SIDE_ROLES });
  scope.after(() => database.close());
  return database;
}

/** A database of its own for a test file or test, gone afterwards. */
import { randomBytes } from "node:crypto";
import { createLog } from "../../server/ground/log.ts";
import { openDatabase, type Database } from "../../server/store/database.ts";
import { cloneTemplate, dropDatabase, startTestPostgres, URL_VARIABLE } from "./postgres.ts";

/** Something that ends, such as a test context or `node:test` itself. Its callbacks run in the order given. */
export interface Scope {
  after(callback: () => Promise<void>): void;
}

export interface TestDatabase {
  connectionString: string;
  drop(): Promise<void>;
}

/** A new, migrated, empty database; whoever asks for it drops it. */
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

/** The same, opened. Fails the test when a connection is still in use at the end: somebody forgot to give it back. */
export async function testDatabase(scope: Scope): Promise<Database> {
  const { connectionString, drop } = await createTestDatabase();
  const database = await openDatabase({ connectionString, log: createLog("silent"), poolSize: 5 });
  scope.after(async () => {
    const busy = database.pool.totalCount - database.pool.idleCount;
    await database.close();
    await drop();
    if (busy > 0) throw new Error(`${busy} database connections were not given back`);
  });
  return database;
}

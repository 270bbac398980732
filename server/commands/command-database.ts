/** Opens the database for a command that runs without a server: that of DATABASE_URL, or the embedded one. */
import type { Config } from "../../ground/config.ts";
import type { Log } from "../../ground/log.ts";
import { openDatabase, type Database } from "../store/database/database.ts";
import { startEmbeddedPostgres } from "../postgres/start-embedded-postgres.ts";

/** Calls `run` with the open database and closes it afterwards. */
export async function withDatabase<Result>(
  { config, log }: { config: Config; log: Log },
  run: (database: Database) => Promise<Result>,
): Promise<Result> {
  const postgres = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: config.dataDir, log, onExit: () => {} });
  try {
    const connectionString = config.databaseUrl ?? postgres?.connectionString ?? "";
    const database = await openDatabase({ connectionString, log });
    try {
      return await run(database);
    } finally {
      await database.close();
    }
  } finally {
    await postgres?.stop();
  }
}

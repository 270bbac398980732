/** Opens the database for a command that runs without a server: that of DATABASE_URL, or the embedded one, and that of the data tables. */
import type { Config } from "../../ground/config.ts";
import type { Log } from "../../ground/log.ts";
import type { Database } from "../store/database/database.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { startEmbeddedPostgres } from "../postgres/start-embedded-postgres.ts";
import { StartError } from "../../ground/errors.ts";
import { onStopSignal } from "./on-stop-signal.ts";

/** Calls `run` with the open database and closes it afterwards. */
export async function withDatabase<Result>(
  { config, log }: { config: Config; log: Log },
  run: (database: Database) => Promise<Result>,
): Promise<Result> {
  if (config.databaseUrl) return runOn(config.databaseUrl, { config, log }, run);
  const interrupt = new AbortController();
  const starting = startEmbeddedPostgres({
    dataDir: config.dataDir,
    log,
    onExit: () => {},
    signal: interrupt.signal,
  });
  // A signal that ended this process at once would leave PostgreSQL behind.
  const leaveSignals = onStopSignal(async () => {
    interrupt.abort(new StartError("the command was stopped"));
    await (await starting.catch(() => undefined))?.stop();
  }, 1);
  try {
    const postgres = await starting;
    return await runOn(postgres.connectionString, { config, log }, run).finally(() => postgres.stop());
  } finally {
    leaveSignals();
  }
}

async function runOn<Result>(
  connectionString: string,
  { config, log }: { config: Config; log: Log },
  run: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { dataDatabaseUrl: dataUrl, replicationUrl, mainWeight } = config;
  const database = await openDatabase({ connectionString, dataUrl, replicationUrl, mainWeight, log });
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

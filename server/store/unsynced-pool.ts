/** A small pool whose commits do not wait for the disk: for work that is done again if the database's machine dies. */
import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import type { Log } from "../ground/log.ts";
import { SESSION_OPTIONS, type Queries } from "./database.ts";
import type { DB } from "./rows.gen.ts";

export interface UnsyncedPool {
  readonly queries: Queries;
  close(): Promise<void>;
}

/** The process dying loses nothing; PostgreSQL's machine dying may lose the last half second. */
export function openUnsyncedPool(connectionString: string, log: Log, poolSize: number): UnsyncedPool {
  const pool = new Pool({
    connectionString,
    max: poolSize,
    application_name: "busbar deliveries",
    options: `${SESSION_OPTIONS} -c synchronous_commit=off`,
  });
  pool.on("error", (error) => log.warn({ error: error.message }, "lost an idle database connection"));
  // A connection that breaks while it is lent out fails its query; its own event must not end the process as well.
  pool.on("connect", (client) => client.on("error", () => {}));
  const queries = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
  return { queries, close: () => queries.destroy() };
}

/** A small pool whose commits do not wait for the disk: for work that is done again if the database's machine dies. */
import type { Log } from "../ground/log.ts";
import type { Queries } from "./database.ts";
import { openPool } from "./pool.ts";

export interface UnsyncedPool {
  readonly queries: Queries;
  close(): Promise<void>;
}

/** The process dying loses nothing; PostgreSQL's machine dying may lose the last half second. */
export function openUnsyncedPool(connectionString: string, log: Log, size: number): UnsyncedPool {
  const { queries } = openPool({
    connectionString,
    applicationName: "busbar deliveries",
    log,
    size,
    settings: { synchronous_commit: "off" },
  });
  return { queries, close: () => queries.destroy() };
}

/** A small pool whose commits do not wait for the disk, for work that is repeated if PostgreSQL's machine fails. */
import type { Log } from "../../../ground/log.ts";
import type { Queries } from "./database.ts";
import { openPool } from "./pool.ts";

export interface UnsyncedPool {
  readonly queries: Queries;
  close(): Promise<void>;
}

/** A crash of Busbar or PostgreSQL loses nothing; a failure of PostgreSQL's machine may lose the last half second. */
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

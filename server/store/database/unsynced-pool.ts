/** Opens a small pool whose commits do not wait for the disk, for work that is repeated if PostgreSQL's machine fails. */
import type { Log } from "../../../ground/log.ts";
import type { Database } from "./database.ts";
import { openPool } from "./pool.ts";
import type { ControlQueries, DataQueries } from "./sides.ts";

export interface UnsyncedPool {
  readonly control: ControlQueries;
  readonly data: DataQueries;
  close(): Promise<void>;
}

/** Opens the pool. A crash of Busbar or PostgreSQL loses nothing; a failure of PostgreSQL's machine may lose the last half second. */
export function openUnsyncedPool(
  {
    connectionString,
    dataUrl = connectionString,
    copied,
    sideRoles,
  }: Pick<Database, "connectionString" | "dataUrl" | "copied" | "sideRoles">,
  log: Log,
  size: number,
): UnsyncedPool {
  const open = (url: string, role: string | undefined) =>
    openPool({
      connectionString: url,
      applicationName: "busbar deliveries",
      log,
      size,
      settings: { synchronous_commit: "off", ...(role !== undefined && { role }) },
      copied: url === connectionString ? copied : undefined,
    }).queries;
  const data = open(dataUrl, sideRoles?.data);
  if (!sideRoles && dataUrl === connectionString) return { control: data, data, close: () => data.destroy() };
  const control = open(connectionString, sideRoles?.control);
  return { control, data, close: async () => void (await Promise.all([control.destroy(), data.destroy()])) };
}

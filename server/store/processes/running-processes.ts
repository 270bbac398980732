/** The processes that run on this database, as they announce themselves. */
import { sql } from "kysely";
import type { Queries } from "../database/database.ts";

export interface RunningProcess {
  /** The number of `jobs/process-identity.ts`. */
  id: number;
  version: string;
  roles: string[];
  startTime: Date;
}

/** A process that was not seen for this long is forgotten: it announces itself six times as often. */
const FORGOTTEN_AFTER_SECONDS = 60;

/** Stores that the process is running, and removes those that were not seen for a minute. */
export async function announceProcess(queries: Queries, process: RunningProcess): Promise<void> {
  await queries
    .insertInto("processes")
    .values(process)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ lastSeenTime: sql`now()` }))
    .execute();
  await queries
    .deleteFrom("processes")
    .where("lastSeenTime", "<", sql<Date>`now() - make_interval(secs => ${FORGOTTEN_AFTER_SECONDS})`)
    .execute();
}

export const removeProcess = async (queries: Queries, id: number): Promise<void> =>
  void (await queries.deleteFrom("processes").where("id", "=", id).execute());

export const listProcesses = (queries: Queries): Promise<(RunningProcess & { lastSeenTime: Date })[]> =>
  queries.selectFrom("processes").selectAll().orderBy("id").execute();

/** Processes that run on this database, as they announce themselves. */
import { sql } from "kysely";
import type { Queries } from "../database/database.ts";
import type { ControlQueries } from "../database/sides.ts";

export interface RunningProcess {
  /** Number of the process (`jobs/process-identity.ts`). */
  id: number;
  version: string;
  roles: string[];
  startTime: Date;
}

/** Time without an announcement after which a process is forgotten. Processes announce themselves six times as often. */
const FORGOTTEN_AFTER_SECONDS = 60;

/** Announces a process, and removes those without an announcement in the last minute. */
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

/** Returns whether a process does the background work: reads, deliveries, asynchronous writes. */
export async function hasWorker(queries: ControlQueries): Promise<boolean> {
  const row = await queries
    .selectFrom("processes")
    .select("id")
    .where(sql<boolean>`'worker' = any(roles)`)
    .where("lastSeenTime", ">", sql<Date>`now() - make_interval(secs => ${FORGOTTEN_AFTER_SECONDS})`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

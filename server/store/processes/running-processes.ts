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
  /** Shards beside the main one that it has opened. */
  shards: string[];
}

/** Time without an announcement after which a process is forgotten. */
const FORGOTTEN_AFTER_SECONDS = 60;
/** Time without an announcement after which a worker no longer counts: six announcements, three of the version before. */
const WORKER_GONE_AFTER_SECONDS = 30;

/** Announces a process, and removes those without an announcement in the last minute. */
export async function announceProcess(queries: Queries, process: RunningProcess): Promise<void> {
  await queries
    .insertInto("processes")
    .values(process)
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet(({ ref }) => ({
        lastSeenTime: sql`now()`,
        roles: ref("excluded.roles"),
        shards: ref("excluded.shards"),
      })),
    )
    .execute();
  if (process.roles.includes("worker")) await saveWorkerSeen(queries);
  await queries
    .deleteFrom("processes")
    .where("lastSeenTime", "<", sql<Date>`now() - make_interval(secs => ${FORGOTTEN_AFTER_SECONDS})`)
    .execute();
}

export async function removeProcess(queries: Queries, id: number): Promise<void> {
  const removed = await queries
    .deleteFrom("processes")
    .where("id", "=", id)
    .returning("roles")
    .executeTakeFirst();
  if (removed?.roles.includes("worker")) await saveWorkerSeen(queries);
}

const saveWorkerSeen = async (queries: Queries): Promise<void> =>
  void (await queries
    .updateTable("readiness")
    .set({ workerSeenTime: sql`now()` })
    .execute());

export const listProcesses = (
  queries: Queries,
): Promise<(Omit<RunningProcess, "shards"> & { lastSeenTime: Date })[]> =>
  queries.selectFrom("processes").selectAll().orderBy("id").execute();

/** Whether a process does the background work: reads, deliveries, asynchronous writes. */
const HAS_WORKER = sql<boolean>`exists (
  select from processes
  where 'worker' = any(roles) and last_seen_time > now() - make_interval(secs => ${sql.lit(WORKER_GONE_AFTER_SECONDS)}))`;

/**
 * One row with the time since when no process does the background work, null if none ever did. No row while one does, nor while
 * the last one may be starting again.
 */
export const WORKER_GONE = sql`(
  select worker_seen_time as since from readiness
  where not ${HAS_WORKER} and coalesce(worker_seen_time < now() - make_interval(secs => ${sql.lit(WORKER_GONE_AFTER_SECONDS)}), true))`;

/** Returns whether a process does the background work. */
export async function hasWorker(queries: ControlQueries): Promise<boolean> {
  const { rows } = await sql<{ hasWorker: boolean }>`select ${HAS_WORKER} as has_worker`.execute(queries);
  return rows[0]?.hasWorker === true;
}

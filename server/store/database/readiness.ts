/** Whether the database can be worked with at the moment, and by this version. */
import { setTimeout as wait } from "node:timers/promises";
import type { Pool } from "pg";
import { elapsedMs } from "../../../ground/clock.ts";
import { isDiskFull } from "./database-outage.ts";
import { APPLIED_MIGRATIONS, migrationNames, unknownMigrations, type AppliedMigration } from "./migrate.ts";

/**
 * `away`: it does not answer. `full`: its disk has less than a megabyte left. `unwritable`: it answers and takes no writes (a standby, a lock
 * on a whole table). `behind`: it lacks migrations. `ahead`: a newer version has migrated it, and this one does not work on it.
 */
export type DatabaseState = "ready" | "away" | "full" | "unwritable" | "behind" | "ahead";

const ANSWER_WITHIN_MS = 2_000;

/** Answers within two seconds, whatever the database does. Writes, since reading goes on although writes fail. */
export async function databaseState(pool: Pool): Promise<DatabaseState> {
  // Waiting for a free connection counts too, so the time-out is not the query's own.
  const late = new AbortController();
  const tooLate = wait(ANSWER_WITHIN_MS, "away" as const, { signal: late.signal, ref: false });
  return Promise.race([askOnce(pool), tooLate.catch(() => "away" as const)]).finally(() => late.abort());
}

/** After this time the connection of a question may be the reason that it has no answer. */
const ASK_AGAIN_MS = 5_000;
const asked = new WeakMap<Pool, { state: Promise<DatabaseState>; startedMs: number }>();

/** Checks that come while one is under way share its answer: a database that hangs would keep all connections of the pool for them. */
function askOnce(pool: Pool): Promise<DatabaseState> {
  const known = asked.get(pool);
  if (known && elapsedMs() - known.startedMs < ASK_AGAIN_MS) return known.state;
  const question = { state: ask(pool).catch(() => "away" as const), startedMs: elapsedMs() };
  asked.set(pool, question);
  void question.state.then(() => asked.get(pool) === question && asked.delete(pool));
  return question.state;
}

/** Writes a row, and tells whether other statements have waited for the lock of a whole table, which somebody holds. */
const CHECK_WRITES = `
  update readiness set checked_time = now() returning exists (
    select from pg_locks
    where locktype = 'relation' and not granted and waitstart < now() - interval '2 seconds'
      and mode in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')
      and database = (select oid from pg_database where datname = current_database())
  ) as locked`;

/**
 * Writes a temporary file. On a full disk a row can still be changed in place, in a block that has a gap, while whatever needs
 * another block fails; a temporary file always needs some, and leaves neither rows nor a log of them.
 */
const CHECK_DISK = `
  set local work_mem = '64kB';
  select count(*) from unnest(array_fill(repeat('-', 1000), array[1000]))`;

async function ask(pool: Pool): Promise<DatabaseState> {
  const { rows } = await pool.query<AppliedMigration>(APPLIED_MIGRATIONS);
  const applied = new Set(rows.map((row) => row.name));
  const known = await migrationNames();
  if (unknownMigrations(rows, known).length > 0) return "ahead";
  if (!known.every((name) => applied.has(name))) return "behind";
  try {
    const { rows: written } = await pool.query<{ locked: boolean }>(CHECK_WRITES);
    if (written[0]?.locked) return "unwritable";
    await pool.query(CHECK_DISK);
    return "ready";
  } catch (error) {
    return isDiskFull(error) ? "full" : "unwritable";
  }
}

/** Checks whether the database is usable at the moment, and by this version; detects that a newer version has migrated it meanwhile. */
import { setTimeout as wait } from "node:timers/promises";
import type { Pool } from "pg";
import { elapsedMs } from "../../../ground/clock.ts";
import { READ_POSITION, type Copies } from "../sides/copies.ts";
import type { Changes } from "./changes.ts";
import type { Database } from "./database.ts";
import { isDiskFull } from "./database-outage.ts";
import {
  APPLIED_MIGRATIONS,
  listMigrationNames,
  listUnknownMigrations,
  type AppliedMigration,
} from "./migrate.ts";

/**
 * `away`: it does not answer. `full`: its disk has less than a megabyte left. `unwritable`: it answers and accepts no writes
 * (it is a standby, or a whole table is locked). `behind`: migrations are missing. `ahead`: a newer version has migrated it,
 * and this version is not compatible.
 */
export type DatabaseState = "ready" | "away" | "full" | "unwritable" | "behind" | "ahead";

const ANSWER_WITHIN_MS = 2_000;

/** Checks the database, and answers within two seconds in any case. Writes, too, since reads may succeed while writes fail. */
export async function readDatabaseState(pool: Pool): Promise<DatabaseState> {
  // Waiting for a free connection counts, too, so this timeout is not that of the query.
  const late = new AbortController();
  const tooLate = wait(ANSWER_WITHIN_MS, "away" as const, { signal: late.signal, ref: false });
  return Promise.race([askOnce(pool), tooLate.catch(() => "away" as const)]).finally(() => late.abort());
}

/** Checks the database, and that of the data tables if it is another one. Returns the worse state. */
export async function readWorstState({
  pool,
  dataPool,
}: {
  pool: Pool;
  dataPool?: Pool;
}): Promise<DatabaseState> {
  const states = await Promise.all([pool, dataPool ?? []].flat().map(readDatabaseState));
  return states.find((state) => state !== "ready") ?? "ready";
}

/**
 * Calls `onNewer` once, when a newer version's migration is committed with which this version is not compatible: what it would
 * take from a changed queue could be lost. Checks again whenever notifications may have been missed.
 */
export function watchSchema(deps: { database: Database; changes: Changes }, onNewer: () => void): void {
  let found = false;
  deps.changes.subscribe((change) => {
    if (found || (change && change.table !== "migrations")) return;
    readWorstState(deps.database).then(
      (state) => {
        if (found || state !== "ahead") return;
        found = true;
        onNewer();
      },
      () => {},
    );
  });
}

/** Returns whether the data database gets all that is committed in the control database within a second. */
export async function areCopiesComplete(pool: Pool, copied: Pick<Copies, "applied">): Promise<boolean> {
  const { rows } = await pool.query<{ position: string }>(READ_POSITION);
  return copied.applied(rows[0]?.position ?? "");
}

/** Age at which a running check is not shared any longer: its connection may be the reason that it has no answer. */
const ASK_AGAIN_MS = 5_000;
const asked = new WeakMap<Pool, { state: Promise<DatabaseState>; startedMs: number }>();

/** Starts a check, or returns the one under way: otherwise a hanging database would keep all connections of the pool busy with checks. */
function askOnce(pool: Pool): Promise<DatabaseState> {
  const known = asked.get(pool);
  if (known && elapsedMs() - known.startedMs < ASK_AGAIN_MS) return known.state;
  const question = { state: ask(pool).catch(() => "away" as const), startedMs: elapsedMs() };
  asked.set(pool, question);
  void question.state.then(() => asked.get(pool) === question && asked.delete(pool));
  return question.state;
}

/** Writes a row, and returns whether other statements wait because somebody has locked a whole table. */
const CHECK_WRITES = `
  update readiness set checked_time = now() returning exists (
    select from pg_locks
    where locktype = 'relation' and not granted and waitstart < now() - interval '2 seconds'
      and mode in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')
      and database = (select oid from pg_database where datname = current_database())
  ) as locked`;

/**
 * Writes a temporary file. On a full disk, a row can still be updated in place if its block has a gap, while everything that
 * needs a new block fails. A temporary file always needs some blocks, and leaves neither rows nor a log of them.
 */
const CHECK_DISK = `
  set local work_mem = '64kB';
  select count(*) from unnest(array_fill(repeat('-', 1000), array[1000]))`;

async function ask(pool: Pool): Promise<DatabaseState> {
  const { rows } = await pool.query<AppliedMigration>(APPLIED_MIGRATIONS);
  const applied = new Set(rows.map((row) => row.name));
  const known = await listMigrationNames();
  if (listUnknownMigrations(rows, known).length > 0) return "ahead";
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

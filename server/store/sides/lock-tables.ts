/** Locks for work on the schema and on the copies, which hold up other processes only for a moment. */
import { setTimeout as wait } from "node:timers/promises";
import { DatabaseError, type ClientBase } from "pg";

/** Timeout of a lock on a table: all later statements of others queue up behind it. */
export const LOCK_MS = 300;
/**
 * Longer timeout, in which autovacuum gives way. It may take minutes on a large table, but ends for somebody who waits for
 * PostgreSQL's `deadlock_timeout` of a second.
 */
export const LONG_LOCK_MS = 1_200;
const LONG_EVERY = 5;
const DEADLOCK = "40P01";

/** Attempts of a caller, and the pause between them, in which others continue. */
export const MAX_TRIES = 20;
export const PAUSE_MS = 500;

/** Why there was no lock. */
export const LOCKED =
  "a table of the database of DATABASE_URL has been locked all the time (pg_stat_activity shows by whom)";

/** Begins a transaction in which nobody else can change the tables. Returns false, and begins none, if others have locked one. */
export async function lockTables(
  client: ClientBase,
  tables: readonly string[],
  tries: number,
): Promise<boolean> {
  const lockMs = tries % LONG_EVERY === 0 ? LONG_LOCK_MS : LOCK_MS;
  await client.query(`begin; set local lock_timeout = ${lockMs}`);
  try {
    await client.query(`lock table ${tables.join(", ")} in share mode`);
    return true;
  } catch (error) {
    await client.query("rollback");
    if (isLockTimeout(error) || (error instanceof DatabaseError && error.code === DEADLOCK)) return false;
    throw error;
  }
}

/** Returns whether a statement gave up because another transaction holds a lock that it needs. */
export const isLockTimeout = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && error.code === "55P03";

const ASK_MS = 100;

/**
 * Takes an advisory lock by asking for it repeatedly. A statement that waits for it would hold up an index that the process with the
 * lock builds concurrently, and PostgreSQL would not always see the circle.
 */
export async function lockByAsking(client: ClientBase, key: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [
      key,
    ]);
    if (rows[0]?.taken) return;
    await wait(ASK_MS);
  }
}

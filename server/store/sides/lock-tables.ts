/** Keeps others from changing tables for a moment, without holding them up for long. */
import { DatabaseError, type ClientBase } from "pg";

/** Timeout of a lock: writers queue behind it. Every fifth time it is so long that an autovacuum gives way. */
const LOCK_MS = 300;
const LONG_LOCK_MS = 1_200;
const LONG_EVERY = 5;
const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK = "40P01";

/** Tries of a caller, with a pause in between. */
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
    if (error instanceof DatabaseError && (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK))
      return false;
    throw error;
  }
}

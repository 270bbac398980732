/** Compares the database's clock with this process's. */
import type { Pool } from "pg";
import { elapsedMs, followClock, followsClock } from "../../../ground/clock.ts";

/** Maximum duration of a useful answer: a longer one says less about the time than the one before. */
const LONGEST_MS = 500;

/**
 * Asks the database for its time. Waiting for a free connection counts towards the duration: a late answer changes nothing, unless it
 * is the first one. At the start of a busy machine, its own clock would otherwise be used, however wrong it is.
 */
export async function askDatabaseClock(pool: Pool): Promise<void> {
  const startedMs = elapsedMs();
  const { rows } = await pool.query<{ time: string }>(
    "select extract(epoch from clock_timestamp()) * 1000 as time",
  );
  const tookMs = elapsedMs() - startedMs;
  const [row] = rows;
  if (row && (tookMs <= LONGEST_MS || !followsClock())) followClock(Number(row.time), tookMs);
}

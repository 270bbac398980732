/** Asks the database for the time, and follows its clock. */
import type { Pool } from "pg";
import { elapsedMs, followClock } from "../../../ground/clock.ts";

/** An answer that took longer says too little. */
const LONGEST_MS = 500;

/** Waiting for a free connection counts too: an answer that comes late changes nothing. */
export async function askDatabaseClock(pool: Pool): Promise<void> {
  const startedMs = elapsedMs();
  const { rows } = await pool.query<{ time: string }>(
    "select extract(epoch from clock_timestamp()) * 1000 as time",
  );
  const tookMs = elapsedMs() - startedMs;
  const [row] = rows;
  if (row && tookMs <= LONGEST_MS) followClock(Number(row.time), tookMs);
}

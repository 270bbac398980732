/** Synchronizes with the clock of the database, and logs when this machine's clock differs from it. */
import { clockAheadMs, leaveClock } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";
import { askDatabaseClock } from "../store/database/database-clock.ts";
import type { Database } from "../store/database/database.ts";
import { startRounds } from "./rounds.ts";

const ASK_EVERY_MS = 3_000;
/** A difference from which on it is reported. */
export const TOLD_FROM_MS = 1_000;

/** Queries the time once before it returns, then every few seconds until closed. Never rejects. */
export async function keepTime({
  database,
  log,
}: {
  database: Database;
  log: Log;
}): Promise<{ close(): Promise<void> }> {
  let isReported = false;
  const ask = async (): Promise<boolean> => {
    // An outage is reported by those who need the database.
    await askDatabaseClock(database.pool).catch(() => {});
    const aheadMs = clockAheadMs();
    const differs = Math.abs(aheadMs) >= TOLD_FROM_MS;
    if (differs && !isReported)
      log.warn(
        { aheadMs },
        "the clock of this machine differs from the database's, which is used: check the time service (NTP) of both",
      );
    if (!differs && isReported) log.info("the clock of this machine agrees with the database's again");
    isReported = differs;
    return false;
  };
  await ask();
  const rounds = startRounds({ what: "ask for the time", log, everyMs: ASK_EVERY_MS, round: ask });
  // An open query is not awaited: it may take as long as the database does.
  return {
    async close() {
      void rounds.stop();
      leaveClock();
    },
  };
}

/** Records an event when an installation is no longer healthy, when its reasons change, and when it is healthy again. */
import { elapsedMs } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";
import { buildInstallationHealthChanged } from "../events/new-events.ts";
import { recordEvents } from "../events/record-event.ts";
import { startRounds, type Rounds } from "../jobs/rounds.ts";
import { type Database, transactData } from "../store/database/database.ts";
import { listInstallationFields } from "../store/deliveries/events.ts";
import { listChangedHealth, saveReportedHealth } from "../store/integrations/reported-health.ts";
import { FIRST_ID } from "../../ground/ids.ts";

interface HealthServices {
  database: Database;
  log: Log;
  /** Length of a minute. */
  minuteMs: number;
}

/** Maximum number of changes per round. A destination shared by thousands of customers causes as many events, over several rounds. */
const MAX_CHANGED = 200;
const LONGEST_POLL_MS = 3_000;
const SHORTEST_POLL_MS = 20;
/** A reason is reported once it has lasted a twelfth of a minute, so that a single failed attempt is not reported. */
const STANDS_PART = 12;
/** Maximum share of the time that the watcher may keep the database busy. */
const BUSY_PART = 0.05;

/** Starts watching in this process, beside any number of other processes, of which one has the turn. */
export function watchHealth(deps: HealthServices): Rounds {
  const { database, log, minuteMs } = deps;
  const standsMs = Math.min(5_000, minuteMs / STANDS_PART);
  const everyMs = Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, minuteMs / (2 * STANDS_PART)));
  let after = FIRST_ID;
  let restsUntilMs = 0;
  const round = async (): Promise<boolean> => {
    const startedMs = elapsedMs();
    if (startedMs < restsUntilMs) return false;
    after = (await reportChanges(database, { after, standsMs })) ?? FIRST_ID;
    restsUntilMs = startedMs + (elapsedMs() - startedMs) / BUSY_PART;
    return false;
  };
  return startRounds({ what: "report the health of installations", log, everyMs, round });
}

/** Returns the last installation that was reported, if there may be more behind it. */
const reportChanges = (
  database: Database,
  { after, standsMs }: { after: string; standsMs: number },
): Promise<string | undefined> =>
  transactData(database, async (queries) => {
    const changed = await listChangedHealth(queries, { after, standsMs, max: MAX_CHANGED });
    if (changed === undefined || changed.length === 0) return undefined;
    const fields = await listInstallationFields(
      queries,
      changed.map(({ installationId }) => installationId),
    );
    const events = changed.flatMap(({ installationId, reasons }) => {
      const of = fields.get(installationId);
      return of ? [buildInstallationHealthChanged(of, reasons)] : [];
    });
    await saveReportedHealth(queries, changed);
    await recordEvents(queries, events);
    return changed.length === MAX_CHANGED ? changed.at(-1)?.installationId : undefined;
  });

/** Requests reconciliations after an outage in which providers gave up repeating their pushes. */
import type { Log } from "../../../ground/log.ts";
import { startRounds, type Rounds } from "../../jobs/rounds.ts";
import type { Database } from "../../store/database/database.ts";
import { notePushesAccepted } from "../../store/subscriptions/push-watch.ts";

const EVERY_MS = 60_000;
/** HubSpot repeats a push up to ten times within a day, with growing pauses; the last ones may be missing. */
const LONGEST_OUTAGE_MS = 20 * 3_600_000;

/** Starts at once: an outage is noticed when the first process works again. */
export const startWatchingOutages = (deps: { database: Database; log: Log; onDue(): void }): Rounds =>
  startRounds({
    what: "note that pushes are accepted",
    log: deps.log,
    everyMs: EVERY_MS,
    async round() {
      const requested = await notePushesAccepted(deps.database, LONGEST_OUTAGE_MS);
      if (requested > 0) {
        deps.log.warn({ requested }, "pushes may be lost after an outage: subscriptions are reconciled");
        deps.onDue();
      }
      return false;
    },
  });

/** Disables destinations whose every attempt has failed for too long, or whose receiver is gone. */
import { buildWebhookDisabled } from "../../events/new-events.ts";
import { queueEvents } from "../../events/record-event.ts";
import type { Log } from "../../../ground/log.ts";
import { maskAddress } from "../../../destination-kit/mask-address.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import { failDisabled } from "../../store/deliveries/deliveries.ts";
import {
  disableDestination,
  disableFailing,
  type DestinationRow,
} from "../../store/deliveries/destinations.ts";
import type { AttemptResult } from "../delivery-result.ts";
import type { UnsyncedPool } from "../../store/database/unsynced-pool.ts";

export interface DisableServices {
  database: Database;
  unsynced: Pick<UnsyncedPool, "control" | "data">;
  log: Log;
  disableAfterSeconds: number;
}

const FAIL_BATCH = 1_000;

/** Disables those of the failed attempts' destinations that have to be, with an event each, and fails what waits for them. */
export async function disableDestinations(deps: DisableServices, failed: AttemptResult[]): Promise<void> {
  const { database, unsynced, disableAfterSeconds, log } = deps;
  const gone = new Map(
    failed
      .filter(({ outcome }) => outcome.kind === "gone")
      .map(({ destination: { row } }) => [row.id, row.version]),
  );
  const ids = [...new Set(failed.map(({ destinationId }) => destinationId))];
  const disabled = await transactControl(database, async (queries) => {
    const rows = await disableFailing(queries, ids, {
      afterSeconds: disableAfterSeconds,
      reason: "Every attempt has failed for too long.",
    });
    for (const [id, version] of gone) {
      const reason = "The receiver answered 410 Gone.";
      const row = await disableDestination(queries, { id, version, reason });
      if (row) rows.push(row);
    }
    await queueEvents(queries, rows.map(buildDisabledEvent));
    return rows;
  });
  if (disabled.length === 0) return;
  for (const { id: destinationId, projectId } of disabled) {
    log.warn({ destinationId, projectId }, "a webhook destination was disabled");
  }
  while ((await failDisabled(unsynced.data, FAIL_BATCH)) === FAIL_BATCH);
}

function buildDisabledEvent({ id, projectId, name, metadata }: DestinationRow) {
  const { url = "" } = metadata as { url?: string };
  // The event goes to other destinations and viewers may read it, so it must not show secrets.
  return buildWebhookDisabled({ id, projectId, name, url: maskAddress(url) });
}

/** Retention rules for events and deliveries. */
import { nowMs } from "../ground/clock.ts";
import { firstIdOf } from "../ground/ids.ts";
import type { RetentionRule } from "../jobs/retention.ts";
import type { Queries } from "../store/database.ts";
import { removeOldDeliveries, removeOldEvents, removeOldPaces } from "../store/delivery-sweep.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Removes everything older than `retentionDays`, and the deliveries of deleted destinations. */
export function deliveryRetentionRules(queries: Queries, retentionDays: number): RetentionRule[] {
  const beforeId = () => firstIdOf(nowMs() - retentionDays * DAY_MS);
  return [
    // Deliveries first: a delivery without its event cannot be shown.
    { what: "deliveries", remove: (most) => removeOldDeliveries(queries, beforeId(), most) },
    { what: "events", remove: (most) => removeOldEvents(queries, beforeId(), most) },
    { what: "webhook send times", remove: () => removeOldPaces(queries) },
  ];
}

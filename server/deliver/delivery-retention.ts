/** Retention rules for events and deliveries. */
import { nowMs } from "../../ground/clock.ts";
import { buildFirstId } from "../../ground/ids.ts";
import { SUBSCRIPTION_EVENT_DAYS } from "../../ground/retention-bounds.ts";
import type { RetentionRule } from "../jobs/retention.ts";
import type { Queries } from "../store/database.ts";
import {
  removeDeliveredData,
  removeOldDeliveries,
  removeOldEvents,
  removeOldNowhere,
  removeOldPaces,
} from "../store/delivery-sweep.ts";
import { listOwnRetention } from "../store/project-retention.ts";
import { removeOldSeen } from "../store/seen-records.ts";
import { removeUndeliveredBefore } from "../store/subscription-events.ts";

const DAY_MS = 24 * 60 * 60_000;

/**
 * Delivered data messages are kept for a shorter time: they are copies of customers' records, and many. Projects may
 * shorten it.
 */
export interface DeliveryRetention {
  eventDays: number;
  deliveredDataDays: number;
}

/** Removes everything that is too old, and the deliveries of deleted destinations. */
export function deliveryRetentionRules(
  queries: Queries,
  { eventDays, deliveredDataDays }: DeliveryRetention,
): RetentionRule[] {
  const idBefore = (days: number) => buildFirstId(nowMs() - days * DAY_MS);
  const beforeId = () => idBefore(eventDays);
  return [
    {
      what: "delivered data messages",
      async remove(most) {
        const own = await listOwnRetention(queries, "dataMessages");
        const bounds = own.map(({ projectId, days }) => ({ projectId, id: idBefore(days) }));
        return removeDeliveredData(queries, { beforeId: idBefore(deliveredDataDays), own: bounds }, most);
      },
    },
    // Deliveries first: a delivery without its event cannot be shown.
    { what: "deliveries", remove: (most) => removeOldDeliveries(queries, beforeId(), most) },
    { what: "events", remove: (most) => removeOldEvents(queries, beforeId(), most) },
    {
      what: "records of messages",
      remove: (most) => removeOldSeen(queries, { isMessage: true, beforeId: beforeId() }, most),
    },
    {
      what: "records that were left out",
      remove: (most) =>
        removeOldSeen(queries, { isMessage: false, beforeId: idBefore(deliveredDataDays) }, most),
    },
    {
      what: "marks of undelivered changes",
      // They tell what became of events whose message is gone.
      remove: (most) =>
        removeUndeliveredBefore(queries, idBefore(Math.max(eventDays, SUBSCRIPTION_EVENT_DAYS)), most),
    },
    {
      what: "notes about events without a route",
      remove: (most) => removeOldNowhere(queries, beforeId(), most),
    },
    { what: "webhook send times", remove: () => removeOldPaces(queries) },
  ];
}

/** Retention rules for events and deliveries. */
import { nowMs } from "../../ground/clock.ts";
import { buildFirstId } from "../../ground/ids.ts";
import { SUBSCRIPTION_EVENT_DAYS } from "../../ground/retention-bounds.ts";
import type { RetentionRule } from "../jobs/retention.ts";
import type { Database } from "../store/database/database.ts";
import {
  removeDeliveredData,
  removeOldDeliveries,
  removeOldEvents,
  removeOldNowhere,
  removeOldPaces,
} from "../store/deliveries/delivery-sweep.ts";
import { removeOldOwnWrites } from "../store/operations/own-writes.ts";
import { listOwnRetention } from "../store/access/project-retention.ts";
import { removeOldSeen } from "../store/reads/seen-records.ts";
import { removeUndeliveredBefore } from "../store/subscriptions/subscription-events.ts";

const DAY_MS = 24 * 60 * 60_000;

/**
 * Delivered data messages are kept for a shorter time: they are copies of customers' records, and many. Projects may
 * shorten it.
 */
interface DeliveryRetention {
  eventDays: number;
  deliveredDataDays: number;
}

/** Removes everything that is too old, and the deliveries of deleted destinations. */
export function deliveryRetentionRules(
  { control, data }: Pick<Database, "control" | "data">,
  { eventDays, deliveredDataDays }: DeliveryRetention,
): RetentionRule[] {
  const idBefore = (days: number) => buildFirstId(nowMs() - days * DAY_MS);
  const beforeId = () => idBefore(eventDays);
  return [
    {
      what: "delivered data messages",
      async remove(max) {
        const own = await listOwnRetention(control, "dataMessages");
        const bounds = own.map(({ projectId, days }) => ({ projectId, id: idBefore(days) }));
        return removeDeliveredData(data, { beforeId: idBefore(deliveredDataDays), own: bounds }, max);
      },
    },
    // Deliveries first: a delivery without its event cannot be shown.
    { what: "deliveries", remove: (max) => removeOldDeliveries(data, beforeId(), max) },
    { what: "events", remove: (max) => removeOldEvents(data, beforeId(), max) },
    {
      what: "records of messages",
      remove: (max) => removeOldSeen(data, { isMessage: true, beforeId: beforeId() }, max),
    },
    {
      what: "records that were left out",
      remove: (max) => removeOldSeen(data, { isMessage: false, beforeId: idBefore(deliveredDataDays) }, max),
    },
    {
      what: "marks of undelivered changes",
      // These rows record the outcome of events whose message is already deleted.
      remove: (max) =>
        removeUndeliveredBefore(data, idBefore(Math.max(eventDays, SUBSCRIPTION_EVENT_DAYS)), max),
    },
    {
      what: "notes about events without a route",
      remove: (max) => removeOldNowhere(data, beforeId(), max),
    },
    {
      what: "marks of own writes",
      remove: (most) => removeOldOwnWrites(data, SUBSCRIPTION_EVENT_DAYS, most),
    },
    { what: "webhook send times", remove: () => removeOldPaces(control) },
  ];
}

/** Retention rules for events and deliveries. */
import { nowMs } from "../../ground/clock.ts";
import { buildFirstId } from "../../ground/ids.ts";
import { SUBSCRIPTION_EVENT_DAYS } from "../../ground/retention-bounds.ts";
import type { RetentionRule } from "../jobs/retention.ts";
import type { Database } from "../store/database/database.ts";
import type { DataQueries } from "../store/database/sides.ts";
import { removeInShards } from "../store/shards/each-shard.ts";
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
export function listDeliveryRetentionRules(
  { control, shards }: Pick<Database, "control" | "shards">,
  { eventDays, deliveredDataDays }: DeliveryRetention,
): RetentionRule[] {
  const idBefore = (days: number) => buildFirstId(nowMs() - days * DAY_MS);
  const beforeId = () => idBefore(eventDays);
  const inShards = (
    what: string,
    remove: (data: DataQueries, max: number) => Promise<number>,
  ): RetentionRule => ({
    what,
    remove: (max) => removeInShards({ shards }, max, remove),
  });
  return [
    {
      what: "delivered data messages",
      async remove(most) {
        const listed = await listOwnRetention(control, "dataMessages");
        const own = listed.map(({ projectId, days }) => ({ projectId, id: idBefore(days) }));
        const bounds = { beforeId: idBefore(deliveredDataDays), own };
        return removeInShards({ shards }, most, (data, max) => removeDeliveredData(data, bounds, max));
      },
    },
    // Deliveries first: a delivery without its event cannot be shown.
    inShards("deliveries", (data, max) => removeOldDeliveries(data, beforeId(), max)),
    inShards("events", (data, max) => removeOldEvents(data, beforeId(), max)),
    inShards("records of messages", (data, max) =>
      removeOldSeen(data, { isMessage: true, beforeId: beforeId() }, max),
    ),
    inShards("records that were left out", (data, max) =>
      removeOldSeen(data, { isMessage: false, beforeId: idBefore(deliveredDataDays) }, max),
    ),
    // These rows record the outcome of events whose message is already deleted.
    inShards("marks of undelivered changes", (data, max) =>
      removeUndeliveredBefore(data, idBefore(Math.max(eventDays, SUBSCRIPTION_EVENT_DAYS)), max),
    ),
    inShards("notes about events without a route", (data, max) => removeOldNowhere(data, beforeId(), max)),
    inShards("marks of own writes", (data, max) => removeOldOwnWrites(data, SUBSCRIPTION_EVENT_DAYS, max)),
    { what: "webhook send times", remove: () => removeOldPaces(control) },
  ];
}

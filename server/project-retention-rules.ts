/** Retention rules for projects that keep history for a shorter time than the operator. */
import { nowMs } from "../ground/clock.ts";
import { firstIdOf } from "../ground/ids.ts";
import {
  appliedDays,
  retentionBounds,
  type HistoryKind,
  type RetentionConfig,
} from "../ground/retention-bounds.ts";
import type { RetentionRule } from "./jobs/retention.ts";
import { removeOldConsentsOf } from "./store/consents.ts";
import type { Queries } from "./store/database.ts";
import { removeOldLeftOutOf } from "./store/seen-records.ts";
import { removeOldDeliveriesOf, removeOldEventsOf, removeOldNowhereOf } from "./store/delivery-sweep.ts";
import { removeOldOperationsOf } from "./store/operations.ts";
import { listOwnRetention, type ProjectBound } from "./store/project-retention.ts";
import { removePushesBefore } from "./store/received-pushes.ts";
import { removeProxyUsageOf } from "./store/proxy-usage.ts";
import { removeOldRefusedRequestsOf } from "./store/refused-requests.ts";
import { removeSubscriptionEventsOf } from "./store/subscription-events.ts";

/** Removes up to `most` rows of one project and returns their number. */
type RemoveOf = (queries: Queries, bound: ProjectBound, most: number) => Promise<number>;

const DAY_MS = 24 * 60 * 60_000;

/** Delivered data messages have no rule here: that of all projects takes the bound of each (`deliver/delivery-retention.ts`). */
const RULES: [what: string, kind: HistoryKind, remove: RemoveOf][] = [
  ["operations", "operations", removeOldOperationsOf],
  ["consents", "operations", removeOldConsentsOf],
  // Deliveries first: a delivery without its event cannot be shown.
  ["deliveries", "events", removeOldDeliveriesOf],
  ["events", "events", removeOldEventsOf],
  ["records that were left out", "dataMessages", removeOldLeftOutOf],
  ["notes about events without a route", "events", removeOldNowhereOf],
  ["proxy usage", "proxyCalls", removeProxyUsageOf],
  ["refused requests", "refusedRequests", removeOldRefusedRequestsOf],
  ["events of subscriptions", "subscriptionEvents", removeSubscriptionEventsOf],
  ["pushes set aside", "subscriptionEvents", removePushesBefore],
];

export function projectRetentionRules(deps: { queries: Queries; config: RetentionConfig }): RetentionRule[] {
  const { queries } = deps;
  const bounds = retentionBounds(deps.config);
  return RULES.map(([what, kind, removeOf]) => ({
    what: `${what} of projects with a retention of their own`,
    async remove(most) {
      let removed = 0;
      for (const { projectId, days } of await listOwnRetention(queries, kind)) {
        const timeMs = nowMs() - appliedDays(bounds[kind], days) * DAY_MS;
        const bound = { projectId, time: new Date(timeMs), id: firstIdOf(timeMs) };
        removed += await removeOf(queries, bound, most - removed);
        if (removed === most) break;
      }
      return removed;
    },
  }));
}

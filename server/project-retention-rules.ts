/** Retention rules for projects that keep history for a shorter time than the operator. */
import { nowMs } from "../ground/clock.ts";
import { buildFirstId } from "../ground/ids.ts";
import {
  applyBounds,
  computeRetentionBounds,
  type HistoryKind,
  type RetentionConfig,
} from "../ground/retention-bounds.ts";
import type { RetentionRule } from "./jobs/retention.ts";
import { removeProjectConsents } from "./store/connections/consents.ts";
import type { Database } from "./store/database/database.ts";
import type { ControlQueries, DataQueries } from "./store/database/sides.ts";
import { removeProjectLeftOut } from "./store/reads/seen-records.ts";
import {
  removeProjectDeliveries,
  removeProjectEvents,
  removeProjectNowhere,
} from "./store/deliveries/delivery-sweep.ts";
import { removeProjectOperations } from "./store/operations/operations.ts";
import { listOwnRetention } from "./store/access/project-retention.ts";
import type { ProjectBound } from "./store/database/id-range.ts";
import { removeInShards } from "./store/shards/each-shard.ts";
import { removePushesBefore } from "./store/subscriptions/received-pushes.ts";
import { removeProjectProxyUsage } from "./store/operations/proxy-usage.ts";
import { removeProjectRefusedRequests } from "./store/access/refused-requests.ts";
import { removeProjectSubscriptionEvents } from "./store/subscriptions/subscription-events.ts";

/** Removes up to `max` rows of one project and returns their number. */
type RemoveForProject<Side> = (queries: Side, bound: ProjectBound, max: number) => Promise<number>;
type Remove = (database: Database, bound: ProjectBound, max: number) => Promise<number>;

const onControl =
  (remove: RemoveForProject<ControlQueries>): Remove =>
  ({ control }, bound, max) =>
    remove(control, bound, max);
const onData =
  (remove: RemoveForProject<DataQueries>): Remove =>
  (database, bound, max) =>
    removeInShards(database, max, (data, most) => remove(data, bound, most));

const DAY_MS = 24 * 60 * 60_000;

/** Delivered data messages have no rule here: that of all projects takes the bound of each (`deliver/delivery-retention.ts`). */
const RULES: [what: string, kind: HistoryKind, remove: Remove][] = [
  ["operations", "operations", onData(removeProjectOperations)],
  ["consents", "operations", onControl(removeProjectConsents)],
  // Deliveries first: a delivery without its event cannot be shown.
  ["deliveries", "events", onData(removeProjectDeliveries)],
  ["events", "events", onData(removeProjectEvents)],
  ["records that were left out", "dataMessages", onData(removeProjectLeftOut)],
  ["notes about events without a route", "events", onData(removeProjectNowhere)],
  ["proxy usage", "proxyCalls", onData(removeProjectProxyUsage)],
  ["refused requests", "refusedRequests", onControl(removeProjectRefusedRequests)],
  ["events of subscriptions", "subscriptionEvents", onData(removeProjectSubscriptionEvents)],
  ["pushes set aside", "subscriptionEvents", onControl(removePushesBefore)],
];

export function projectRetentionRules({
  database,
  config,
}: {
  database: Database;
  config: RetentionConfig;
}): RetentionRule[] {
  const bounds = computeRetentionBounds(config);
  return RULES.map(([what, kind, removeForProject]) => ({
    what: `${what} of projects with a retention of their own`,
    async remove(max) {
      let removed = 0;
      for (const { projectId, days } of await listOwnRetention(database.control, kind)) {
        const timeMs = nowMs() - applyBounds(bounds[kind], days) * DAY_MS;
        const bound = { projectId, time: new Date(timeMs), id: buildFirstId(timeMs) };
        removed += await removeForProject(database, bound, max - removed);
        if (removed === max) break;
      }
      return removed;
    },
  }));
}

/** Defines what is removed after how long. */
import { listDeliveryRetentionRules } from "./deliver/delivery-retention.ts";
import type { Config } from "../ground/config.ts";
import { nowMs } from "../ground/clock.ts";
import { buildFirstId } from "../ground/ids.ts";
import {
  applyBounds,
  computeRetentionBounds,
  SUBSCRIPTION_EVENT_DAYS,
  type HistoryKind,
  type RetentionConfig,
} from "../ground/retention-bounds.ts";
import type { RetentionRule } from "./jobs/retention.ts";
import type { Database } from "./store/database/database.ts";
import type { ControlQueries, DataQueries } from "./store/database/sides.ts";
import { removeInShards } from "./store/shards/each-shard.ts";
import { removeOldAgentChanges } from "./store/agents/agent-changes.ts";
import { removeOldAgentActs } from "./store/agents/agent-acts.ts";
import { expireApprovals, removeOldApprovals } from "./store/agents/approval-queue.ts";
import { removeAuditEventsBefore } from "./store/access/audit-events.ts";
import { removeOldConsents, removeProjectConsents } from "./store/connections/consents.ts";
import { removeExpiredCustomAuthSessions } from "./store/connections/custom-auth-sessions.ts";
import { listDeletedProjects } from "./store/access/projects.ts";
import { listOwnRetention } from "./store/access/project-retention.ts";
import type { ProjectBound } from "./store/database/id-range.ts";
import {
  removeProjectDeliveries,
  removeProjectEvents,
  removeProjectNowhere,
} from "./store/deliveries/delivery-sweep.ts";
import { removeProjectLeftOut } from "./store/reads/seen-records.ts";
import { dropHeldBefore, listReleasable, releaseHeld } from "./store/deliveries/held-messages.ts";
import { removeOldIdempotencyKeys } from "./store/access/idempotency-keys.ts";
import { forgetRemovedInstallations } from "./store/operations/operation-lists.ts";
import { removeOldOperations, removeProjectOperations } from "./store/operations/operations.ts";
import { removePushesBefore } from "./store/subscriptions/received-pushes.ts";
import {
  listProjectsWithUsage,
  removeProjectProxyUsage,
  removeProxyUsageBefore,
} from "./store/operations/proxy-usage.ts";
import { removeOldRefusedRequests, removeProjectRefusedRequests } from "./store/access/refused-requests.ts";
import {
  removeProjectSubscriptionEvents,
  removeSubscriptionEventsBefore,
} from "./store/subscriptions/subscription-events.ts";
import { removeExpiredSessions } from "./store/access/sessions.ts";
import { removeExpiredSignInAttempts } from "./store/access/sign-in-attempts.ts";
import { removeExpiredUploads } from "./store/integrations/uploads.ts";

const MAX_HELD_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

export function listRetentionRules({
  database,
  config,
}: {
  database: Database;
  config: Config;
}): RetentionRule[] {
  const { control } = database;
  const inShards = (
    what: string,
    remove: (data: DataQueries, max: number) => Promise<number>,
  ): RetentionRule => ({
    what,
    remove: (max) => removeInShards(database, max, remove),
  });
  // A day before the operations and events are removed, so that the warning can be read.
  const heldDays = Math.min(
    MAX_HELD_DAYS,
    0.97 * Math.min(config.operationRetentionDays, config.eventRetentionDays),
  );
  const daysAgo = (days: number) => new Date(nowMs() - days * DAY_MS);
  const toIdBound = (days: number) => buildFirstId(daysAgo(days).getTime());
  // Anybody with a browser key can begin consents.
  const consentsBefore = () => ({ id: toIdBound(config.operationRetentionDays), unusedId: toIdBound(1) });
  return [
    inShards("held messages", async (data, max) => {
      for (const object of await listReleasable(data, max)) await releaseHeld(data, object);
      return dropHeldBefore(data, daysAgo(heldDays), max);
    }),
    inShards("operations", (data, max) =>
      removeOldOperations(data, toIdBound(config.operationRetentionDays), max),
    ),
    ...listAgentRules(database, () => toIdBound(config.operationRetentionDays)),
    {
      what: "removed installations",
      remove: (max) => forgetRemovedInstallations(control, daysAgo(config.operationRetentionDays), max),
    },
    { what: "consents", remove: (max) => removeOldConsents(control, consentsBefore(), max) },
    inShards("proxy usage", (data, max) =>
      removeProxyUsageBefore(data, daysAgo(config.usageRetentionDays), max),
    ),
    inShards("proxy usage of deleted projects", (data, max) => removeUsageOfDeleted(control, data, max)),
    {
      what: "idempotency keys",
      remove: (max) => removeOldIdempotencyKeys(control, config.idempotencyHours, max),
    },
    {
      what: "refused requests",
      remove: (max) => removeOldRefusedRequests(control, toIdBound(config.requestRetentionDays), max),
    },
    inShards("events of subscriptions", (data, max) =>
      removeSubscriptionEventsBefore(data, daysAgo(SUBSCRIPTION_EVENT_DAYS), max),
    ),
    {
      what: "pushes set aside",
      remove: (max) => removePushesBefore(control, { time: daysAgo(SUBSCRIPTION_EVENT_DAYS) }, max),
    },
    { what: "sessions", remove: (max) => removeExpiredSessions(control, max) },
    { what: "sign-in attempts", remove: (max) => removeExpiredSignInAttempts(control, max) },
    {
      what: "audit",
      remove: (max) => removeAuditEventsBefore(control, toIdBound(config.auditRetentionDays), max),
    },
    { what: "connect sessions", remove: (max) => removeExpiredCustomAuthSessions(control, max) },
    { what: "uploads", remove: (max) => removeExpiredUploads(control, max) },
    ...listDeliveryRetentionRules(database, {
      eventDays: config.eventRetentionDays,
      deliveredDataDays: config.readRetentionDays,
    }),
    ...listProjectRules({ database, config }),
  ];
}

/** Lines of calls do not refer to their project, because whoever calls the proxy would wait for it. */
async function removeUsageOfDeleted(
  control: ControlQueries,
  data: DataQueries,
  max: number,
): Promise<number> {
  const [projectId] = await listDeletedProjects(control, await listProjectsWithUsage(data));
  if (projectId === undefined) return 0;
  return removeProjectProxyUsage(data, { projectId, time: new Date(nowMs() + DAY_MS), id: "" }, max);
}

const listAgentRules = ({ control, shards }: Database, historyBefore: () => string): RetentionRule[] => [
  {
    what: "approvals",
    remove: async (most) => {
      await expireApprovals(control, most);
      return removeOldApprovals(control, historyBefore(), most);
    },
  },
  {
    what: "changes of agents",
    remove: (most) =>
      removeInShards({ shards }, most, (data, max) => removeOldAgentChanges(data, historyBefore(), max)),
  },
  { what: "counted acts of agents", remove: (most) => removeOldAgentActs(control, most) },
];

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

/** Delivered data messages have no rule here: that of all projects takes the bound of each (`deliver/delivery-retention.ts`). */
const PROJECT_RULES: [what: string, kind: HistoryKind, remove: Remove][] = [
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

/** Returns the rules for projects that keep history for a shorter time than the operator. */
function listProjectRules({
  database,
  config,
}: {
  database: Database;
  config: RetentionConfig;
}): RetentionRule[] {
  const bounds = computeRetentionBounds(config);
  return PROJECT_RULES.map(([what, kind, removeForProject]) => ({
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

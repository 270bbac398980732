/** Defines what is removed after how long. */
import { deliveryRetentionRules } from "./deliver/delivery-retention.ts";
import type { Config } from "../ground/config.ts";
import { nowMs } from "../ground/clock.ts";
import { buildFirstId } from "../ground/ids.ts";
import { SUBSCRIPTION_EVENT_DAYS } from "../ground/retention-bounds.ts";
import type { RetentionRule } from "./jobs/retention.ts";
import { projectRetentionRules } from "./project-retention-rules.ts";
import type { Database } from "./store/database/database.ts";
import type { DataQueries } from "./store/database/sides.ts";
import { removeInShards } from "./store/shards/each-shard.ts";
import { removeOldAgentChanges } from "./store/agents/agent-changes.ts";
import { removeOldAgentActs } from "./store/agents/agent-acts.ts";
import { expireApprovals, removeOldApprovals } from "./store/agents/approval-queue.ts";
import { removeAuditEventsBefore } from "./store/access/audit-events.ts";
import { removeOldConsents } from "./store/connections/consents.ts";
import { removeExpiredCustomAuthSessions } from "./store/connections/custom-auth-sessions.ts";
import { dropHeldBefore, listReleasable, releaseHeld } from "./store/deliveries/held-messages.ts";
import { removeOldIdempotencyKeys } from "./store/access/idempotency-keys.ts";
import { forgetRemovedInstallations } from "./store/operations/operation-lists.ts";
import { removeOldOperations } from "./store/operations/operations.ts";
import { removePushesBefore } from "./store/subscriptions/received-pushes.ts";
import { removeProxyUsageBefore } from "./store/operations/proxy-usage.ts";
import { removeOldRefusedRequests } from "./store/access/refused-requests.ts";
import { removeSubscriptionEventsBefore } from "./store/subscriptions/subscription-events.ts";
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
    ...agentRules(database, () => toIdBound(config.operationRetentionDays)),
    {
      what: "removed installations",
      remove: (max) => forgetRemovedInstallations(control, daysAgo(config.operationRetentionDays), max),
    },
    { what: "consents", remove: (max) => removeOldConsents(control, consentsBefore(), max) },
    inShards("proxy usage", (data, max) =>
      removeProxyUsageBefore(data, daysAgo(config.usageRetentionDays), max),
    ),
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
    ...deliveryRetentionRules(database, {
      eventDays: config.eventRetentionDays,
      deliveredDataDays: config.readRetentionDays,
    }),
    ...projectRetentionRules({ database, config }),
  ];
}

const agentRules = ({ control, shards }: Database, historyBefore: () => string): RetentionRule[] => [
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

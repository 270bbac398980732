/** Defines what is removed after how long. */
import { deliveryRetentionRules } from "./deliver/delivery-retention.ts";
import type { Config } from "../ground/config.ts";
import { nowMs } from "../ground/clock.ts";
import { buildFirstId } from "../ground/ids.ts";
import { SUBSCRIPTION_EVENT_DAYS } from "../ground/retention-bounds.ts";
import type { RetentionRule } from "./jobs/retention.ts";
import { projectRetentionRules } from "./project-retention-rules.ts";
import type { Database } from "./store/database.ts";
import { removeAuditEventsBefore } from "./store/audit-events.ts";
import { removeOldConsents } from "./store/consents.ts";
import { removeExpiredCustomAuthSessions } from "./store/custom-auth-sessions.ts";
import { dropHeldBefore, listReleasable, releaseHeld } from "./store/held-messages.ts";
import { removeOldIdempotencyKeys } from "./store/idempotency-keys.ts";
import { forgetRemovedInstallations } from "./store/operation-lists.ts";
import { removeOldOperations } from "./store/operations.ts";
import { removePushesBefore } from "./store/received-pushes.ts";
import { removeProxyUsageBefore } from "./store/proxy-usage.ts";
import { removeOldRefusedRequests } from "./store/refused-requests.ts";
import { removeSubscriptionEventsBefore } from "./store/subscription-events.ts";
import { removeExpiredSessions } from "./store/sessions.ts";
import { removeExpiredSignInAttempts } from "./store/sign-in-attempts.ts";
import { removeExpiredUploads } from "./store/uploads.ts";

const MOST_HELD_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

export function retentionRules({
  database,
  config,
}: {
  database: Database;
  config: Config;
}): RetentionRule[] {
  const { queries } = database;
  // A day before the operations and events are removed, so that the warning can be read.
  const heldDays = Math.min(
    MOST_HELD_DAYS,
    0.97 * Math.min(config.operationRetentionDays, config.eventRetentionDays),
  );
  const daysAgo = (days: number) => new Date(nowMs() - days * DAY_MS);
  const toIdBound = (days: number) => buildFirstId(daysAgo(days).getTime());
  // Anybody with a browser key can begin consents.
  const consentsBefore = () => ({ id: toIdBound(config.operationRetentionDays), unusedId: toIdBound(1) });
  return [
    {
      what: "held messages",
      remove: async (most) => {
        for (const object of await listReleasable(queries, most)) await releaseHeld(queries, object);
        return dropHeldBefore(queries, daysAgo(heldDays), most);
      },
    },
    {
      what: "operations",
      remove: (most) => removeOldOperations(queries, toIdBound(config.operationRetentionDays), most),
    },
    {
      what: "removed installations",
      remove: (most) => forgetRemovedInstallations(queries, daysAgo(config.operationRetentionDays), most),
    },
    { what: "consents", remove: (most) => removeOldConsents(queries, consentsBefore(), most) },
    {
      what: "proxy usage",
      remove: (most) => removeProxyUsageBefore(queries, daysAgo(config.usageRetentionDays), most),
    },
    {
      what: "idempotency keys",
      remove: (most) => removeOldIdempotencyKeys(queries, config.idempotencyHours, most),
    },
    {
      what: "refused requests",
      remove: (most) => removeOldRefusedRequests(queries, toIdBound(config.requestRetentionDays), most),
    },
    {
      what: "events of subscriptions",
      remove: (most) => removeSubscriptionEventsBefore(queries, daysAgo(SUBSCRIPTION_EVENT_DAYS), most),
    },
    {
      what: "pushes set aside",
      remove: (most) => removePushesBefore(queries, { time: daysAgo(SUBSCRIPTION_EVENT_DAYS) }, most),
    },
    { what: "sessions", remove: (most) => removeExpiredSessions(queries, most) },
    { what: "sign-in attempts", remove: (most) => removeExpiredSignInAttempts(queries, most) },
    {
      what: "audit",
      remove: (most) => removeAuditEventsBefore(queries, toIdBound(config.auditRetentionDays), most),
    },
    { what: "connect sessions", remove: (most) => removeExpiredCustomAuthSessions(queries, most) },
    { what: "uploads", remove: (most) => removeExpiredUploads(queries, most) },
    ...deliveryRetentionRules(queries, {
      eventDays: config.eventRetentionDays,
      deliveredDataDays: config.readRetentionDays,
    }),
    ...projectRetentionRules({ queries, config }),
  ];
}

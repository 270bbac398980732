/** The kinds of history that a project may keep for a shorter time than the operator, and the bounds of each. */
import { computeAttemptsDays, type Config } from "./config.ts";

export const HISTORY_KINDS = [
  "operations",
  "events",
  "dataMessages",
  "proxyCalls",
  "refusedRequests",
  "subscriptionEvents",
] as const;

export type HistoryKind = (typeof HISTORY_KINDS)[number];

interface DaysBound {
  leastDays: number;
  /** The reason for the lower bound: what needs the rows for this time. */
  least: string;
  /** The operator's setting. */
  mostDays: number;
  max: string;
}

export type RetentionConfig = Pick<
  Config,
  | "operationRetentionDays"
  | "eventRetentionDays"
  | "readRetentionDays"
  | "usageRetentionDays"
  | "requestRetentionDays"
  | "idempotencyHours"
  | "webhookRetrySeconds"
>;

/** Providers send an event again within a day; a person looks for one within some days. */
export const SUBSCRIPTION_EVENT_DAYS = 7;

/** Returns the bounds of each kind. The upper bound is also what applies without a setting. */
export function computeRetentionBounds(config: RetentionConfig): Record<HistoryKind, DaysBound> {
  const none = { leastDays: 0, least: "nothing needs them longer" };
  const setBy = (mostDays: number, variable: string) => ({
    mostDays,
    max: `\`${variable}\` of this Busbar`,
  });
  const bounds: Record<HistoryKind, DaysBound> = {
    operations: {
      leastDays: config.idempotencyHours / 24,
      least: "a request that is repeated with its `Idempotency-Key` looks them up",
      ...setBy(config.operationRetentionDays, "BUSBAR_OPERATION_RETENTION_DAYS"),
    },
    events: {
      leastDays: computeAttemptsDays(config.webhookRetrySeconds),
      least: "their deliveries are retried for so long",
      ...setBy(config.eventRetentionDays, "BUSBAR_EVENT_RETENTION_DAYS"),
    },
    dataMessages: { ...none, ...setBy(config.readRetentionDays, "BUSBAR_READ_RETENTION_DAYS") },
    proxyCalls: { ...none, ...setBy(config.usageRetentionDays, "BUSBAR_USAGE_RETENTION_DAYS") },
    refusedRequests: { ...none, ...setBy(config.requestRetentionDays, "BUSBAR_REQUEST_RETENTION_DAYS") },
    subscriptionEvents: {
      leastDays: 1,
      least: "providers send an event again within a day",
      mostDays: SUBSCRIPTION_EVENT_DAYS,
      max: "fixed",
    },
  };
  // An operator may keep rows for less time than the lower bound of a project.
  for (const bound of Object.values(bounds)) bound.leastDays = Math.min(bound.leastDays, bound.mostDays);
  return bounds;
}

/** Returns the days that apply: the project's own if it has set them, within bounds that may have changed since. */
export const applyBounds = ({ leastDays, mostDays }: DaysBound, own: number | undefined): number =>
  own === undefined ? mostDays : Math.min(mostDays, Math.max(leastDays, own));

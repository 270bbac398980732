/** Decides when tokens are refreshed ahead of need: before they expire, and before an unused refresh token dies. */
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { nowMs } from "../../ground/clock.ts";
import { isRefreshable, serving } from "./refreshable.ts";
import { isOauth, type StoredCredentials } from "./credential-envelope.ts";

/** Tokens are refreshed this long before they expire, while they still serve; short-lived ones in their last quarter. */
const LEAD_MS = 5 * 60_000;
const LEAD_SHARE = 0.25;
/** Where the catalog names none. */
const KEEP_ALIVE_HOURS = 24;
const HOUR_MS = 3_600_000;
/** A hundred years. Some providers mean "for ever" by numbers that no calendar has. */
const LONGEST_SECONDS = 100 * 365 * 24 * 3_600;

/** A token this close to its expiry is not sent any more: it could expire before the call arrives. */
export const EXPIRY_MARGIN_MS = 5_000;

/** Whether the credentials have expired, or do so within `earlyMs`. True where there are none yet. */
export function hasEnded(credentials: StoredCredentials, earlyMs = 0): boolean {
  const current = serving(credentials);
  if (current === undefined) return true;
  return current.expiresAt !== undefined && Date.parse(current.expiresAt) <= nowMs() + earlyMs;
}

/** When what was issued just now ends, in RFC 3339; undefined where the number of seconds says nothing or "never". */
export const endAfter = (seconds: number): string | undefined =>
  seconds > 0 && seconds <= LONGEST_SECONDS ? new Date(nowMs() + seconds * 1_000).toISOString() : undefined;

/** From when on a token is to be refreshed, in milliseconds since the epoch; undefined when it names no end. */
export function refreshAtMs(token: { issuedAt?: string; expiresAt?: string }): number | undefined {
  if (token.expiresAt === undefined) return undefined;
  const endMs = Date.parse(token.expiresAt);
  const issuedMs = token.issuedAt === undefined ? endMs - LEAD_MS : Date.parse(token.issuedAt);
  return endMs - Math.min(LEAD_MS, Math.max(0, endMs - issuedMs) * LEAD_SHARE);
}

/**
 * Undefined when nothing ends. What cannot be refreshed is looked at when it has ended: then the customer has to be told,
 * whether anybody uses the connection or not.
 */
export function refreshTime(
  provider: ProviderInfo | undefined,
  credentials: StoredCredentials,
): Date | undefined {
  const current = serving(credentials);
  if (!isRefreshable(provider, credentials))
    return current?.expiresAt ? new Date(current.expiresAt) : undefined;
  const refreshToken = isOauth(credentials) ? credentials.refreshToken : undefined;
  const expiry = current ? refreshAtMs(current) : nowMs();
  const keepAlive = refreshToken && nowMs() + keepAliveMs(provider);
  const due = Math.min(expiry ?? Number.POSITIVE_INFINITY, keepAlive ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(due) ? new Date(due) : undefined;
}

/** Staggered, so that customers who connected together are not refreshed together. */
const keepAliveMs = (provider: ProviderInfo | undefined): number =>
  (provider?.oauth2Opts?.keepAliveIntervalHours ?? KEEP_ALIVE_HOURS) * HOUR_MS * (0.75 + Math.random() / 4);

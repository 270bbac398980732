/** Decides when tokens are refreshed: before they expire, and before an unused refresh token expires. */
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { nowMs } from "../../../ground/clock.ts";
import { isRefreshable, describeToken } from "./refreshable.ts";
import { isOauth, type StoredCredentials } from "./credential-envelope.ts";

/** Tokens are refreshed this long before they expire; short-lived ones in the last quarter of their lifetime. */
const LEAD_MS = 5 * 60_000;
const LEAD_SHARE = 0.25;
/** Default for providers whose catalog entry has no interval. */
const KEEP_ALIVE_HOURS = 24;
const HOUR_MS = 3_600_000;
/** A hundred years. Some providers send a number beyond any calendar date for "never". */
const LONGEST_SECONDS = 100 * 365 * 24 * 3_600;

/** A token this close to its expiry is not sent any more: it could expire before the call arrives. */
export const EXPIRY_MARGIN_MS = 5_000;

/** Returns whether the credentials have expired, or do so within `earlyMs`. True where there are none yet. */
export function hasEnded(credentials: StoredCredentials, earlyMs = 0): boolean {
  const current = describeToken(credentials);
  if (current === undefined) return true;
  return current.expiresAt !== undefined && Date.parse(current.expiresAt) <= nowMs() + earlyMs;
}

/** Returns the expiry (RFC 3339) of a token that was issued now; undefined if it never expires or gives no lifetime. */
export const computeExpiry = (seconds: number): string | undefined =>
  seconds > 0 && seconds <= LONGEST_SECONDS ? new Date(nowMs() + seconds * 1_000).toISOString() : undefined;

/** Returns from when on a token is refreshed, in milliseconds since the epoch; undefined if it has no expiry. */
export function refreshAtMs(token: { issuedAt?: string; expiresAt?: string }): number | undefined {
  if (token.expiresAt === undefined) return undefined;
  const endMs = Date.parse(token.expiresAt);
  const issuedMs = token.issuedAt === undefined ? endMs - LEAD_MS : Date.parse(token.issuedAt);
  return endMs - Math.min(LEAD_MS, Math.max(0, endMs - issuedMs) * LEAD_SHARE);
}

/**
 * Returns when the credentials are due for a refresh; undefined if nothing expires. A token that cannot be refreshed is due
 * when it expires, so that the customer is notified even if the connection is not used.
 */
export function refreshTime(
  provider: ProviderInfo | undefined,
  credentials: StoredCredentials,
): Date | undefined {
  const current = describeToken(credentials);
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

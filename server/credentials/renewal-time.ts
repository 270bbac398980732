/** Decides when tokens are renewed ahead of need: before they expire, and before an unused refresh token dies. */
import type { ProviderInfo } from "../../connectors/kit/provider.ts";
import { nowMs } from "../ground/clock.ts";
import { isOauth, type StoredCredentials, type Token } from "./stored-credentials.ts";

/** Tokens are renewed this long before they expire, while they still serve; short-lived ones in their last quarter. */
const LEAD_MS = 5 * 60_000;
const LEAD_SHARE = 0.25;
/** Where the catalog names none. */
const KEEP_ALIVE_HOURS = 24;
const HOUR_MS = 3_600_000;

/** From when on a token is to be renewed, in milliseconds since the epoch; undefined when it names no end. */
export function renewAtMs(token: Token): number | undefined {
  if (token.expiresAt === undefined) return undefined;
  const endMs = Date.parse(token.expiresAt);
  const issuedMs = token.issuedAt === undefined ? endMs - LEAD_MS : Date.parse(token.issuedAt);
  return endMs - Math.min(LEAD_MS, Math.max(0, endMs - issuedMs) * LEAD_SHARE);
}

/** Undefined when there is nothing to renew with, or nothing that ends. */
export function renewalTime(
  provider: ProviderInfo | undefined,
  credentials: StoredCredentials,
): Date | undefined {
  if (!isOauth(credentials)) return undefined;
  const { accessToken, refreshToken } = credentials;
  if (!refreshToken && !("clientId" in credentials)) return undefined;
  const expiry = accessToken ? renewAtMs(accessToken) : nowMs();
  const keepAlive = refreshToken && nowMs() + keepAliveMs(provider);
  const due = Math.min(expiry ?? Number.POSITIVE_INFINITY, keepAlive ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(due) ? new Date(due) : undefined;
}

/** Staggered, so that customers who connected together are not renewed together. */
const keepAliveMs = (provider: ProviderInfo | undefined): number =>
  (provider?.oauth2Opts?.keepAliveIntervalHours ?? KEEP_ALIVE_HOURS) * HOUR_MS * (0.75 + Math.random() / 4);

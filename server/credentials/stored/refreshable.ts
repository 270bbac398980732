/** Decides which credentials can be refreshed or can expire, and identifies each generation of a token. */
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { isOauth, type StoredCredentials } from "./credential-envelope.ts";

/** Returns whether new credentials can be had from the provider without the customer. */
export function isRefreshable(provider: ProviderInfo | undefined, credentials: StoredCredentials): boolean {
  if (isOauth(credentials)) return credentials.refreshToken !== undefined || "clientId" in credentials;
  return credentials.scheme === "custom" && (provider?.customOpts?.refreshSteps?.length ?? 0) > 0;
}

/** Returns whether the credentials can expire: tokens, and values of a provider's own scheme that have a lifetime. */
export const canExpire = (credentials: StoredCredentials): boolean =>
  isOauth(credentials) || (credentials.scheme === "custom" && credentials.expiresAt !== undefined);

/** Returns the times of the current token, and a text that differs for each token. Undefined while there is none. */
export function describeToken(
  credentials: StoredCredentials,
): { tokenGeneration: string; issuedAt?: string; expiresAt?: string } | undefined {
  if (isOauth(credentials)) {
    const { accessToken } = credentials;
    return accessToken && { ...accessToken, tokenGeneration: accessToken.token };
  }
  if (credentials.scheme !== "custom") return { tokenGeneration: "" };
  const { values, issuedAt, expiresAt } = credentials;
  return { tokenGeneration: JSON.stringify(values), issuedAt, expiresAt };
}

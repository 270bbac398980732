/** What can be got anew when a provider refuses credentials or they run out, and how two generations are told apart. */
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { isOauth, type StoredCredentials } from "./credential-envelope.ts";

/** Whether the provider can be asked for other credentials without the customer. */
export function isRefreshable(provider: ProviderInfo | undefined, credentials: StoredCredentials): boolean {
  if (isOauth(credentials)) return credentials.refreshToken !== undefined || "clientId" in credentials;
  return credentials.scheme === "custom" && (provider?.customOpts?.refreshSteps?.length ?? 0) > 0;
}

/** Whether they may end by themselves: tokens, and values of a provider's own scheme that came with a lifetime. */
export const canEnd = (credentials: StoredCredentials): boolean =>
  isOauth(credentials) || (credentials.scheme === "custom" && credentials.expiresAt !== undefined);

/** What serves now: its times, and a text that differs between generations. Undefined where nothing is there yet. */
export function serving(
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

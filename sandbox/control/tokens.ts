// Tokens that are issued without a browser, for tests and the demo.

import type { Grants } from "../oauth/grants.ts";

export type MintOptions = {
  expiresInSeconds?: number;
  scopes?: string[];
  /** A static token never expires and cannot be refreshed, like that of a private app. */
  static?: boolean;
  /** OAuth client to which the refresh token belongs; without it, any client may refresh. */
  clientId?: string;
};

export type MintedToken = {
  accessToken: string;
  refreshToken?: string;
  /** ISO time; absent for static tokens. */
  expiresAt?: string;
};

export function mintToken(grants: Grants, options: MintOptions = {}): MintedToken {
  const issued = grants.mint({
    clientId: options.clientId,
    scopes: options.scopes ?? ["oauth", "api", "refresh_token"],
    lifetimeSeconds: options.static === true ? Number.POSITIVE_INFINITY : options.expiresInSeconds,
    refresh: options.static !== true,
  });
  return {
    accessToken: issued.accessToken,
    ...(issued.refreshToken === undefined ? {} : { refreshToken: issued.refreshToken }),
    ...(Number.isFinite(issued.expiresAt) ? { expiresAt: new Date(issued.expiresAt).toISOString() } : {}),
  };
}

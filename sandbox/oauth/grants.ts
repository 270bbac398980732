// Codes, access tokens and refresh tokens of one provider, with expiry, PKCE and, as an option, rotation.

import { createHash, randomBytes } from "node:crypto";

type Grant = {
  id: number;
  /** Undefined for tokens that were issued without an OAuth client. */
  clientId: string | undefined;
  scopes: string[];
  revoked: boolean;
  /** Valid refresh token; undefined if the grant has none. */
  refreshToken: string | undefined;
};

type AccessToken = { token: string; grant: Grant; expiresAt: number; lifetimeMs: number };

type PendingCode = {
  clientId: string;
  redirectUri: string;
  scopes: string[];
  challenge: string | undefined;
  method: string;
  expiresAt: number;
};

export type IssuedTokens = {
  accessToken: string;
  refreshToken: string | undefined;
  expiresAt: number;
  grant: Grant;
};

type TokenState =
  | { state: "valid"; token: AccessToken }
  | { state: "expired"; expiredAt: number }
  | { state: "unknown" };

type Settings = {
  /** Whether each refresh returns a new refresh token, and a used one revokes its grant. */
  rotate: boolean;
  /** Whether using an access token extends its lifetime. */
  sliding: boolean;
  lifetimeSeconds: number;
  accessTokenText(random: string): string;
  refreshTokenText(random: string): string;
};

const CODE_LIFETIME_MS = 10 * 60_000;

export class Grants {
  readonly settings: Settings;
  readonly #codes = new Map<string, PendingCode>();
  readonly #access = new Map<string, AccessToken>();
  readonly #refresh = new Map<string, Grant>();
  #nextGrant = 1;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  issueCode(pending: Omit<PendingCode, "expiresAt">): string {
    const code = randomBytes(20).toString("hex");
    this.#codes.set(code, { ...pending, expiresAt: Date.now() + CODE_LIFETIME_MS });
    return code;
  }

  /** Takes a code, which works once. */
  takeCode(code: string): PendingCode | undefined {
    const pending = this.#codes.get(code);
    this.#codes.delete(code);
    return pending === undefined || pending.expiresAt < Date.now() ? undefined : pending;
  }

  /** Issues tokens. An infinite lifetime makes a token like a private app's, without a refresh token. */
  mint(input: {
    clientId?: string | undefined;
    scopes: string[];
    lifetimeSeconds?: number | undefined;
    refresh?: boolean;
    accessToken?: string;
  }): IssuedTokens {
    const refreshToken =
      input.refresh === false ? undefined : this.settings.refreshTokenText(randomBytes(24).toString("hex"));
    const grant: Grant = {
      id: this.#nextGrant++,
      clientId: input.clientId,
      scopes: input.scopes,
      revoked: false,
      refreshToken,
    };
    if (refreshToken !== undefined) this.#refresh.set(refreshToken, grant);
    return this.#issue(grant, input.lifetimeSeconds, input.accessToken);
  }

  /** Refreshes a grant. Returns undefined if the token is unknown, used, revoked or another client's. */
  refresh(refreshToken: string, clientId: string): IssuedTokens | undefined {
    const grant = this.#refresh.get(refreshToken);
    if (grant === undefined || grant.revoked) return undefined;
    if (grant.clientId !== undefined && grant.clientId !== clientId) return undefined;
    if (grant.refreshToken !== refreshToken) {
      // A used token was sent: the present one may be stolen, so the whole grant is revoked.
      grant.revoked = true;
      return undefined;
    }
    if (this.settings.rotate) {
      grant.refreshToken = this.settings.refreshTokenText(randomBytes(24).toString("hex"));
      this.#refresh.set(grant.refreshToken, grant);
    }
    return this.#issue(grant, undefined, undefined);
  }

  check(token: string): TokenState {
    const found = this.#access.get(token);
    if (found === undefined || found.grant.revoked) return { state: "unknown" };
    const now = Date.now();
    if (found.expiresAt <= now) return { state: "expired", expiredAt: found.expiresAt };
    if (this.settings.sliding) found.expiresAt = Math.max(found.expiresAt, now + found.lifetimeMs);
    return { state: "valid", token: found };
  }

  findRefresh(refreshToken: string): Grant | undefined {
    const grant = this.#refresh.get(refreshToken);
    return grant === undefined || grant.revoked || grant.refreshToken !== refreshToken ? undefined : grant;
  }

  dropRefresh(refreshToken: string): void {
    const grant = this.#refresh.get(refreshToken);
    if (grant !== undefined) grant.refreshToken = undefined;
    this.#refresh.delete(refreshToken);
  }

  dropAccess(token: string): void {
    this.#access.delete(token);
  }

  /** Expires every access token, except static ones; refresh tokens stay valid. */
  expireAll(): void {
    const past = Date.now() - 1000;
    for (const token of this.#access.values()) if (Number.isFinite(token.expiresAt)) token.expiresAt = past;
  }

  /** Revokes all grants, as if the customer had removed the app. */
  revokeAll(): void {
    for (const token of this.#access.values())
      if (Number.isFinite(token.expiresAt)) token.grant.revoked = true;
    for (const grant of this.#refresh.values()) grant.revoked = true;
  }

  clear(): void {
    this.#codes.clear();
    this.#access.clear();
    this.#refresh.clear();
  }

  #issue(grant: Grant, lifetimeSeconds: number | undefined, text: string | undefined): IssuedTokens {
    const lifetimeMs = (lifetimeSeconds ?? this.settings.lifetimeSeconds) * 1000;
    const token = text ?? this.settings.accessTokenText(randomBytes(24).toString("hex"));
    const expiresAt = Date.now() + lifetimeMs;
    this.#access.set(token, { token, grant, expiresAt, lifetimeMs });
    return { accessToken: token, refreshToken: grant.refreshToken, expiresAt, grant };
  }
}

/** Checks the verifier by RFC 7636; without a challenge, any is accepted. */
export function isVerifier(pending: PendingCode, verifier: string | undefined): boolean {
  if (pending.challenge === undefined) return true;
  if (verifier === undefined) return false;
  const derived =
    pending.method === "plain" ? verifier : createHash("sha256").update(verifier).digest("base64url");
  return derived === pending.challenge;
}

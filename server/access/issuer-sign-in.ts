/**
 * Signs people in at the issuer: authorization code flow with PKCE, state and nonce (OpenID Connect Core 3.1, RFC 7636).
 * Verifier and nonce are derived from a secret in the browser's cookie, so that the database holds digests only.
 */
import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import type { Database } from "../store/database/database.ts";
import { insertSignInAttempt, takeSignInAttempt } from "../store/access/sign-in-attempts.ts";
import type { OidcIssuer } from "./oidc-issuer.ts";
import { openIdTokens, type Person } from "./person-token.ts";
import { readSentCookie, setCookie } from "./session-cookie.ts";
import { hashSecret, newSecret } from "../../ground/ids.ts";

export interface IssuerSignIn {
  /** Returns the issuer's address to go to, and the header of the cookie that binds the sign-in to this browser. */
  begin(returnTo: string): Promise<{ url: URL; cookie: string }>;
  /**
   * Returns the person and the page to go to. Undefined without a code, and if this browser did not begin this sign-in, or it
   * is too old or already finished. Throws a Problem if the issuer refuses or does not answer, or its tokens do not count.
   */
  finish(
    answer: { state: string; code?: string },
    headers: IncomingHttpHeaders,
  ): Promise<{ person: Person; returnTo: string } | undefined>;
  /** Returns the header that removes the cookie. */
  forget(): string;
}

const SIGN_IN_PATH = "/callbacks/v1/sign-in";
const COOKIE = "busbar_sign_in";
/** Long enough for a second factor and a forgotten password. */
const ATTEMPT_SECONDS = 3_600;

export function openIssuerSignIn(deps: {
  database: Database;
  issuer: OidcIssuer;
  log: Log;
  publicUrl: () => string;
}): IssuerSignIn {
  const { control } = deps.database;
  const personOfIdToken = openIdTokens(deps);
  const redirectUri = () => `${deps.publicUrl()}${SIGN_IN_PATH}`;
  const cookie = (value: string, seconds: number) =>
    // Lax: the browser must send it when the issuer redirects back.
    setCookie(COOKIE, value, { seconds, publicUrl: deps.publicUrl(), sameSite: "Lax", path: SIGN_IN_PATH });
  return {
    async begin(returnTo) {
      const url = await deps.issuer.authorizationUrl();
      const [state, secret] = [newSecret(), newSecret()];
      const expireTime = new Date(nowMs() + ATTEMPT_SECONDS * 1_000);
      const attempt = { stateHash: hashSecret(state), browserHash: hashSecret(secret), returnTo, expireTime };
      if (!(await insertSignInAttempt(control, attempt))) {
        const detail = "Too many sign-ins have begun and not ended. Try again in some minutes.";
        throw new Problem("unavailable", { detail });
      }
      const { nonce, verifier } = deriveSecrets(secret, state);
      const parameters = {
        response_type: "code",
        client_id: deps.issuer.settings.clientId,
        redirect_uri: redirectUri(),
        scope: "openid email profile",
        state,
        nonce,
        code_challenge: hashSecret(verifier).toString("base64url"),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url, cookie: cookie(secret, ATTEMPT_SECONDS) };
    },
    async finish({ state, code }, headers) {
      const secret = readSentCookie(headers, COOKIE);
      if (secret === undefined) return undefined;
      const attempt = { stateHash: hashSecret(state), browserHash: hashSecret(secret) };
      const returnTo = await takeSignInAttempt(control, attempt);
      if (returnTo === undefined || code === undefined) return undefined;
      const { nonce, verifier } = deriveSecrets(secret, state);
      const tokens = await deps.issuer.exchange({ code, redirectUri: redirectUri(), verifier });
      return { person: await personOfIdToken(tokens, nonce), returnTo };
    },
    forget: () => cookie("", 0),
  };
}

const deriveSecrets = (secret: string, state: string) => {
  const derive = (what: string) =>
    createHmac("sha256", secret).update(`${what} ${state}`).digest("base64url");
  return { nonce: derive("nonce"), verifier: derive("verifier") };
};

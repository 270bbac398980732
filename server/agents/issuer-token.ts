/** Checks tokens of the authorization servers that a project's policy names, with which agents get in. */
import { decodeJwt, errors, type JWTPayload } from "jose";
import { now, nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import { isStorable } from "../../ground/storable-text.ts";
import {
  refuseBearerToken,
  fetchIssuerDocument,
  lacksKeys,
  openIssuerKeys,
  SIGNATURE_ALGORITHMS,
  SKEW_SECONDS,
  verifySignature,
  type IssuerKeys,
} from "../access/issuer-keys.ts";
import type { Egress } from "../egress/egress.ts";

interface IssuedToken {
  /** `iss` and `sub` with a space between. */
  id: string;
  /** Scopes of the claim `scope`. */
  scopes: string[];
  /** Absent: the token is good for every customer of the project. */
  groupRef?: string;
}

export interface IssuedTokens {
  /** Returns the claim `iss`, which nothing has proved yet; undefined for text that is no token. */
  readIssuer(token: string): string | undefined;
  /** Throws Problems: 401, and 503 if the issuer's keys cannot be loaded. */
  check(token: string, expected: { issuer: string; audience: string }): Promise<IssuedToken>;
}

const MAX_ISSUERS = 200;
/** An issuer may move its keys to another address. */
const KEPT_MS = 10 * 60_000;

export function openIssuerTokens({ egress }: { egress: Egress }): IssuedTokens {
  const known = keepRecentlyUsed<Promise<IssuerKeys>>(MAX_ISSUERS, { ttl: KEPT_MS });
  const loadKeys = (issuer: string): Promise<IssuerKeys> => {
    const loaded = known.get(issuer) ?? findKeys(egress, issuer);
    known.set(issuer, loaded);
    // Tried again by the next token.
    loaded.catch(() => known.delete(issuer));
    return loaded;
  };
  return {
    readIssuer(token) {
      try {
        return decodeJwt(token).iss;
      } catch {
        return undefined;
      }
    },
    async check(token, { issuer, audience }) {
      const keys = await loadKeys(issuer);
      try {
        const { payload } = await verifySignature(token, keys, {
          issuer,
          audience,
          algorithms: SIGNATURE_ALGORITHMS,
          currentDate: now(),
          // Tolerance for `nbf`, which issuers set to the time of signing. `exp` is checked to the second below.
          clockTolerance: SKEW_SECONDS,
          requiredClaims: ["sub", "exp"],
        });
        return readClaims(issuer, payload);
      } catch (cause) {
        throw explain(cause, { issuer, audience });
      }
    },
  };
}

function readClaims(issuer: string, { sub, exp = 0, scope, groupRef, iat }: JWTPayload): IssuedToken {
  if (!sub || !isStorable(sub)) throw refuseBearerToken("names nobody (`sub` is empty)");
  if (exp <= nowMs() / 1_000) throw refuseBearerToken("has expired; get a new one");
  if (iat !== undefined && iat > nowMs() / 1_000 + SKEW_SECONDS)
    throw refuseBearerToken("was issued in the future; compare the clocks");
  if (groupRef !== undefined && typeof groupRef !== "string")
    throw refuseBearerToken("has a `groupRef` that is no text");
  return {
    id: `${issuer} ${sub}`,
    scopes: typeof scope === "string" ? scope.split(" ") : [],
    ...(groupRef !== undefined && { groupRef }),
  };
}

function explain(cause: unknown, { issuer, audience }: { issuer: string; audience: string }): unknown {
  if (cause instanceof errors.JWTExpired) return refuseBearerToken("has expired; get a new one", cause);
  if (lacksKeys(cause)) return buildUnavailable(issuer, cause);
  if (cause instanceof errors.JWTClaimValidationFailed) {
    const why = cause.claim === "aud" ? ` It must be \`${audience}\`.` : "";
    return refuseBearerToken(
      `cannot be accepted because of its claim \`${cause.claim}\`.${why} Get another one`,
      cause,
    );
  }
  if (cause instanceof errors.JOSEError) return refuseBearerToken(`is not signed by ${issuer}`, cause);
  return cause;
}

const buildUnavailable = (issuer: string, cause: unknown): Problem =>
  new Problem("unavailable", {
    detail: `The authorization server ${issuer} does not answer, so its tokens cannot be checked. Try again later.`,
    cause,
  });

/** Finds the issuer's keys by its metadata (RFC 8414, else OpenID Connect Discovery), which must name the same issuer. */
async function findKeys(egress: Egress, issuer: string): Promise<IssuerKeys> {
  let trouble: unknown;
  for (const url of listMetadataAddresses(issuer)) {
    try {
      const { issuer: named, jwks_uri: address } = await fetchIssuerDocument(egress, url);
      if (named !== issuer) throw new Error(`${url} names another issuer`);
      const keys = typeof address === "string" ? URL.parse(address) : null;
      if (keys?.protocol !== "https:") throw new Error(`${url} names no jwks_uri with https`);
      return openIssuerKeys(egress, keys, (cause) => buildUnavailable(issuer, cause));
    } catch (error) {
      trouble = error;
    }
  }
  throw buildUnavailable(issuer, trouble);
}

/** RFC 8414, section 3.1: the well-known part stands before the issuer's path; OpenID Connect appends it. */
function listMetadataAddresses(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    new URL(`${origin}${path}/.well-known/openid-configuration`),
  ];
}

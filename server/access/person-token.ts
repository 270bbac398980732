/** Checks the tokens of people who sign in at the OpenID Connect issuer that this Busbar trusts. */
import { errors, type JWTPayload, type JWTVerifyResult } from "jose";
import { now, nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import type { JsonObject } from "../../ground/json.ts";
import type { Log } from "../../ground/log.ts";
import { isStorable } from "../../ground/storable-text.ts";
import type { Role } from "../../ground/role.ts";
import type { Database } from "../store/database/database.ts";
import { listMemberships, upsertBuilder } from "../store/access/people.ts";
import {
  refuseBearerToken,
  lacksKeys,
  SIGNATURE_ALGORITHMS,
  SKEW_SECONDS,
  verifySignature,
} from "./issuer-keys.ts";
import { refuseWithoutIssuer, type IssuerTokens, type OidcIssuer } from "./oidc-issuer.ts";

export interface Person {
  builderId: string;
  name?: string;
  /** Role by organisation id. */
  roles: ReadonlyMap<string, Role>;
  /** For people who signed in with an API key. */
  sessionId?: string;
  /** Verified by the issuer, otherwise absent. */
  email?: string;
}

/** Returns the person of a token. Throws Problems: 401, and 503 if the issuer's keys cannot be loaded. */
export type IdentifyPerson = (token: string) => Promise<Person>;

/**
 * Returns the person of a sign-in's tokens. The ID token must have this nonce; what it does not tell about the person is
 * asked of UserInfo. Throws the same Problems.
 */
type PersonOfIdToken = (tokens: IssuerTokens, nonce: string) => Promise<Person>;

interface Services {
  database: Database;
  issuer: OidcIssuer;
}

export const openPersonTokens =
  (deps: Services): IdentifyPerson =>
  async (token) =>
    upsertPersonWith(deps, await verifyToken(deps, token));

export const openIdTokens =
  (deps: Services & { log: Log }): PersonOfIdToken =>
  async ({ idToken, accessToken }, nonce) => {
    const claims = await verifyToken(deps, idToken);
    if (claims["nonce"] !== nonce) throw refuseBearerToken("belongs to another sign-in (`nonce`)");
    if (accessToken === undefined || isPersonToken(deps, claims)) return upsertPersonWith(deps, claims);
    const info = await askUserInfo(deps, accessToken, claims);
    // OpenID Connect Core 5.3.2: otherwise the claims must not be used.
    if (info && info["sub"] !== claims.sub)
      throw refuseBearerToken("is about another person than UserInfo (`sub`)");
    return upsertPersonWith(deps, withUserInfo(claims, info));
  };

/** Issuers that follow OpenID Connect Core 5.4 return profile and address at UserInfo only. */
const isPersonToken = ({ issuer }: Services, claims: JWTPayload): boolean => {
  const isNamed = text(claims["name"]) !== null || text(claims["given_name"]) !== null;
  const isDecided = claims["email_verified"] !== undefined || issuer.settings.trustEmail;
  return isNamed && isDecided && text(claims["email"]) !== null;
};

type UserInfo = JsonObject | JWTPayload | undefined;

/** Throws `unavailable` only where the sign-in would lose the person's address. */
async function askUserInfo(
  deps: Services & { log: Log },
  accessToken: string,
  claims: JWTPayload,
): Promise<UserInfo> {
  try {
    const reported = await deps.issuer.userInfo(accessToken);
    return typeof reported === "string" ? (await readSignedClaims(deps, reported)).payload : reported;
  } catch (error) {
    const isOutage = error instanceof Problem && error.slug === "unavailable";
    if (!isOutage || text(claims["email"]) === null) throw error;
    deps.log.warn({ err: error }, "UserInfo of the sign-in issuer was not read");
    return undefined;
  }
}

/** Adds the claims of UserInfo. `email_verified` counts only for the address in the same answer. */
function withUserInfo(claims: JWTPayload, info: UserInfo = {}): JWTPayload {
  const email = text(claims["email"]) ?? text(info["email"]);
  const isInformed = text(info["email"]) === email;
  return {
    ...info,
    ...claims,
    email,
    email_verified: claims["email_verified"] ?? (isInformed ? info["email_verified"] : undefined),
  };
}

async function upsertPersonWith(deps: Services, claims: JWTPayload): Promise<Person> {
  const { control } = deps.database;
  const builder = await upsertBuilder(control, {
    idpProvider: deps.issuer.settings.issuer,
    idpRef: claims.sub ?? "",
    firstName: text(claims["given_name"]),
    lastName: text(claims["family_name"]),
    fullName: text(claims["name"]),
    primaryEmail: text(claims["email"]),
  });
  const memberships = await listMemberships(control, builder.id);
  const email = isVouchedFor(deps, claims) ? text(claims["email"]) : null;
  return {
    builderId: builder.id,
    ...nameOfPerson(builder),
    roles: new Map(memberships.map(({ role, org }) => [org.id, role])),
    ...(email !== null && { email: email.toLowerCase() }),
  };
}

/** Returns the name that the audit and operations keep. */
export function nameOfPerson({
  fullName,
  primaryEmail,
}: {
  fullName: string | null;
  primaryEmail: string | null;
}): Pick<Person, "name"> {
  const name = fullName ?? primaryEmail;
  return name === null ? {} : { name };
}

/**
 * Returns whether the issuer vouches for the address, which opens invitations and claimed domains. Some issuers write the claim
 * as a text. A missing claim means no, unless the operator trusts an issuer that never sends it.
 */
const isVouchedFor = ({ issuer }: Services, { email_verified: isVerified }: JWTPayload): boolean =>
  isVerified === true || isVerified === "true" || (isVerified === undefined && issuer.settings.trustEmail);

/** Ignores values that PostgreSQL cannot store. */
const text = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && isStorable(value) ? value : null;

async function verifyToken(deps: Services, token: string): Promise<JWTPayload> {
  const { payload, protectedHeader } = await readSignedClaims(deps, token);
  const { clientId } = deps.issuer.settings;
  // A token for another application would let that application's operator sign in here.
  const audience = [payload.aud ?? payload["azp"] ?? []].flat();
  if (!audience.includes(clientId)) throw refuseBearerToken("was issued for another application");
  requireSignInToken(payload, protectedHeader);
  return payload;
}

/** Returns the claims of a text that the issuer has signed. */
async function readSignedClaims({ issuer }: Services, token: string): Promise<JWTVerifyResult> {
  const keys = await issuer.keys();
  try {
    return await verifySignature(token, keys, {
      issuer: issuer.settings.issuer,
      algorithms: SIGNATURE_ALGORITHMS,
      currentDate: now(),
      // For `nbf`, which issuers set to the time of signing. `exp` is checked to the second below.
      clockTolerance: SKEW_SECONDS,
      requiredClaims: ["sub"],
    });
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) throw refuseBearerToken("has expired; sign in again", cause);
    if (lacksKeys(cause)) throw refuseWithoutIssuer(cause);
    if (cause instanceof errors.JOSEError)
      throw refuseBearerToken("is not a valid token of the trusted issuer", cause);
    throw cause;
  }
}

/** Longer than any issuer's sign-in lasts: a token for years is a mistake or a forgery. */
const LONGEST_LIFETIME_SECONDS = 31 * 24 * 3_600;

/** Throws for a valid token that is not for signing in: without a subject, a logout token, expired, or valid for too long. */
function requireSignInToken({ sub, iat, exp, events }: JWTPayload, { typ }: { typ?: string }): void {
  if (!sub) throw refuseBearerToken("names no person (`sub` is empty)");
  if (events !== undefined || /logout/i.test(typ ?? "")) throw refuseBearerToken("is a logout token");
  const seconds = nowMs() / 1_000;
  if (exp === undefined) throw refuseBearerToken("does not say how long it is valid (`exp`)");
  if (exp <= seconds) throw refuseBearerToken("has expired; sign in again");
  const issued = iat ?? Math.floor(seconds);
  if (issued > seconds + SKEW_SECONDS)
    throw refuseBearerToken("was issued in the future; compare the clocks");
  if (exp - issued > LONGEST_LIFETIME_SECONDS) throw refuseBearerToken("is valid for more than 31 days");
}

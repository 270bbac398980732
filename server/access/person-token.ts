/** Checks the tokens of people who sign in at the OpenID Connect issuer that this Busbar trusts. */
import { errors, jwtVerify, type JWTPayload } from "jose";
import { now, nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";
import { isStorable } from "../ground/storable-text.ts";
import type { Role } from "../ground/role.ts";
import type { Database } from "../store/database.ts";
import { listMemberships, upsertBuilder } from "../store/people.ts";
import { issuerUnavailable, type OidcIssuer } from "./oidc-issuer.ts";

export interface Person {
  builderId: string;
  /** By organisation. */
  roles: ReadonlyMap<string, Role>;
  /** For people who signed in with an API key. */
  sessionId?: string;
  /** Verified by the issuer, otherwise absent. */
  email?: string;
}

/** Returns the person of a token. Throws Problems: 401, and 503 if the issuer's keys cannot be loaded. */
export type PersonOf = (token: string) => Promise<Person>;

/** Returns the person of the ID token of a sign-in, which must have this nonce. Throws the same Problems. */
export type PersonOfIdToken = (token: string, nonce: string) => Promise<Person>;

interface Services {
  database: Database;
  issuer: OidcIssuer;
}

/** Signature algorithms with a key pair. Those with a shared secret are not accepted: this server could leak it. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];

export const openPersonTokens =
  (deps: Services): PersonOf =>
  async (token) =>
    personWith(deps, await verified(deps, token));

export const openIdTokens =
  (deps: Services): PersonOfIdToken =>
  async (token, nonce) => {
    const claims = await verified(deps, token);
    if (claims["nonce"] !== nonce) throw refused("belongs to another sign-in (`nonce`)");
    return personWith(deps, claims);
  };

async function personWith(deps: Services, claims: JWTPayload): Promise<Person> {
  const { queries } = deps.database;
  const builder = await upsertBuilder(queries, {
    idpProvider: deps.issuer.settings.issuer,
    idpRef: claims.sub ?? "",
    firstName: text(claims["given_name"]),
    lastName: text(claims["family_name"]),
    fullName: text(claims["name"]),
    primaryEmail: text(claims["email"]),
  });
  const memberships = await listMemberships(queries, builder.id);
  const email = isVouchedFor(deps, claims) ? text(claims["email"]) : null;
  return {
    builderId: builder.id,
    roles: new Map(memberships.map(({ role, org }) => [org.id, role])),
    ...(email !== null && { email: email.toLowerCase() }),
  };
}

/**
 * Whether the issuer vouches for the address, which opens invitations and claimed domains. Some issuers write the claim
 * as a text. A missing claim means no, unless the operator trusts an issuer that never sends it.
 */
const isVouchedFor = ({ issuer }: Services, { email_verified: verified }: JWTPayload): boolean =>
  verified === true || verified === "true" || (verified === undefined && issuer.settings.trustEmail);

/** Ignores values that PostgreSQL cannot store. */
const text = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && isStorable(value) ? value : null;

async function verified({ issuer }: Services, token: string): Promise<JWTPayload> {
  const keys = await issuer.keys();
  const { settings } = issuer;
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: settings.issuer,
      algorithms: ALGORITHMS,
      currentDate: now(),
      requiredClaims: ["sub", "exp"],
    });
    // A token for another application would let that application's operator sign in here.
    const audience = [payload.aud ?? payload["azp"] ?? []].flat();
    if (!audience.includes(settings.clientId)) throw refused("was issued for another application");
    requireSignInToken(payload, protectedHeader);
    return payload;
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) throw refused("has expired; sign in again", cause);
    if (cause instanceof errors.JWKSTimeout) throw issuerUnavailable(cause);
    if (cause instanceof errors.JOSEError) throw refused("is not a valid token of the trusted issuer", cause);
    throw cause;
  }
}

/** Longer than any issuer's sign-in lasts: a token for years is a mistake or a forgery. */
const LONGEST_LIFETIME_SECONDS = 31 * 24 * 3_600;

/** Throws for a valid token that is not for signing in: without a subject, a logout token, or valid for too long. */
function requireSignInToken({ sub, iat, exp = 0, events }: JWTPayload, { typ }: { typ?: string }): void {
  if (!sub) throw refused("names no person (`sub` is empty)");
  if (events !== undefined || /logout/i.test(typ ?? "")) throw refused("is a logout token");
  const issued = iat ?? Math.floor(nowMs() / 1_000);
  if (exp - issued > LONGEST_LIFETIME_SECONDS) throw refused("is valid for more than 31 days");
}

const refused = (why: string, cause?: unknown): Problem =>
  new Problem("unauthenticated", { detail: `The bearer token ${why}.`, cause });

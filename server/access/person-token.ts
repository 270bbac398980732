/** Checks the tokens of people who sign in at the OpenID Connect issuer that this Busbar trusts. */
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from "jose";
import { EgressError } from "../egress/egress-error.ts";
import type { Egress } from "../egress/open-egress.ts";
import { now, nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";
import { isStorable } from "../ground/storable-text.ts";
import { isJsonObject } from "../ground/json.ts";
import type { Role } from "../ground/role.ts";
import type { Database } from "../store/database.ts";
import { listMemberships, upsertBuilder } from "../store/people.ts";

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

interface Services {
  database: Database;
  egress: Egress;
  oidc: { issuer: string; clientId: string; trustEmail: boolean };
}

/** Signature algorithms with a key pair. Those with a shared secret are not accepted: this server could leak it. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];

export function openPersonTokens(deps: Services): PersonOf {
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined;
  const keySet = () =>
    (keys ??= discover(deps).catch((error: unknown) => {
      keys = undefined;
      throw error;
    }));
  return async (token) => {
    const claims = await verified(deps, token, await keySet());
    const builder = await upsertBuilder(deps.database.queries, {
      idpProvider: deps.oidc.issuer,
      idpRef: claims.sub ?? "",
      firstName: text(claims["given_name"]),
      lastName: text(claims["family_name"]),
      fullName: text(claims["name"]),
      primaryEmail: text(claims["email"]),
    });
    const memberships = await listMemberships(deps.database.queries, builder.id);
    const email = isVouchedFor(deps, claims) ? text(claims["email"]) : null;
    return {
      builderId: builder.id,
      roles: new Map(memberships.map(({ role, org }) => [org.id, role])),
      ...(email !== null && { email: email.toLowerCase() }),
    };
  };
}

/**
 * Whether the issuer vouches for the address, which opens invitations and claimed domains. Some issuers write the claim
 * as a text. A missing claim means no, unless the operator trusts an issuer that never sends it.
 */
const isVouchedFor = ({ oidc }: Services, { email_verified: verified }: JWTPayload): boolean =>
  verified === true || verified === "true" || (verified === undefined && oidc.trustEmail);

/** Ignores values that PostgreSQL cannot store. */
const text = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && isStorable(value) ? value : null;

async function verified(
  { oidc }: Services,
  token: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: oidc.issuer,
      algorithms: ALGORITHMS,
      currentDate: now(),
      requiredClaims: ["sub", "exp"],
    });
    // A token for another application would let that application's operator sign in here.
    const audience = [payload.aud ?? payload["azp"] ?? []].flat();
    if (!audience.includes(oidc.clientId)) throw refused("was issued for another application");
    requireSignInToken(payload, protectedHeader);
    return payload;
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) throw refused("has expired; sign in again", cause);
    if (cause instanceof errors.JWKSTimeout) throw unreachable(cause);
    if (cause instanceof errors.JOSEError) throw refused("is not a valid token of the trusted issuer", cause);
    throw cause;
  }
}

/** Longer than any issuer's sign-in lasts: a token for years is a mistake or a forgery. */
const LONGEST_LIFETIME_SECONDS = 31 * 24 * 3_600;

/** Throws for a signed token that signs nobody in: without a subject, a logout token, or one that hardly ends. */
function requireSignInToken({ sub, iat, exp = 0, events }: JWTPayload, { typ }: { typ?: string }): void {
  if (!sub) throw refused("names no person (`sub` is empty)");
  if (events !== undefined || /logout/i.test(typ ?? "")) throw refused("is a logout token");
  const issued = iat ?? Math.floor(nowMs() / 1_000);
  if (exp - issued > LONGEST_LIFETIME_SECONDS) throw refused("is valid for more than 31 days");
}

async function discover({ egress, oidc }: Services): Promise<ReturnType<typeof createRemoteJWKSet>> {
  const issuer = oidc.issuer.replace(/\/$/, "");
  const document = await fetchJson(egress, new URL(`${issuer}/.well-known/openid-configuration`));
  const address = isJsonObject(document) ? document["jwks_uri"] : undefined;
  const url = typeof address === "string" ? URL.parse(address) : null;
  if (!url) throw unreachable(new Error("the issuer's configuration names no jwks_uri"));
  return createRemoteJWKSet(url, {
    // Outgoing calls go through the egress only.
    [customFetch]: async (asked: string) => {
      const { status, body } = await send(egress, new URL(asked));
      return new Response(new Uint8Array(body), { status });
    },
  });
}

async function fetchJson(egress: Egress, url: URL): Promise<unknown> {
  const { status, body } = await send(egress, url);
  if (status !== 200) throw unreachable(new Error(`${url.host} answered ${status}`));
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (cause) {
    throw unreachable(cause);
  }
}

const send = (egress: Egress, url: URL) =>
  egress
    .send({
      url,
      method: "GET",
      headers: { accept: "application/json" },
      totalTimeoutMs: 10_000,
      maxBytes: 1_000_000,
    })
    .catch((error: unknown) => {
      throw error instanceof EgressError ? unreachable(error) : error;
    });

const unreachable = (cause: unknown): Problem =>
  new Problem("unavailable", {
    detail:
      "The sign-in issuer of BUSBAR_OIDC_ISSUER does not answer, so people cannot be identified. Try again later.",
    cause,
  });

const refused = (why: string, cause?: unknown): Problem =>
  new Problem("unauthenticated", { detail: `The bearer token ${why}.`, cause });

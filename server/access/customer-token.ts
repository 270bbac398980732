/** Checks customer tokens: builders' servers sign them, so that a browser can act for one group. */
import { createPublicKey } from "node:crypto";
import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from "jose";
import { now, nowMs } from "../../ground/clock.ts";
import { refuseBearerToken, SKEW_SECONDS } from "./issuer-keys.ts";
import { isStorable } from "../../ground/storable-text.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import { findJwtKeyOwner, type JwtKeyOwner } from "../store/access/jwt-keys.ts";
import { cacheUntilChanged } from "../store/processes/row-cache.ts";

export interface Customer {
  key: JwtKeyOwner;
  groupRef: string;
  consumerRef: string;
}

/** Returns the customer of a token; undefined if its `kid` is not a registered key. Throws 401 Problems. */
export type IdentifyCustomer = (token: string) => Promise<Customer | undefined>;

const LIFETIME_SECONDS = 600;
const MAX_KEYS = 10_000;

export function openCustomerTokens(deps: { database: Database; changes: Changes }): IdentifyCustomer {
  const keys = cacheUntilChanged<JwtKeyOwner>(deps.changes, {
    max: MAX_KEYS,
    tables: ["jwt_keys", "projects"],
    listRowIds: ({ id, projectId }) => [id, projectId],
  });
  return async (token) => {
    const kid = readKeyId(token);
    const key = kid && (await keys.get(kid, () => findJwtKeyOwner(deps.database.control, kid)));
    if (!key) return undefined;
    const { groupRef, consumerRef } = checkClaims(await verifyToken(token, key));
    return { key, groupRef, consumerRef };
  };
}

function readKeyId(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === "string" ? kid.toLowerCase() : undefined;
  } catch (cause) {
    throw refuseBearerToken("is not a JSON Web Token", cause);
  }
}

async function verifyToken(token: string, key: JwtKeyOwner): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, createPublicKey(key.publicKeyPem), {
      algorithms: ["RS256"],
      currentDate: now(),
      // For `nbf`, which libraries set to the time of signing. `exp` is checked to the second below.
      clockTolerance: SKEW_SECONDS,
    });
    return payload;
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) throw refuseBearerToken("has expired; get a new one", cause);
    if (cause instanceof errors.JWTClaimValidationFailed)
      throw refuseBearerToken(`cannot be accepted because of its claim \`${cause.claim}\``, cause);
    if (cause instanceof errors.JOSEAlgNotAllowed)
      throw refuseBearerToken("must be signed with RS256", cause);
    if (cause instanceof errors.JOSEError)
      throw refuseBearerToken("is not signed by the key that its `kid` names", cause);
    throw cause;
  }
}

function checkClaims({ iat, exp, groupRef, consumerRef }: JWTPayload): {
  groupRef: string;
  consumerRef: string;
} {
  if (iat === undefined || exp === undefined) throw refuseBearerToken("must have the claims `iat` and `exp`");
  if (exp <= nowMs() / 1_000) throw refuseBearerToken("has expired; get a new one");
  if (exp - iat > LIFETIME_SECONDS) {
    throw refuseBearerToken(
      `lives for ${exp - iat} s; ${LIFETIME_SECONDS} s from \`iat\` to \`exp\` are allowed`,
    );
  }
  if (iat > nowMs() / 1_000 + SKEW_SECONDS)
    throw refuseBearerToken("was issued in the future; compare the clocks");
  if (!isName(groupRef) || !isName(consumerRef)) {
    throw refuseBearerToken("must have the claims `groupRef` and `consumerRef`");
  }
  return { groupRef, consumerRef };
}

/** Names that PostgreSQL cannot store are refused. */
const isName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && isStorable(value);

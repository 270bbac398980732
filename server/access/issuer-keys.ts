/** What is read of an issuer of tokens, through the egress only: its documents, and the keys with which it signs. */
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from "jose";
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import { Problem } from "../../ground/errors.ts";
import { EgressError } from "../egress/egress-error.ts";
import type { Egress } from "../egress/egress.ts";

/** Signature algorithms with a key pair. Those with a shared secret are not accepted: this server could leak it. */
export const SIGNATURE_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "EdDSA",
];

/** Allowed difference between the clocks. */
export const SKEW_SECONDS = 60;

const DOCUMENT_TIMEOUT_MS = 10_000;
const MAX_DOCUMENT_BYTES = 1_000_000;

export type IssuerKeys = ReturnType<typeof createRemoteJWKSet>;

/** Returns the keys at an address; they are loaded when they are needed. `unavailable` makes the refusal if they cannot be. */
export const openIssuerKeys = (
  egress: Egress,
  url: URL,
  unavailable: (cause: unknown) => Problem,
): IssuerKeys =>
  createRemoteJWKSet(url, {
    [customFetch]: async (asked: string) => {
      const found = await fetchIssuerDocument(egress, new URL(asked)).catch((error: unknown) => {
        throw unavailable(error);
      });
      if (!Array.isArray(found["keys"])) throw unavailable(new Error(`${url.host} sent no keys`));
      return Response.json(found);
    },
  });

/** Checks the signature and the claims of a token. Keys that are none are loaded again: the issuer may have repaired them. */
export async function verifySignature(
  token: string,
  keys: IssuerKeys,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (cause) {
    if (cause instanceof errors.JOSEError || cause instanceof Problem) throw cause;
    await keys.reload();
    return jwtVerify(token, keys, options);
  }
}

/**
 * Returns whether a token could not be checked because its issuer's keys are not there, or are none: what Web Crypto does not take
 * as a key is an error of its own.
 */
export const lacksKeys = (cause: unknown): boolean =>
  cause instanceof errors.JWKSTimeout ||
  cause instanceof errors.JWKSInvalid ||
  !(cause instanceof errors.JOSEError || cause instanceof Problem);

/** Throws an `Error` with what came instead of a JSON object. */
export async function fetchIssuerDocument(egress: Egress, url: URL): Promise<JsonObject> {
  const { status, body } = await egress
    .send({
      url,
      method: "GET",
      headers: { accept: "application/json" },
      totalTimeoutMs: DOCUMENT_TIMEOUT_MS,
      maxBytes: MAX_DOCUMENT_BYTES,
    })
    .catch((error: unknown) => {
      throw error instanceof EgressError ? new Error(`${url.host} does not answer`, { cause: error }) : error;
    });
  if (status !== 200) throw new Error(`${url.host} answered ${status}`);
  const value: unknown = JSON.parse(body.toString("utf8"));
  if (isJsonObject(value)) return value;
  throw new Error(`${url.host} did not answer with a JSON object`);
}

/** Returns the refusal of a bearer token; `why` continues "The bearer token". */
export const refuseBearerToken = (why: string, cause?: unknown): Problem =>
  new Problem("unauthenticated", { detail: `The bearer token ${why}.`, cause });

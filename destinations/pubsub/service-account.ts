/** Authenticates requests to Google with a bearer token that the service account's key has signed. */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { nowMs } from "../../server/ground/clock.ts";
import { isJsonObject, type Json } from "../../server/ground/json.ts";

export interface ServiceAccount {
  email: string;
  keyId: string;
  key: KeyObject;
}

/** Shortest key that RS256 allows. */
const LEAST_BITS = 2_048;

/** Parses the JSON key file. Its errors name the fault, never the content. */
export function readServiceAccount(text: string): ServiceAccount {
  const file = parse(text);
  const members = isJsonObject(file) ? file : {};
  const { client_email: email, private_key_id: keyId, private_key: pem } = members;
  if (typeof email !== "string" || typeof keyId !== "string" || typeof pem !== "string") {
    throw new Error("lacks `client_email`, `private_key_id` or `private_key`: enter the whole key file");
  }
  const key = readKey(pem);
  if (key?.asymmetricKeyType !== "rsa") throw new Error("has a `private_key` that is no RSA key in PEM form");
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS) {
    throw new Error(`has a \`private_key\` of less than ${LEAST_BITS} bits`);
  }
  return { email, keyId, key };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("is not JSON: enter the text of the key file");
  }
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** The longest life that Google accepts. */
const LIFE_SECONDS = 3_600;
const REFRESH_MS = 5 * 60_000;

/**
 * Returns a function that gives the bearer token for an audience, the same one until shortly before it expires. Needs no
 * exchange with Google's token endpoint (https://developers.google.com/identity/protocols/oauth2/service-account#jwt-auth).
 */
export function openBearer({ email, keyId, key }: ServiceAccount, audience: string): () => Promise<string> {
  let bearer: Promise<string> | undefined;
  let refreshMs = -Infinity;
  const sign = (nowSeconds: number) =>
    new SignJWT()
      .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: keyId })
      .setIssuer(email)
      .setSubject(email)
      .setAudience(audience)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + LIFE_SECONDS)
      .sign(key);
  return () => {
    if (!bearer || nowMs() >= refreshMs) {
      bearer = sign(Math.floor(nowMs() / 1000));
      refreshMs = nowMs() + LIFE_SECONDS * 1000 - REFRESH_MS;
    }
    return bearer;
  };
}

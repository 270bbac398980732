/** Makes bearer tokens that are signed with an RSA key of the builder, for services that take these instead of a password. */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { nowMs } from "../ground/clock.ts";

/** Shortest key that RS256 allows. */
const LEAST_BITS = 2_048;

/** Reads a private key in PEM form; returns what is wrong with it if it cannot sign. */
export function readRsaKey(pem: string): KeyObject | string {
  const key = readKey(pem);
  if (key?.asymmetricKeyType !== "rsa") return "is no RSA key in PEM form";
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS)
    return `is of less than ${LEAST_BITS} bits`;
  return key;
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(withLineBreaks(pem));
  } catch {
    return undefined;
  }
}

/** Restores the line breaks of a key, which fields of one line remove, and which environment files write as `\n`. */
function withLineBreaks(pem: string): string {
  const [, begin, body = "", end] = /(-----BEGIN [A-Z ]+-----)([^-]+)(-----END [A-Z ]+-----)/.exec(pem) ?? [];
  const lines = body.replaceAll(/\s|\\n/g, "").match(/.{1,64}/g) ?? [];
  return [begin, ...lines, end, ""].join("\n");
}

/** The longest life that Google and Snowflake accept. */
const LIFE_SECONDS = 3_600;
const REFRESH_MS = 5 * 60_000;

interface Signer {
  issuer: string;
  subject: string;
  audience?: string;
  keyId?: string;
  key: KeyObject;
}

/** Returns a function that gives a bearer token, the same one until shortly before it expires. */
export function openBearer({ issuer, subject, audience, keyId, key }: Signer): () => Promise<string> {
  let bearer: Promise<string> | undefined;
  let refreshMs = -Infinity;
  const sign = (nowSeconds: number) => {
    const token = new SignJWT()
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(keyId !== undefined && { kid: keyId }) })
      .setIssuer(issuer)
      .setSubject(subject)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + LIFE_SECONDS);
    return (audience === undefined ? token : token.setAudience(audience)).sign(key);
  };
  return () => {
    if (!bearer || nowMs() >= refreshMs) {
      bearer = sign(Math.floor(nowMs() / 1000));
      refreshMs = nowMs() + LIFE_SECONDS * 1000 - REFRESH_MS;
    }
    return bearer;
  };
}

/** Signs the assertions (RFC 7523) that some providers take in exchange for an access token. */
import { constants, createPrivateKey, randomUUID, sign, type KeyObject } from "node:crypto";
import { nowMs } from "../../ground/clock.ts";
import { isJsonObject, type Json } from "../../ground/json.ts";
import type { Assertion, StepRequest } from "./auth-options.ts";
import { CredentialsError } from "./authorization.ts";
import { fillTemplate } from "./template.ts";
import { getTextAt } from "../calls/get-text-at.ts";

type Values = Record<string, string>;

/** Returns the values of a request: those of `unpack` and the signed `assertion` added. Throws `CredentialsError`. */
export function withAssertion({ unpack, assertion }: StepRequest, given: Values): Values {
  const values = unpack ? { ...given, ...unpackValues(unpack, given) } : given;
  return assertion ? { ...values, assertion: signAssertion(assertion, values) } : values;
}

function unpackValues({ from, take }: NonNullable<StepRequest["unpack"]>, given: Values): Values {
  const file = parseJson(given[from] ?? "", from);
  return Object.fromEntries(
    Object.entries(take).map(([name, path]) => {
      const value = getTextAt(file, path);
      if (value === undefined) throw new CredentialsError(`${from} has no member ${path}`);
      return [name, value];
    }),
  );
}

function parseJson(text: string, name: string): Json {
  const json = text.trimStart().startsWith("{") ? text : Buffer.from(text, "base64").toString("utf8");
  try {
    const value = JSON.parse(json) as Json;
    if (isJsonObject(value)) return value;
  } catch {
    // Told below, without the text: it holds a key.
  }
  throw new CredentialsError(`${name} is neither a JSON object nor one in Base64`);
}

function signAssertion(
  { algorithm, key, keyId, claims, lifetimeSeconds }: Assertion,
  values: Values,
): string {
  const filled = Object.entries(claims).map(([name, template]) => [name, fillTemplate(template, values)]);
  const now = Math.floor(nowMs() / 1000);
  const payload = { ...Object.fromEntries(filled), iat: now, exp: now + lifetimeSeconds, jti: randomUUID() };
  const header = { alg: algorithm, typ: "JWT", ...(keyId && { kid: fillTemplate(keyId, values) }) };
  const text = `${encodeBase64url(header)}.${encodeBase64url(payload)}`;
  return `${text}.${computeSignature(algorithm, readPrivateKey(fillTemplate(key, values)), text)}`;
}

function computeSignature(algorithm: Assertion["algorithm"], key: KeyObject, text: string): string {
  const wanted = algorithm === "ES256" ? "ec" : "rsa";
  if (key.asymmetricKeyType !== wanted) {
    throw new CredentialsError(`the private key is of type ${key.asymmetricKeyType}, but must be ${wanted}`);
  }
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const options = {
    RS256: { key },
    PS256: { key, ...padding },
    ES256: { key, dsaEncoding: "ieee-p1363" as const },
  }[algorithm];
  return sign("sha256", Buffer.from(text), options).toString("base64url");
}

function readPrivateKey(text: string): KeyObject {
  const pem = text.includes("-----BEGIN") ? text : Buffer.from(text, "base64").toString("utf8");
  try {
    return createPrivateKey(pem.replaceAll("\\n", "\n"));
  } catch {
    throw new CredentialsError("the private key is not in PEM format, nor PEM in Base64");
  }
}

const encodeBase64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

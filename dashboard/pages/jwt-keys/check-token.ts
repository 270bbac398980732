/** Checks a customer's token in the browser, with the rules of the API; the token is sent nowhere. */

export interface KnownKey {
  id: string;
  label: string;
  publicKeyPem: string;
  active: boolean;
}

export interface CheckedToken {
  faults: string[];
  claims: Record<string, unknown> | undefined;
}

const LIFETIME_SECONDS = 600;
const SKEW_SECONDS = 60;

/** Returns every fault at once; a token without a fault is accepted. */
export async function checkToken(
  token: string,
  keys: readonly KnownKey[],
  nowMs: number,
): Promise<CheckedToken> {
  const [head = "", body = "", signature = "", ...rest] = token.trim().split(".");
  const [header, claims] = [readPart(head), readPart(body)];
  if (!header || !claims || signature === "" || rest.length > 0)
    return { faults: ["This is no JSON Web Token: three parts with dots between them."], claims: undefined };
  const faults = findClaimFaults(claims, nowMs / 1_000);
  const kid = String(header["kid"] ?? "").toLowerCase();
  const key = keys.find(({ id }) => id === kid);
  if (header["alg"] !== "RS256") faults.push(`It is signed with ${String(header["alg"])}, not with RS256.`);
  else if (!key) faults.push(`Its \`kid\` is no JWT key of this project: ${kid || "none"}.`);
  else if (!key.active) faults.push(`The key ${key.label} is switched off.`);
  else if (!canVerify()) faults.push(NOT_VERIFIED);
  else if (!(await isSigned(`${head}.${body}`, signature, key.publicKeyPem)))
    faults.push(`It is not signed by the key ${key.label}, which its \`kid\` names.`);
  return { faults, claims };
}

function findClaimFaults(claims: Record<string, unknown>, nowSeconds: number): string[] {
  const faults: string[] = [];
  const { iat, exp, nbf } = claims;
  if (typeof nbf === "number" && nbf > nowSeconds + SKEW_SECONDS)
    faults.push("Its claim `nbf` is in the future: compare the clocks.");
  for (const name of ["groupRef", "consumerRef"])
    if (typeof claims[name] !== "string" || claims[name] === "")
      faults.push(`The claim \`${name}\` is missing.`);
  if (typeof iat !== "number" || typeof exp !== "number")
    return [...faults, "The claims `iat` and `exp` are missing; both are seconds since 1970."];
  if (exp <= nowSeconds) faults.push("It has expired.");
  if (iat > nowSeconds + SKEW_SECONDS) faults.push("It was issued in the future: compare the clocks.");
  if (exp - iat > LIFETIME_SECONDS)
    faults.push(`It lives for ${exp - iat} s; ${LIFETIME_SECONDS} s from \`iat\` to \`exp\` are allowed.`);
  return faults;
}

function readPart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(decodeBase64(part)));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Browsers verify signatures only in secure contexts. */
const canVerify = (): boolean => (crypto as { subtle?: unknown }).subtle !== undefined;

const NOT_VERIFIED =
  "Its signature was not checked: browsers do so only on pages that are loaded by https or from localhost.";

async function isSigned(text: string, signature: string, publicKeyPem: string): Promise<boolean> {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  try {
    const der = decodeBase64(publicKeyPem.replaceAll(/-----[^-]+-----|\s/g, ""));
    const key = await crypto.subtle.importKey("spki", der, algorithm, false, ["verify"]);
    return await crypto.subtle.verify(
      algorithm,
      key,
      decodeBase64(signature),
      new TextEncoder().encode(text),
    );
  } catch {
    return false;
  }
}

/** Reads base64, and base64url without padding. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.codePointAt(0) ?? 0);
}

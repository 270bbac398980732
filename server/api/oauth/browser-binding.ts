/**
 * Binds a consent to one browser. The page before the provider's sets a cookie and puts a proof of it into its form: another
 * site's page can send that form, but knows neither. The browser that continues must bring the cookie to the callback.
 */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export const CONSENT_PATH = "/callbacks/v1/oauth";

/** Long enough to read the page, to sign in, and to try again. */
const COOKIE_SECONDS = 3_600;

export interface BrowserSecret {
  /** To store with the consent. */
  hash: Buffer;
  /** To put into forms. */
  proof: string;
  /** To set the cookie. */
  header: string;
}

/** Returns the secret that this browser has for the consent, or a new one. */
export function browserSecret(
  consentId: string,
  headers: IncomingHttpHeaders,
  publicUrl: string,
): BrowserSecret {
  return describe(
    consentId,
    sentSecret(consentId, headers) ?? randomBytes(32).toString("base64url"),
    publicUrl,
  );
}

/** Returns the digest of the browser's cookie for the consent; undefined without a cookie. */
export function browserHash(consentId: string, headers: IncomingHttpHeaders): Buffer | undefined {
  const secret = sentSecret(consentId, headers);
  return secret === undefined ? undefined : digest(secret);
}

/** Returns that digest if a page of ours has sent this form: it holds the proof of the cookie. */
export function provenBrowser(
  consentId: string,
  headers: IncomingHttpHeaders,
  proof: string | null,
): Buffer | undefined {
  const secret = sentSecret(consentId, headers);
  const site = headers["sec-fetch-site"];
  if (secret === undefined || (site !== undefined && site !== "same-origin")) return undefined;
  return proofOf(secret) === proof ? digest(secret) : undefined;
}

function describe(consentId: string, secret: string, publicUrl: string): BrowserSecret {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  // Lax: the browser must send it when the provider redirects back.
  const attributes = `Path=${CONSENT_PATH}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
  return {
    hash: digest(secret),
    proof: proofOf(secret),
    header: `${nameOf(consentId)}=${secret}; ${attributes}`,
  };
}

function sentSecret(consentId: string, { cookie = "" }: IncomingHttpHeaders): string | undefined {
  const name = nameOf(consentId);
  return cookie
    .split(";")
    .map((pair) => pair.trim().split("="))
    .find(([key]) => key === name)?.[1];
}

/** One cookie per consent: several may be open at the same time. */
const nameOf = (consentId: string): string => `busbar_consent_${consentId.replaceAll("-", "")}`;

/** Digest of a random text, as stored. */
export const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Reveals nothing of the secret or of its stored digest. */
const proofOf = (secret: string): string =>
  createHash("sha256").update(`proof of ${secret}`).digest("base64url");

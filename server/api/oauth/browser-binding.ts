/**
 * Binds a consent to one browser. The page before the provider's sets a cookie and puts a proof of it into its form: another
 * site's page can send that form, but knows neither. The browser that continues must bring the cookie to the callback.
 */
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { hashSecret, newSecret } from "../../../ground/ids.ts";

export const CONSENT_PATH = "/callbacks/v1/oauth";
export const CUSTOM_AUTH_PATH = "/callbacks/v1/custom-auth";

/** Long enough to read the page, to sign in, and to try again. */
const COOKIE_SECONDS = 3_600;

interface BrowserSecret {
  /** Digest that is stored with the consent. */
  hash: Buffer;
  /** Proof that is put into forms. */
  proof: string;
  /** Header that sets the cookie. */
  header: string;
}

/** What is bound: a consent, or a custom authentication with all its sessions. */
interface Bound {
  id: string;
  /** The cookie is sent below this path only. */
  path: typeof CONSENT_PATH | typeof CUSTOM_AUTH_PATH;
}

/** Returns the secret that this browser has, or a new one. */
export function getBrowserSecret(
  { id, path }: Bound,
  headers: IncomingHttpHeaders,
  publicUrl: string,
): BrowserSecret {
  const secret = readSecrets(headers).get(nameCookie(id)) ?? newSecret();
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  // Lax: the browser must send it when the provider redirects back.
  const attributes = `Path=${path}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
  return {
    hash: hashSecret(secret),
    proof: computeProof(secret),
    header: `${nameCookie(id)}=${secret}; ${attributes}`,
  };
}

/** Returns the digest of the browser's cookie; undefined without a cookie. */
export function readBrowserHash(id: string, headers: IncomingHttpHeaders): Buffer | undefined {
  const secret = readSecrets(headers).get(nameCookie(id));
  return secret === undefined ? undefined : hashSecret(secret);
}

/** Returns the digests of all such cookies of the browser, at most as many as it can have open. */
export const listBrowserHashes = (headers: IncomingHttpHeaders): Buffer[] =>
  [...readSecrets(headers)]
    .filter(([name]) => name.startsWith(PREFIX))
    .slice(0, MAX_COOKIES)
    .map(([, secret]) => hashSecret(secret));

/** Returns the digest of the cookie if a page of ours has sent this form: it holds the proof of the cookie. */
export function findProvenBrowser(
  id: string,
  headers: IncomingHttpHeaders,
  proof: string | null,
): Buffer | undefined {
  const secret = readSecrets(headers).get(nameCookie(id));
  const site = headers["sec-fetch-site"];
  if (secret === undefined || (site !== undefined && site !== "same-origin")) return undefined;
  return computeProof(secret) === proof ? hashSecret(secret) : undefined;
}

const readSecrets = ({ cookie = "" }: IncomingHttpHeaders): Map<string, string> =>
  new Map(
    cookie.split(";").map((pair): [string, string] => {
      const [name = "", secret = ""] = pair.trim().split("=");
      return [name, secret];
    }),
  );

const PREFIX = "busbar_consent_";
const MAX_COOKIES = 50;

/** One cookie for each: several may be open at the same time. */
const nameCookie = (id: string): string => `${PREFIX}${id.replaceAll("-", "")}`;

/** Reveals nothing of the secret or of its stored digest. */
const computeProof = (secret: string): string =>
  createHash("sha256").update(`proof of ${secret}`).digest("base64url");

/** Ties an OAuth flow to one browser: the first browser that opens its URL gets a cookie and must send it back. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { SealedPlace, Sealer } from "../../ground/seal.ts";
import type { OauthSession } from "../../store/oauth-sessions.ts";

interface Key {
  id: string;
  projectId: string;
}

export const BEGIN_PATH = "/callbacks/v1/oauth/begin";
const COOKIE_PATH = "/callbacks/v1/oauth";
const COOKIE_SECONDS = 600;

const place = ({ id, projectId }: Key): SealedPlace => ({
  table: "oauth_sessions",
  column: "begin_address",
  rowId: id,
  projectId,
});

/** Builds the URL of `oauthBegin`. It contains the consent page's URL encrypted, so it can redirect nowhere else. */
export function beginAddress(publicUrl: string, sealer: Sealer, session: Key, consentUrl: string): string {
  const url = new URL(`${publicUrl}${BEGIN_PATH}`);
  url.searchParams.set("session", session.id);
  url.searchParams.set("to", sealer.seal(consentUrl, place(session)));
  return url.href;
}

/** Returns undefined for a value that was not encrypted here, for this session. */
export function consentAddress(sealer: Sealer, session: Key, sealed: string): string | undefined {
  try {
    return sealer.open(sealed, place(session));
  } catch {
    return undefined;
  }
}

/** Creates a cookie for the session, and the digest to store. */
export function newCookie(session: Key, publicUrl: string): { hash: Buffer; header: string } {
  const secret = randomBytes(32).toString("base64url");
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  // Lax: the browser must send it when the provider redirects back.
  const attributes = `Path=${COOKIE_PATH}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
  return { hash: digest(secret), header: `${nameOf(session)}=${secret}; ${attributes}` };
}

/** Returns whether the request comes from the browser that started the flow, if the flow is tied to one. */
export function isSameBrowser(session: OauthSession, { cookie = "" }: IncomingHttpHeaders): boolean {
  if (!session.browserBound) return true;
  const name = nameOf(session);
  const sent = cookie
    .split(";")
    .map((pair) => pair.trim().split("="))
    .find(([key]) => key === name)?.[1];
  return (
    sent !== undefined && session.browserHash !== null && timingSafeEqual(digest(sent), session.browserHash)
  );
}

/** One cookie per flow: several may be open at the same time. */
const nameOf = ({ id }: Key): string => `busbar_consent_${id.replaceAll("-", "")}`;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

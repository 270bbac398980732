/** Ties a consent to one browser: whoever opens its address first gets a cookie, and must bring it back. */
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

/** The address of ours that leads to the consent page. It carries that one sealed, so it can lead nowhere else. */
export function beginAddress(publicUrl: string, sealer: Sealer, session: Key, consentUrl: string): string {
  const url = new URL(`${publicUrl}${BEGIN_PATH}`);
  url.searchParams.set("session", session.id);
  url.searchParams.set("to", sealer.seal(consentUrl, place(session)));
  return url.href;
}

/** Undefined for what was not sealed here, for this session. */
export function consentAddress(sealer: Sealer, session: Key, sealed: string): string | undefined {
  try {
    return sealer.open(sealed, place(session));
  } catch {
    return undefined;
  }
}

/** A new cookie for the session, and what is remembered of it. */
export function newCookie(session: Key, publicUrl: string): { hash: Buffer; header: string } {
  const secret = randomBytes(32).toString("base64url");
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  // Lax: it must come along when the provider sends the browser back.
  const attributes = `Path=${COOKIE_PATH}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
  return { hash: digest(secret), header: `${nameOf(session)}=${secret}; ${attributes}` };
}

/** Whether this is the browser that the consent was begun in, where that matters. */
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

/** One per consent: several may be open at once. */
const nameOf = ({ id }: Key): string => `busbar_consent_${id.replaceAll("-", "")}`;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

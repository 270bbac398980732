/** The cookie that keeps a person signed in in a browser, and the rule that other sites' pages cannot use it. */
import type { IncomingHttpHeaders } from "node:http";

export const SESSION_SECONDS = 12 * 3_600;

const isHttps = (publicUrl: string): boolean => publicUrl.startsWith("https:");

/** With the prefix, browsers accept the cookie only from https and from this very host. */
const nameCookie = (publicUrl: string): string => (isHttps(publicUrl) ? "__Host-" : "") + "busbar_session";

/** Returns the header that keeps a session in the browser. */
export const writeSessionCookie = (token: string, publicUrl: string): string =>
  setCookie(nameCookie(publicUrl), token, { seconds: SESSION_SECONDS, publicUrl });

/** Returns the header that removes the session from the browser. */
export const writeExpiredCookie = (publicUrl: string): string =>
  setCookie(nameCookie(publicUrl), "", { seconds: 0, publicUrl });

/** Returns a header for a cookie that scripts cannot read. With `Strict`, the default, only our own pages send it. */
export function setCookie(
  name: string,
  value: string,
  options: { seconds: number; publicUrl: string; sameSite?: "Lax"; path?: string },
): string {
  const { seconds, publicUrl, sameSite = "Strict", path = "/" } = options;
  const secure = isHttps(publicUrl) ? "; Secure" : "";
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** Returns the token in the browser's cookie, whether it counts or not. */
export const readSentSession = (headers: IncomingHttpHeaders, publicUrl: string): string | undefined =>
  readSentCookie(headers, nameCookie(publicUrl));

export function readSentCookie({ cookie = "" }: IncomingHttpHeaders, name: string): string | undefined {
  const pair = cookie.split(";").find((one) => one.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1) || undefined;
}

/**
 * Returns whether a page of our own sends the request. For every method: some GETs change something, and pages on sibling
 * subdomains count as the same site, so that `SameSite` alone does not keep them out.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  return headers.origin !== undefined && headers.origin === URL.parse(publicUrl)?.origin;
}

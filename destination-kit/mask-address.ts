/**
 * Shows an address to people who may not know the secrets in it: who has the address of a webhook can often send to it. Hides user
 * name and password, the query, and parts of the path that look like a token. Of hosts whose path is the secret, the whole path. Pure.
 */
export function maskAddress(address: string): string {
  const url = URL.parse(address);
  if (!url?.host) return address;
  const path = SECRET_PATHS.test(url.hostname) ? "/…" : url.pathname.split("/").map(maskToken).join("/");
  const user = url.username || url.password ? "…@" : "";
  const isWhole = path === url.pathname && !user && !url.search && !url.hash;
  // An address without secrets stays as it was written.
  if (isWhole) return address;
  return `${url.protocol}//${user}${url.host}${path}${url.search && "?…"}${url.hash && "#…"}`;
}

/** Incoming webhooks that need nothing but their address. */
const SECRET_PATHS =
  /(^|\.)(hooks\.slack\.com|discord(app)?\.com|hooks\.zapier\.com|make\.com|ifttt\.com|api\.telegram\.org|office(365)?\.com|logic\.azure\.com|chat\.googleapis\.com|webhook\.site)$/;

/** Long, with letters and digits. */
const TOKEN = /^(?=.*\d)(?=.*[a-z])[^/]{20,}$/i;

const maskToken = (part: string): string => (TOKEN.test(part) ? "…" : part);

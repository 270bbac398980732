/** Appends the caller's path and query to the provider's base URL, byte for byte, and refuses to leave it. */
import { Problem } from "../../ground/errors.ts";

/** The base URL of requests: an origin, and a path without its trailing slash. */
export interface TargetBase {
  origin: string;
  basePath: string;
  /** Credentials that the provider expects in the query. */
  query: readonly (readonly [name: string, value: string])[];
}

/** Returns the target of the request line to the provider. Throws `invalid-request`. */
export function joinTargetPath(rawUrl: string, base: TargetBase): string {
  if (!rawUrl.startsWith("/")) {
    throw buildRefusal(
      "The request target must be a path, such as `/v1/contacts`; the proxy adds the provider's address.",
    );
  }
  if (rawUrl.includes("#")) {
    throw buildRefusal(
      "A request target must not contain a fragment: write `#` as `%23` if it belongs to the path or query.",
    );
  }
  if (base.basePath !== "" && climbsUp(rawUrl)) {
    throw buildRefusal(
      "The path must not contain `..` segments: they could leave the provider's base URL. Send the resolved path.",
    );
  }
  const path = base.basePath + rawUrl;
  return base.query.length === 0 ? path : withQuery(path, base.query);
}

const buildRefusal = (detail: string): Problem => new Problem("invalid-request", { detail });

/**
 * Returns whether any server might resolve a segment as `..`: dots and slashes may be percent-encoded, also twice or in more
 * bytes than needed, some servers treat a backslash as a slash, and some end a segment at `;` or NUL.
 */
function climbsUp(rawUrl: string): boolean {
  const mark = rawUrl.indexOf("?");
  const path = mark === -1 ? rawUrl : rawUrl.slice(0, mark);
  if (!path.includes("..") && !/%(2e|25|c0|e0)/i.test(path)) return false;
  let once = path;
  for (let depth = 0; depth < MAX_ENCODINGS; depth++) once = once.replaceAll(/%25/gi, "%");
  const plain = once.replaceAll(/%2e|%c0%ae|%e0%80%ae/gi, ".").replaceAll(/%2f|%5c|%c0%af|\\/gi, "/");
  return plain.split("/").some((segment) => (segment.split(/;|%3b|%00/i)[0] ?? "") === "..");
}

/** No server is known to decode more often. */
const MAX_ENCODINGS = 3;

/** Appends the credentials. They replace the caller's parameters of the same names, as with headers. */
function withQuery(path: string, credentials: TargetBase["query"]): string {
  const mark = path.indexOf("?");
  const bare = mark === -1 ? path : path.slice(0, mark);
  const given = mark === -1 ? "" : path.slice(mark + 1);
  const names = new Set(credentials.map(([name]) => name.toLowerCase()));
  const isCredential = (pair: string) => names.has(parseName(pair));
  // Some servers separate parameters by semicolons too.
  const parts = given.split(/(?=[&;])/);
  const isOurs = (part: string) => isCredential(part.replace(/^[&;]/, ""));
  const others = parts.some(isOurs)
    ? parts
        .filter((part) => !isOurs(part))
        .join("")
        .replace(/^[&;]/, "")
    : given;
  const ours = credentials.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${bare}?${others === "" ? "" : `${others}&`}${ours.join("&")}`;
}

/** Returns the name in a `name=value` pair as lenient servers read it: decoded and in lower case. */
function parseName(pair: string): string {
  const name = (pair.split("=")[0] ?? "").replaceAll("+", " ");
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

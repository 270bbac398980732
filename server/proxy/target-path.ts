/** Puts the caller's path and query behind a provider's base address, byte for byte, without letting them leave it. */
import { Problem } from "../ground/errors.ts";

/** Where requests go: an origin, and the path of the base address without its trailing slash. */
export interface Base {
  origin: string;
  basePath: string;
  /** Credentials that the provider wants in the query. */
  query: readonly (readonly [name: string, value: string])[];
}

/** What stands in the request line to the provider. Throws `invalid-request`. */
export function targetPath(rawUrl: string, base: Base): string {
  if (!rawUrl.startsWith("/")) {
    throw refusal(
      "The request target must be a path, such as `/v1/contacts`; the provider's address is known already.",
    );
  }
  if (rawUrl.includes("#")) {
    throw refusal("A request target has no fragment: write `#` as `%23` if it belongs to the path or query.");
  }
  if (base.basePath !== "" && climbs(rawUrl)) {
    throw refusal(
      "The path must not hold `..` segments: they could leave the provider's base address. Write the path out.",
    );
  }
  const path = base.basePath + rawUrl;
  return base.query.length === 0 ? path : withQuery(path, base.query);
}

const refusal = (detail: string): Problem => new Problem("invalid-request", { detail });

/**
 * Whether any server might read a segment as "one up": dots and slashes may be percent-encoded, some servers take a
 * backslash for a slash, and some cut `;parameters` off a segment first.
 */
function climbs(rawUrl: string): boolean {
  const mark = rawUrl.indexOf("?");
  const path = mark === -1 ? rawUrl : rawUrl.slice(0, mark);
  if (!path.includes("..") && !/%2e/i.test(path)) return false;
  const plain = path.replaceAll(/%2e/gi, ".").replaceAll(/%2f|%5c|\\/gi, "/");
  return plain.split("/").some((segment) => (segment.split(";")[0] ?? "") === "..");
}

/** Appends the credentials. A parameter of that name from the caller goes, as a header of that name would. */
function withQuery(path: string, credentials: Base["query"]): string {
  const mark = path.indexOf("?");
  const bare = mark === -1 ? path : path.slice(0, mark);
  const given = mark === -1 ? "" : path.slice(mark + 1);
  const names = new Set(credentials.map(([name]) => name.toLowerCase()));
  const isCredential = (pair: string) => names.has(nameOf(pair));
  const pairs = given.split("&");
  const others = pairs.some(isCredential) ? pairs.filter((pair) => !isCredential(pair)).join("&") : given;
  const ours = credentials.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${bare}?${others === "" ? "" : `${others}&`}${ours.join("&")}`;
}

/** The name in a `name=value` pair, as lenient servers read it: decoded and without regard to case. */
function nameOf(pair: string): string {
  const name = (pair.split("=")[0] ?? "").replaceAll("+", " ");
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

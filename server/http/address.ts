/** Rewrites URLs to those the router knows: surfaces, colon verbs, slashes in object names. */
import type { IncomingMessage } from "node:http";

type Surface = "write" | "read" | "search";
export type SurfaceHosts = Partial<Record<Surface, string>>;

export const SURFACES: readonly Surface[] = ["write", "read", "search"];

/** Verbs of the API behind a colon; any other colon belongs to a name. */
const VERBS = [
  "generate",
  "batch",
  "hydrate",
  "call",
  "oauth-update",
  "pause",
  "unpause",
  "deliverResults",
  "accept",
  "test",
  "resend",
  "rotate",
  "cancel",
  "decide",
  "check",
  "search",
  "reconcile",
];
const VERB = new RegExp(`^(.*[^/])(?::|%3A)(${VERBS.join("|")})$`, "i");

/** Everything after `/objects/` up to a known suffix is one object name, slashes included. */
const OBJECT =
  /^(.*?\/(?:integrations|providers|installations)\/[^/]+\/objects\/)(.+?)(\/metadata|\/config-content|\/backfill-progress|\/:deliverResults)?$/;

/** The text between `/records/` and the record's id is one object name, slashes included. */
const RECORD = /^(.*?\/installations\/[^/]+\/records\/)(.+)(\/[^/]+)$/;

/** Addresses without verbs or objects: a colon belongs to the customer's name. */
const OWN_SPELLING = /^\/(mcp|\.well-known)\//;

/** Returns the URL for the router: `/v1` of a data surface gets its prefix, a verb its own segment. */
export function toRoutedUrl(request: Pick<IncomingMessage, "url" | "headers">, hosts: SurfaceHosts): string {
  const url = request.url ?? "/";
  if (OWN_SPELLING.test(url)) return url;
  const mark = url.indexOf("?");
  // The router ignores a trailing slash, but would treat a verb or suffix before it as part of a name.
  const path = (mark === -1 ? url : url.slice(0, mark)).replace(/(?<=.)\/$/, "");
  const query = mark === -1 ? "" : url.slice(mark);
  const surface = findSurface(request, hosts);
  const placed = surface && path.startsWith("/v1/") ? `/${surface}${path}` : path;
  return separateObjectName(separateVerb(placed)) + query;
}

function findSurface(request: Pick<IncomingMessage, "headers">, hosts: SurfaceHosts): Surface | undefined {
  const type = request.headers["x-amp-request-type"];
  const host = request.headers.host?.replace(/:\d+$/, "").toLowerCase();
  return SURFACES.find((surface) => type === surface || (host && hosts[surface]?.toLowerCase() === host));
}

function separateVerb(path: string): string {
  const match = VERB.exec(path);
  return match ? `${match[1]}/:${match[2]}` : path;
}

function separateObjectName(path: string): string {
  const match = OBJECT.exec(path) ?? RECORD.exec(path);
  if (!match) return path;
  const [, before = "", name = "", suffix = ""] = match;
  return `${before}${name.replaceAll("/", "%2F")}${suffix}`;
}

/** Returns the router's pattern for an OpenAPI path: `{name}` becomes `:name`, a verb its own literal segment. */
export function toRouterPattern(path: string): string {
  return separateVerb(path)
    .replaceAll("/:", "/::")
    .replaceAll(/\{(\w+)\}/g, ":$1");
}

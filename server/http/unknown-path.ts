/** Explains a URL without an endpoint. */
import type { FastifyRequest } from "fastify";
import { Problem } from "../../ground/errors.ts";
import { findClosest } from "../../ground/closest.ts";
import { toRouterPattern, SURFACES } from "./address.ts";
import type { Route } from "./endpoint.ts";

/**
 * Returns the Problem for a URL without an endpoint: 405 if there is one for another method. `proxyUrl` is the proxy's address, for calls that
 * were meant for it.
 */
export function refuseUnknownPath(request: FastifyRequest, routes: Route[], proxyUrl?: string): Problem {
  const path = request.originalUrl.split("?")[0] ?? "/";
  // The rewritten URL: a header or the host may name the surface.
  const routed = splitPath(request.url.split("?")[0] ?? "/");
  const elsewhere = SURFACES.filter((surface) =>
    routes.some(
      // Few routes begin so; to compare each with every path that somebody tries would cost more.
      ({ method, path: known }) =>
        method === request.method &&
        known.startsWith(`/${surface}/`) &&
        matchesRoute(known, ["", surface, ...routed.slice(1)]),
    ),
  );
  const methods = routes.filter((entry) => matchesRoute(entry.path, routed)).map(({ method }) => method);
  if (methods.length > 0) {
    return new Problem("method-not-allowed", {
      detail: `${path} takes ${methods.join(", ")}, not ${request.method}.${adviseSurface(elsewhere, path)}`,
      headers: { allow: methods.join(", ") },
    });
  }
  const isProxied = request.headers["x-amp-proxy-version"] !== undefined;
  const proxy = proxyUrl === undefined ? "an address of its own, by default port 4001" : proxyUrl;
  const advice = isProxied
    ? `This is the API; a call with \`X-Amp-Proxy-Version\` goes to the proxy: ${proxy}.`
    : `The endpoints are listed at /docs; calls that a provider should get go to the proxy: ${proxy}.`;
  return new Problem("unknown-path", {
    detail: `There is no endpoint at ${request.method} ${path}.${adviseVersion(request.method, path, routes) || nameAdvice(request.method, path, { steps: routed, routes })}${adviseSurface(elsewhere, path)} ${advice}`,
  });
}

/** Returns a sentence with the address that a path without its version was meant for. */
function adviseVersion(method: string, path: string, routes: Route[]): string {
  const steps = splitPath(`/v1${path}`);
  const known = routes.find((entry) => entry.method === method && matchesRoute(entry.path, steps));
  return known ? ` Did you mean /v1${path}?` : "";
}

/** Returns a sentence with the address that was meant where one step of the path is misspelt. */
function nameAdvice(method: string, path: string, at: { steps: string[]; routes: Route[] }): string {
  const { steps, routes } = at;
  const known = new Map<number, Set<string>>();
  for (const entry of routes) {
    const pattern = parsePattern(entry.path);
    if (entry.method !== method || pattern.length !== steps.length) continue;
    const differing = pattern.flatMap((part, index) => (matchesStep(part, steps[index]) ? [] : [index]));
    const [index, ...others] = differing;
    const part = pattern[index ?? -1];
    if (index === undefined || part === undefined || others.length > 0 || isParameter(part)) continue;
    known.set(index, (known.get(index) ?? new Set()).add(readLiteral(part)));
  }
  for (const [index, names] of known) {
    const wrong = steps[index] ?? "";
    const meant = findClosest(wrong, names);
    const begin = path.lastIndexOf(wrong);
    if (meant !== undefined && begin >= 0)
      return ` Did you mean ${path.slice(0, begin)}${meant}${path.slice(begin + wrong.length)}?`;
  }
  return "";
}

/** Returns a sentence that names the data surfaces which have the path; the path alone does not say which one is meant. */
function adviseSurface(surfaces: readonly string[], path: string): string {
  if (surfaces.length === 0) return "";
  const each = (words: (surface: string) => string, between: string) => surfaces.map(words).join(between);
  const addresses = each((surface) => `/${surface}${path}`, " or ");
  const headers = each((surface) => `\`X-Amp-Request-Type: ${surface}\``, " or ");
  return ` It is one of the ${each((surface) => surface, " and the ")} API: call ${addresses}, or send ${headers}.`;
}

/** Patterns of routes, split into segments. Anybody can request an unknown path, so this must cost little. */
const patterns = new Map<string, string[]>();

function parsePattern(routePath: string): string[] {
  const pattern = patterns.get(routePath) ?? toRouterPattern(routePath).split("/");
  patterns.set(routePath, pattern);
  return pattern;
}

const splitPath = (path: string): string[] => path.replace(/(?<=.)\/$/, "").split("/");

/** Returns whether the steps of a rewritten path belong to a route, whatever its method. */
function matchesRoute(routePath: string, steps: string[]): boolean {
  const pattern = parsePattern(routePath);
  return pattern.length === steps.length && pattern.every((part, at) => matchesStep(part, steps[at]));
}

const matchesStep = (part: string, step: string | undefined): boolean =>
  isParameter(part) ? step !== "" : step === readLiteral(part);

/** Returns whether a part of a pattern is `:name`; `::` is a literal colon. */
const isParameter = (part: string): boolean => part.startsWith(":") && !part.startsWith("::");

const readLiteral = (part: string): string => (part.startsWith("::") ? part.slice(1) : part);

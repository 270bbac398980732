/** Answers refusals of the API: every error leaves as a Problem. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../ground/errors.ts";
import { wholeSecond } from "../ground/retry-after.ts";
import { routerPattern, SURFACES } from "./address.ts";
import type { Route } from "./endpoint.ts";
import { refusedRequest } from "./known-callers.ts";
import { linger } from "./linger.ts";
import { excludes, problemBody, PROBLEM_MEDIA_TYPE, toProblem, type Subsystem } from "./problem.ts";
import { requestIds } from "./request-work.ts";
import { securityHeaders } from "./security-headers.ts";
import type { ServerOptions } from "./server-options.ts";

/** Sends an error as a Problem, and logs errors of the service itself. */
export function refuseRequest(
  options: ServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = toProblem(error);
  // There is nothing to investigate about a feature that is not built.
  if (problem.status >= 500 && problem.slug !== "not-built") {
    const cause = problem.options.cause ?? problem;
    options.log.error(
      { ...requestIds(request), err: cause instanceof Error ? cause : { message: String(cause) } },
      problem.message,
    );
  }
  const refused = options.onRefused && refusedRequest(request, problem);
  if (refused) options.onRefused?.(refused);
  const subsystem = subsystemOf(request.url);
  const { support } = options;
  const body = problemBody(problem, {
    requestId: request.id,
    subsystem,
    docsUrl: options.docsUrl(),
    support,
  });
  // The published write SDK cannot decode problem+json and excludes it in its Accept header; management clients that
  // exclude it do decode it, so only the write surface honours this.
  const plain = subsystem === "write" && excludes(request.headers.accept, PROBLEM_MEDIA_TYPE);
  readRest(problem, request, reply);
  return (
    reply
      .code(problem.status)
      .headers({
        ...securityHeaders(options),
        "x-request-id": request.id,
        ...retryHeader(problem),
        ...problem.options.headers,
      })
      .type(plain ? "application/json" : PROBLEM_MEDIA_TYPE)
      // As bytes: to a string the framework would add a charset, and some clients compare the whole media type.
      .send(Buffer.from(JSON.stringify(body)))
  );
}

/** Keeps the connection until the rest of a refused body has been sent, because closing it could destroy the answer. */
function readRest(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return;
  if (problem.slug === "request-timeout") return void reply.header("connection", "close");
  reply.removeHeader("connection");
  reply.raw.once("finish", () => linger(request.raw));
}

const retryHeader = (problem: Problem): Record<string, string> =>
  problem.options.retryAfter ? { "retry-after": wholeSecond(problem.options.retryAfter).toUTCString() } : {};

function subsystemOf(url: string): Subsystem {
  const first = url.split("/")[1];
  return first === "write" || first === "read" || first === "search" ? first : "api";
}

/** The Problem for a URL without an endpoint: 405 if there is one for another method. */
export function unknownPath(request: FastifyRequest, routes: Route[]): Problem {
  const path = request.originalUrl.split("?")[0] ?? "/";
  // The rewritten URL: a header or the host may name the surface.
  const routed = request.url.split("?")[0] ?? "/";
  const elsewhere = SURFACES.filter((surface) =>
    routes.some(
      // Few routes begin so; to compare each with every path that somebody tries would cost more.
      ({ method, path: known }) =>
        method === request.method &&
        known.startsWith(`/${surface}/`) &&
        matches(known, `/${surface}${routed}`),
    ),
  );
  const methods = routes.filter((entry) => matches(entry.path, routed)).map(({ method }) => method);
  if (methods.length > 0) {
    return new Problem("method-not-allowed", {
      detail: `${path} takes ${methods.join(", ")}, not ${request.method}.${surfaceAdvice(elsewhere, path)}`,
      headers: { allow: methods.join(", ") },
    });
  }
  const isProxied = request.headers["x-amp-proxy-version"] !== undefined;
  const advice = isProxied
    ? "This is the API; a call with `X-Amp-Proxy-Version` goes to the proxy, which has an address of its own, by default port 4001."
    : "The endpoints are listed at /docs.";
  return new Problem("unknown-path", {
    detail: `There is no endpoint at ${request.method} ${path}.${surfaceAdvice(elsewhere, path)} ${advice}`,
  });
}

/** Returns a sentence that names the data surfaces which have the path; the path alone does not say which one is meant. */
function surfaceAdvice(surfaces: readonly string[], path: string): string {
  if (surfaces.length === 0) return "";
  const each = (words: (surface: string) => string, between: string) => surfaces.map(words).join(between);
  const addresses = each((surface) => `/${surface}${path}`, " or ");
  const headers = each((surface) => `\`X-Amp-Request-Type: ${surface}\``, " or ");
  return ` It is one of the ${each((surface) => surface, " and the ")} API: call ${addresses}, or send ${headers}.`;
}

/** Tells whether a rewritten path belongs to a route, whatever its method. */
function matches(routePath: string, path: string): boolean {
  const pattern = routerPattern(routePath).split("/");
  const segments = path.replace(/(?<=.)\/$/, "").split("/");
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => {
      // `::` is a literal colon, `:name` a parameter.
      if (part.startsWith("::")) return segments[at] === part.slice(1);
      return part.startsWith(":") ? segments[at] !== "" : segments[at] === part;
    })
  );
}

/** Sends the proxy's own refusals: Problems marked with `X-Amp-Error`, so that they are not mistaken for the provider's. */
import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { EgressError } from "../egress/egress-error.ts";
import type { SupportContact } from "../../ground/server-settings.ts";
import type { WorkIds } from "../../ground/current-work.ts";
import { Problem } from "../../ground/errors.ts";
import type { ProblemSlug } from "../../ground/problem-types.ts";
import { nowMs } from "../../ground/clock.ts";
import { newId } from "../../ground/ids.ts";
import type { Log } from "../../ground/log.ts";
import { linger } from "../http/linger.ts";
import { formatProblem, PROBLEM_MEDIA_TYPE, toProblem } from "../http/problem.ts";

export interface RefusalDeps {
  log: Log;
  /** Called with every refusal. */
  onRefused?: (problem: Problem) => void;
  docsUrl: () => string;
  support?: SupportContact;
  /** How long the rest of a refused request is read and discarded. */
  lingerMs?: number;
}

/** Converts any error to a Problem of the proxy. */
export function toProxyProblem(error: unknown): Problem {
  if (!(error instanceof ProviderError)) return toProblem(error);
  const slug = PROVIDER_SLUGS[error.kind] ?? "provider-unreachable";
  const status = error.kind === "unauthorized" ? 401 : undefined;
  return new Problem(slug, { detail: error.message, status, cause: error });
}

/** Problem types for connections that cannot be used, by the kind of the error. */
const PROVIDER_SLUGS: Partial<Record<ProviderError["kind"], ProblemSlug>> = {
  unauthorized: "reconnect-required",
  forbidden: "forbidden",
  timeout: "provider-timeout",
};

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Converts a failed request to the provider into a Problem for the caller. */
export function toEgressProblem(error: EgressError, method: string): Problem {
  const cause = error;
  if (error.failure === "forbidden-address") {
    const detail = "The provider's address is private. The operator must allow it with BUSBAR_EGRESS_ALLOW.";
    return new Problem("provider-unreachable", { detail, retryable: false, cause });
  }
  // The message of the network library stays in the log.
  const unsure = error.sent && !SAFE_METHODS.has(method);
  const advice = unsure
    ? "The request was sent, so it may have been carried out: check before you repeat it."
    : "Try again in a moment.";
  if (error.failure === "timeout") {
    const detail = `The provider did not answer in time. ${advice}`;
    return new Problem("provider-timeout", { detail, retryable: !unsure, cause });
  }
  const detail = error.sent
    ? `The connection to the provider broke before the answer arrived. ${advice}`
    : `The provider could not be reached. ${advice}`;
  return new Problem("provider-unreachable", { detail, retryable: !unsure, cause });
}

interface RefusalOptions {
  /** Ends the caller's connection after the refusal. */
  close?: boolean;
  requestId?: string;
  /** For the log. */
  ids?: WorkIds;
}

/** Sends the refusal. */
export function refuse(
  deps: RefusalDeps,
  response: ServerResponse,
  error: unknown,
  { close = false, requestId = newId(), ids = {} }: RefusalOptions = {},
): void {
  const problem = toProxyProblem(error);
  if (response.destroyed || response.headersSent) return void response.destroy();
  const { headers, body } = render(deps, problem, { ...ids, requestId });
  // The rest of the body may still arrive and would be read as the next request.
  const closes = close || problem.slug === "request-timeout";
  if (closes) headers["Connection"] = "close";
  response.writeHead(problem.status, headers);
  response.end(body);
  if (!response.req.complete && !closes) {
    // Refused calls of the proxy are mostly those of known callers, with bodies of any size.
    linger(response.req, { forMs: deps.lingerMs, maxBytes: Infinity, maxConcurrent: Infinity });
  }
}

/** Refuses a request without a response object, because it could not be read. Ends the connection. */
export function refuseOnSocket(deps: RefusalDeps, socket: Duplex, error: unknown, status?: number): void {
  if (!socket.writable) return void socket.destroy();
  const { headers, body } = render(deps, toProxyProblem(error), { requestId: newId() });
  const code = status ?? toProxyProblem(error).status;
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end([`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ""}`, ...lines, "", body].join("\r\n"));
}

function render(
  deps: RefusalDeps,
  problem: Problem,
  ids: WorkIds & { requestId: string },
): { headers: Record<string, string>; body: string } {
  deps.onRefused?.(problem);
  const { cause, retryAfter } = problem.options;
  const { requestId } = ids;
  const level = problem.status >= 500 ? "warn" : "debug";
  deps.log[level]({ ...ids, slug: problem.slug, cause: cause && String(cause) }, "proxied call refused");
  const context = { requestId, subsystem: "proxy", docsUrl: deps.docsUrl(), support: deps.support } as const;
  const body = JSON.stringify(formatProblem(problem, context));
  const headers: Record<string, string> = {
    "Content-Type": PROBLEM_MEDIA_TYPE,
    "Content-Length": String(Buffer.byteLength(body)),
    "X-Amp-Error": "true",
    "X-Request-Id": requestId,
    ...(retryAfter && { "Retry-After": String(computeSecondsUntil(retryAfter)) }),
    ...problem.options.headers,
  };
  return { headers, body };
}

const computeSecondsUntil = (time: Date): number =>
  Math.max(0, Math.ceil((time.getTime() - nowMs()) / 1_000));

/** Answers for the proxy itself: a Problem that says it is ours, so that nobody takes it for the provider's. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ProviderError } from "../../connector-kit/provider-error.ts";
import type { EgressError } from "../egress/egress-error.ts";
import type { Support } from "../ground/config.ts";
import { Problem, type ProblemSlug } from "../ground/errors.ts";
import { nowMs } from "../ground/clock.ts";
import { newId } from "../ground/ids.ts";
import type { Log } from "../ground/log.ts";
import { problemBody, PROBLEM_MEDIA_TYPE, toProblem } from "../http/problem.ts";

export interface Refusing {
  log: Log;
  /** Told of every refusal. */
  onRefused?: (slug: ProblemSlug) => void;
  docsUrl: () => string;
  support?: Support;
  /** How long what still comes of a refused request is read. */
  lingerMs?: number;
}

/** Many callers read the answer only when they have sent everything; but nobody may send for ever what nobody wants. */
const LINGER_MS = 30_000;

/** Any error as a Problem of the proxy. */
export function asProblem(error: unknown): Problem {
  if (!(error instanceof ProviderError)) return toProblem(error);
  const slug = PROVIDER_SLUGS[error.kind] ?? "provider-unreachable";
  return new Problem(slug, { detail: error.message, cause: error });
}

/** What keeps a connection from being used at all, by the kind of its error. */
const PROVIDER_SLUGS: Partial<Record<ProviderError["kind"], ProblemSlug>> = {
  unauthorized: "unauthenticated",
  forbidden: "forbidden",
  timeout: "provider-timeout",
};

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** What a failed exchange means for the caller. */
export function egressProblem(error: EgressError, method: string): Problem {
  const cause = error;
  if (error.failure === "forbidden-address") {
    const detail =
      "The provider's address is private. An operator has to allow it with BUSBAR_EGRESS_ALLOW before it can be called.";
    return new Problem("provider-unreachable", { detail, retryable: false, cause });
  }
  // The words of the network library stay in the log.
  const unsure = error.sent && !SAFE_METHODS.has(method);
  const advice = unsure
    ? "The request had been sent, so it may have been carried out: look before you repeat it."
    : "Try again in a moment.";
  if (error.failure === "timeout") {
    const detail = `The provider did not answer in time. ${advice}`;
    return new Problem("provider-timeout", { detail, retryable: !unsure, cause });
  }
  const detail = error.sent
    ? `The connection to the provider broke before an answer came. ${advice}`
    : `The provider could not be reached. ${advice}`;
  return new Problem("provider-unreachable", { detail, retryable: !unsure, cause });
}

/** Sends the refusal. `close` ends the caller's connection after it. */
export function refuse(deps: Refusing, response: ServerResponse, error: unknown, close = false): void {
  const problem = asProblem(error);
  if (response.destroyed || response.headersSent) return void response.destroy();
  const { headers, body } = render(deps, problem);
  // What is missing of a body may still come, and would be read as the next request.
  const closes = close || problem.slug === "request-timeout";
  if (closes) headers["Connection"] = "close";
  response.writeHead(problem.status, headers);
  response.end(body);
  if (!response.req.complete && !closes) linger(response.req, deps.lingerMs ?? LINGER_MS);
}

function linger(request: IncomingMessage, forMs: number): void {
  const { socket } = request;
  const timer = setTimeout(() => {
    if (!request.complete) socket.destroy();
  }, forMs);
  request.once("close", () => clearTimeout(timer));
}

/** The same where there is no response object: the request could not be read. Ends the connection. */
export function refuseOnSocket(deps: Refusing, socket: Duplex, error: unknown, status?: number): void {
  if (!socket.writable) return void socket.destroy();
  const { headers, body } = render(deps, asProblem(error));
  const code = status ?? asProblem(error).status;
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end([`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ""}`, ...lines, "", body].join("\r\n"));
}

function render(deps: Refusing, problem: Problem): { headers: Record<string, string>; body: string } {
  const requestId = newId();
  deps.onRefused?.(problem.slug);
  const { cause, retryAfter } = problem.options;
  const level = problem.status >= 500 ? "warn" : "debug";
  deps.log[level]({ requestId, slug: problem.slug, cause: cause && String(cause) }, "proxied call refused");
  const place = { requestId, subsystem: "proxy", docsUrl: deps.docsUrl(), support: deps.support } as const;
  const body = JSON.stringify(problemBody(problem, place));
  const headers: Record<string, string> = {
    "Content-Type": PROBLEM_MEDIA_TYPE,
    "Content-Length": String(Buffer.byteLength(body)),
    "X-Amp-Error": "true",
    "X-Request-Id": requestId,
    ...(retryAfter && { "Retry-After": String(secondsUntil(retryAfter)) }),
    ...problem.options.headers,
  };
  return { headers, body };
}

const secondsUntil = (time: Date): number => Math.max(0, Math.ceil((time.getTime() - nowMs()) / 1_000));

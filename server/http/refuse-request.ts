/** Answers refusals of the API: every error leaves as a Problem. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Problem } from "../../ground/errors.ts";
import { roundUpToSecond } from "../../ground/retry-after.ts";
import { toRefusedRequest } from "./known-callers.ts";
import { linger } from "./linger.ts";
import { excludesType, formatProblem, PROBLEM_MEDIA_TYPE, toProblem, type Subsystem } from "./problem.ts";
import { requestIds } from "./request-work.ts";
import { listSecurityHeaders, type ServerOptions } from "./server-options.ts";

/** Sends an error as a Problem, and logs errors of the service itself. */
export function refuseRequest(
  options: ServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = toProblem(error, {
    reads: request.method === "GET" || request.method === "HEAD",
    keyed: request.headers["idempotency-key"] !== undefined,
  });
  // There is nothing to investigate about a feature that is not built.
  if (problem.status >= 500 && problem.slug !== "not-built") {
    const cause = problem.options.cause ?? problem;
    options.log.error(
      { ...requestIds(request), err: cause instanceof Error ? cause : { message: String(cause) } },
      problem.message,
    );
  }
  const refused = options.onRefused && toRefusedRequest(request, problem);
  if (refused) options.onRefused?.(refused);
  const subsystem = chooseSubsystem(request.url);
  const { support } = options;
  const body = formatProblem(problem, {
    requestId: request.id,
    subsystem,
    docsUrl: options.docsUrl(),
    support,
  });
  // The published write SDK cannot decode problem+json and excludes it in its Accept header; management clients that
  // exclude it do decode it, so only the write surface honours this.
  const plain = subsystem === "write" && excludesType(request.headers.accept, PROBLEM_MEDIA_TYPE);
  readRest(problem, request, reply);
  return (
    reply
      .code(problem.status)
      .headers({
        ...listSecurityHeaders(options),
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
  problem.options.retryAfter
    ? { "retry-after": roundUpToSecond(problem.options.retryAfter).toUTCString() }
    : {};

function chooseSubsystem(url: string): Subsystem {
  const first = url.split("/")[1];
  return first === "write" || first === "read" || first === "search" ? first : "api";
}

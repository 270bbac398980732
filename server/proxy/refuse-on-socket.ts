/** Refuses what Node does not turn into a request: unreadable bytes and CONNECT. */
import type { Duplex } from "node:stream";
import { Problem } from "../../ground/errors.ts";
import type { ProblemSlug } from "../../ground/problem-types.ts";
import { isAnswerInProgress } from "./pipelining.ts";
import { refuseOnSocket, type RefusalDeps } from "./refuse.ts";

/** Room for long credentials and cookies; providers accept less. */
export const MAX_HEADER_BYTES = 32 * 1024;

/** Errors of the parser by their code. Any other is a request that two servers could read differently. */
const PARSER_ERRORS: Record<string, { slug?: ProblemSlug; status?: number; detail: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    detail: `The request's headers are larger than ${MAX_HEADER_BYTES / 1024} KiB. Send fewer or shorter ones.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    slug: "request-timeout",
    detail: "The request's headers did not arrive in time. Send it again.",
  },
};

/** Answers a parser error and ends the connection. */
export function refuseUnreadable(deps: RefusalDeps, error: Error, socket: Duplex): void {
  const code = "code" in error ? String(error.code) : "";
  // If an answer is in progress, ours would be read as part of it; if one is pending, in its place.
  const answer = isAnswerInProgress(socket);
  if (answer?.headersSent || answer?.req.complete || code === "ECONNRESET" || code === "EPIPE")
    return void socket.destroy();
  const known = PARSER_ERRORS[code];
  const detail = known?.detail ?? "This is not a valid HTTP/1.1 request, or it is ambiguous. Correct it.";
  const problem = new Problem(known?.slug ?? "invalid-request", { detail, cause: error });
  refuseOnSocket(deps, socket, problem, known?.status);
}

/** Answers CONNECT and ends the connection. */
export function refuseTunnel(deps: RefusalDeps, socket: Duplex): void {
  if (isAnswerInProgress(socket)) return void socket.destroy();
  const detail =
    "CONNECT is not supported: this is not a tunnel. Send the provider's path to the proxy's own address.";
  refuseOnSocket(deps, socket, new Problem("method-not-allowed", { detail }));
}

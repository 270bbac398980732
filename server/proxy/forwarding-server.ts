/** The proxy's listener: reads a request's head, asks where it goes, and hands it to an exchange. */
import { createServer, type ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { elapsedMs, nowMs } from "../ground/clock.ts";
import { Problem, type ProblemSlug } from "../ground/errors.ts";
import { Exchange, type Call, type Exchanging } from "./exchange.ts";
import { answerInProgress, refusingPipelined } from "./pipelining.ts";
import { checkAsked, isAcceptable, readHead, type Head } from "./read-head.ts";
import type { Limits } from "./limits.ts";
import { refuse, refuseOnSocket } from "./refuse.ts";
import { CallerGone, collect, KEPT_BYTES, Upload } from "./request-body.ts";
import { targetPath } from "./target-path.ts";
import type { Target, Targets } from "./targets.ts";
import type { UsageLog } from "./usage-log.ts";

export interface Forwarding extends Exchanging {
  targets: Targets;
  usage: Pick<UsageLog, "add">;
  /** Undefined: none. */
  limits?: Limits;
}

/** Room for long credentials and cookies; providers take less. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 60_000;
/** Longer than the idle times of the balancers that may stand in front. */
const KEEP_ALIVE_MS = 75_000;

/** A server that is ready to listen. */
export function createForwardingServer(deps: Forwarding): Server {
  const server = createServer({
    insecureHTTPParser: false,
    // Checked with the other headers, so that the refusal is ours.
    requireHostHeader: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Bodies may take as long as they need; what counts is that something moves.
    requestTimeout: 0,
    noDelay: true,
  });
  // Longer than the provider may take, so that it is the provider's silence that is reported.
  server.timeout = deps.answerTimeoutMs + deps.idleTimeoutMs;
  // Otherwise headers beyond the 1000th would vanish without a word; their size is limited already.
  server.maxHeadersCount = 0;
  const listener = (expectsContinue: boolean) =>
    refusingPipelined(
      (request, response) => serve(deps, request, response, expectsContinue),
      (_, response) => refuse(deps, response, noPipelining(), true),
    );
  server.on("request", listener(false));
  server.on("checkContinue", listener(true));
  server.on("checkExpectation", (_, response) => refuse(deps, response, unknownExpectation(), true));
  server.on("connect", (_, socket) => refuseTunnel(deps, socket));
  server.on("clientError", (error, socket) => refuseUnreadable(deps, error, socket));
  return server;
}

function serve(
  deps: Forwarding,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): void {
  const startedMs = elapsedMs();
  try {
    // TRACE makes a provider send back what it received: the credentials.
    if (request.method === "TRACE") throw noTrace();
    const head = readHead(request);
    const target = isAcceptable(head) ? deps.targets.known(head) : undefined;
    // The most frequent call has nothing to wait for, so it costs no promise.
    if (target && head.body === 0 && !deps.limits)
      return forward(deps, callOf(deps, request, response, head, target), startedMs);
    prepare(deps, request, response, head, target, expectsContinue)
      .then((call) => call && forward(deps, call, startedMs))
      .catch((error: unknown) => refuseCall(deps, response, error, expectsContinue));
  } catch (error) {
    refuseCall(deps, response, error, expectsContinue);
  }
}

/** Undefined when the caller has left meanwhile. */
async function prepare(
  deps: Forwarding,
  request: IncomingMessage,
  response: ServerResponse,
  head: Head,
  known: Target | undefined,
  expectsContinue: boolean,
): Promise<Call | undefined> {
  const call = callOf(deps, request, response, head, known ?? (await decide(deps, head)));
  if (deps.limits) enter(deps.limits, call);
  if (response.destroyed) return undefined;
  if (expectsContinue) response.writeContinue();
  if (head.body === 0) return call;
  const isSmall = head.body !== "chunked" && head.body <= KEPT_BYTES;
  // Small bodies whole, so that they can be sent again; others as they come.
  return {
    ...call,
    body: isSmall ? await collect(request, deps.idleTimeoutMs) : new Upload(request, deps.idleTimeoutMs),
  };
}

/** Counts the call until its end. Throws a 429 Problem. */
function enter(limits: Limits, { target, response }: Call): void {
  const leave = limits.enter(target);
  // A response that is closed already will not close again.
  if (response.destroyed) leave();
  else response.once("close", leave);
}

/** A call that may be made, without its body. Throws what forbids it. */
function callOf(
  deps: Forwarding,
  request: IncomingMessage,
  response: ServerResponse,
  head: Head,
  target: Target,
): Call {
  const path = targetPath(request.url ?? "", target);
  const refusal = head.mode === "throttle" ? deps.throttle.refusal(target) : undefined;
  if (refusal) throw refusal;
  return { request, response, head, target, path, body: undefined };
}

function forward(deps: Forwarding, call: Call, startedMs: number): void {
  const exchange = new Exchange(deps, call);
  call.response.on("close", () => {
    exchange.close();
    record(deps, call, exchange, startedMs);
  });
  exchange.start();
}

function refuseCall(
  deps: Forwarding,
  response: ServerResponse,
  error: unknown,
  expectsContinue: boolean,
): void {
  if (error instanceof CallerGone) return;
  // A caller that was not told to continue may send its body or the next request: nobody could tell which.
  refuse(deps, response, error, expectsContinue);
}

/** The unknown way: everything is checked and looked up. */
function decide(deps: Forwarding, head: Head): Promise<Target> {
  checkAsked(head);
  return deps.targets.resolve(head);
}

/** Nginx's word for a caller that left before there was an answer. */
const CALLER_LEFT = 499;

function record(deps: Forwarding, call: Call, exchange: Exchange, startedMs: number): void {
  const { request, response, target, body } = call;
  const durationMs = elapsedMs() - startedMs;
  const url = request.url ?? "";
  const mark = url.indexOf("?");
  deps.usage.add({
    timeMs: nowMs() - durationMs,
    projectId: target.projectId,
    installationId: target.installationId,
    method: request.method ?? "",
    path: mark === -1 ? url : url.slice(0, mark),
    status: response.headersSent ? response.statusCode : CALLER_LEFT,
    durationMs: Math.round(durationMs),
    bytesUp: body instanceof Upload ? body.bytes : (body?.length ?? 0),
    bytesDown: exchange.bytesDown,
  });
}

const unknownExpectation = (): Problem =>
  new Problem("invalid-request", {
    detail: "The header `expect` must be `100-continue` or absent.",
    issues: [{ in: "header", name: "expect", detail: "Only `100-continue` is known." }],
  });

const noPipelining = (): Problem =>
  new Problem("invalid-request", {
    detail:
      "This request was sent before the answer to the previous one on the same connection was complete, so it was not sent to the provider. Wait for each answer, or use several connections.",
  });

const noTrace = (): Problem =>
  new Problem("method-not-allowed", {
    detail: "TRACE is not passed on: the provider would send its credentials back.",
  });

/** What the parser refuses, by its code. Anything else is a request that could mean two things. */
const PARSER_FAULTS: Record<string, { slug?: ProblemSlug; status?: number; detail: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    detail: `The request's headers are larger than ${MAX_HEADER_BYTES / 1024} KiB. Send fewer or shorter ones.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    slug: "request-timeout",
    detail: "The request's headers did not arrive in time. Send it again.",
  },
};

function refuseTunnel(deps: Forwarding, socket: Duplex): void {
  // Our answer would be read as a part of the one in progress, or in its place.
  if (answerInProgress(socket)) return void socket.destroy();
  const detail =
    "CONNECT is not served: this is not a tunnel. Send the provider's path to the proxy's own address.";
  refuseOnSocket(deps, socket, new Problem("method-not-allowed", { detail }));
}

function refuseUnreadable(deps: Forwarding, error: Error, socket: Duplex): void {
  const code = "code" in error ? String(error.code) : "";
  // If an answer is in progress, our error would be read as part of it; if one is pending, in its place. Close instead.
  const answer = answerInProgress(socket);
  if (answer?.headersSent || answer?.req.complete || code === "ECONNRESET" || code === "EPIPE")
    return void socket.destroy();
  const known = PARSER_FAULTS[code];
  const detail =
    known?.detail ?? "This is not an HTTP/1.1 request that can be understood in one way only. Mend it.";
  refuseOnSocket(
    deps,
    socket,
    new Problem(known?.slug ?? "invalid-request", { detail, cause: error }),
    known?.status,
  );
}

/** The proxy's listener: reads the head of a request, resolves its target and starts the exchange. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { elapsedMs, nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";
import type { ProxyLimits } from "./limits.ts";
import { refusingPipelined } from "./pipelining.ts";
import { ProxyExchange, type ExchangeDeps, type ProxyCall } from "./proxy-exchange.ts";
import { checkNames, isAcceptable, readHead, type RequestHead } from "./read-head.ts";
import { MAX_HEADER_BYTES, refuseTunnel, refuseUnreadable } from "./refuse-on-socket.ts";
import { refuse } from "./refuse.ts";
import { CallerGone, collect, KEPT_BYTES, Upload } from "./request-body.ts";
import { targetPath } from "./target-path.ts";
import type { Target } from "./target.ts";
import type { Targets } from "./targets.ts";
import type { UsageLog } from "./usage-log.ts";

export interface ForwardingDeps extends ExchangeDeps {
  targets: Targets;
  usage: Pick<UsageLog, "add">;
  /** Undefined: none. */
  limits?: ProxyLimits;
}

const HEADERS_TIMEOUT_MS = 60_000;
/** Longer than the idle timeouts of load balancers that may stand in front. */
const KEEP_ALIVE_MS = 75_000;

/** Returns a server that is ready to listen. */
export function createForwardingServer(deps: ForwardingDeps): Server {
  const server = createServer({
    insecureHTTPParser: false,
    // Checked with the other headers, so that the refusal is a Problem.
    requireHostHeader: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Bodies may take as long as they need, as long as data keeps arriving.
    requestTimeout: 0,
    noDelay: true,
  });
  // Longer than the provider's timeouts, so that the provider's silence is what gets reported.
  server.timeout = deps.answerTimeoutMs + deps.idleTimeoutMs;
  // Otherwise Node would drop headers beyond the 1000th silently; their size is limited already.
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
  deps: ForwardingDeps,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): void {
  const startedMs = elapsedMs();
  try {
    if (request.method === "TRACE") throw noTrace();
    const head = readHead(request);
    const target = isAcceptable(head) ? deps.targets.known(head) : undefined;
    // The most frequent call waits for nothing, so it costs no promise.
    if (target && head.body === 0 && !deps.limits)
      return forward(deps, createCall(deps, request, response, head, target), startedMs);
    prepare(deps, request, response, head, target, expectsContinue)
      .then((call) => call && forward(deps, call, startedMs))
      .catch((error: unknown) => refuseCall(deps, response, error, expectsContinue));
  } catch (error) {
    refuseCall(deps, response, error, expectsContinue);
  }
}

/** Resolves the target, applies the limits and reads the body. Returns undefined if the caller has left meanwhile. */
async function prepare(
  deps: ForwardingDeps,
  request: IncomingMessage,
  response: ServerResponse,
  head: RequestHead,
  known: Target | undefined,
  expectsContinue: boolean,
): Promise<ProxyCall | undefined> {
  const call = createCall(deps, request, response, head, known ?? (await resolve(deps, head)));
  if (deps.limits) enter(deps.limits, call);
  if (response.destroyed) return undefined;
  if (expectsContinue) response.writeContinue();
  if (head.body === 0) return call;
  const isSmall = head.body !== "chunked" && head.body <= KEPT_BYTES;
  // Small bodies are read completely, so that they can be sent again; others are streamed.
  return {
    ...call,
    body: isSmall ? await collect(request, deps.idleTimeoutMs) : new Upload(request, deps.idleTimeoutMs),
  };
}

function resolve(deps: ForwardingDeps, head: RequestHead): Promise<Target> {
  checkNames(head);
  return deps.targets.resolve(head);
}

/** Counts the call until its end. Throws a 429 Problem. */
function enter(limits: ProxyLimits, { target, response }: ProxyCall): void {
  const leave = limits.enter(target);
  // A response that is closed already will not close again.
  if (response.destroyed) leave();
  else response.once("close", leave);
}

/** Returns a call without its body. Throws a Problem if the path or throttle mode forbids it. */
function createCall(
  deps: ForwardingDeps,
  request: IncomingMessage,
  response: ServerResponse,
  head: RequestHead,
  target: Target,
): ProxyCall {
  const path = targetPath(request.url ?? "", target);
  const refusal = head.mode === "throttle" ? deps.throttle.refusal(target) : undefined;
  if (refusal) throw refusal;
  return { request, response, head, target, path, body: undefined };
}

function forward(deps: ForwardingDeps, call: ProxyCall, startedMs: number): void {
  const exchange = new ProxyExchange(deps, call);
  call.response.on("close", () => {
    exchange.close();
    record(deps, call, exchange, startedMs);
  });
  exchange.start();
}

function refuseCall(
  deps: ForwardingDeps,
  response: ServerResponse,
  error: unknown,
  expectsContinue: boolean,
): void {
  if (error instanceof CallerGone) return;
  // A caller that waits for 100 may send its body or the next request: the two cannot be told apart.
  refuse(deps, response, error, expectsContinue);
}

/** Status for a caller that left before the answer, as in nginx. */
const CALLER_LEFT = 499;

function record(deps: ForwardingDeps, call: ProxyCall, exchange: ProxyExchange, startedMs: number): void {
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
    issues: [{ in: "header", name: "expect", detail: "Only `100-continue` is supported." }],
  });

const noPipelining = (): Problem =>
  new Problem("invalid-request", {
    detail:
      "This request arrived before the previous answer on its connection was complete, so it was not sent to the provider. Wait for each answer, or use several connections.",
  });

/** TRACE makes a provider send back what it received, credentials included. */
const noTrace = (): Problem =>
  new Problem("method-not-allowed", {
    detail: "TRACE is not supported: the provider would send back its credentials.",
  });

/** The proxy's listener: reads the head of a request, resolves its target and starts the exchange. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { elapsedMs, nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import type { Tracer } from "../../ground/tracer.ts";
import type { ProxyUse } from "../store/operations/proxy-usage.ts";
import type { ProxyLimits } from "./limits.ts";
import { refusePipelined } from "./pipelining.ts";
import { ProxyExchange, type ExchangeDeps, type ProxyCall } from "./proxy-exchange.ts";
import { checkNames, isAcceptable, readHead, type RequestHead } from "./read-head.ts";
import { recordCall } from "./record-call.ts";
import { MAX_HEADER_BYTES, refuseTunnel, refuseUnreadable } from "./refuse-on-socket.ts";
import { toProxyProblem, refuse } from "./refuse.ts";
import { CallerGone, collect, KEPT_BYTES, MAX_SIGNED_BYTES, refuseToSign, Upload } from "./request-body.ts";
import { joinTargetPath } from "./target-path.ts";
import { listWorkIds, type Admission } from "./target.ts";
import { InstallationRefusal, type Targets } from "./targets.ts";
import type { UsageLog } from "./usage-log.ts";

export interface ForwardingDeps extends ExchangeDeps {
  targets: Omit<Targets, "admit">;
  usage: Pick<UsageLog, "add">;
  /** Returns whether the connection comes from a reverse proxy of the operator. Default: none does. */
  isBehindProxy?: (socket: Socket) => boolean;
  /** Undefined: none. */
  limits?: ProxyLimits;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
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
    refusePipelined(
      (request, response) => serve(deps, request, response, expectsContinue),
      (_, response) => refuse(deps, response, refusePipelining(), { close: true }),
    );
  server.on("request", listener(false));
  server.on("checkContinue", listener(true));
  server.on("checkExpectation", (_, response) =>
    refuse(deps, response, refuseExpectation(), { close: true }),
  );
  server.on("connect", (_, socket) => refuseTunnel(deps, socket));
  server.on("clientError", (error, socket) => refuseUnreadable(deps, error, socket));
  return server;
}

/** One request on its way: what its line in the usage log needs. */
interface Attempt {
  startedMs: number;
  requestId: string;
  expectsContinue: boolean;
  /** Once known: the installation, and the key of the caller. */
  by?: InstallationRefusal["admission"];
  /** The exchange has begun and writes the line itself. */
  forwarded: boolean;
  sentMs?: number;
  traceparent?: string | undefined;
}

function serve(
  deps: ForwardingDeps,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): void {
  const attempt: Attempt = { startedMs: elapsedMs(), requestId: newId(), expectsContinue, forwarded: false };
  try {
    if (request.method === "TRACE") throw refuseTrace();
    const head = readHead(request, deps.isBehindProxy?.(request.socket));
    attempt.traceparent = head.traceparent;
    const known = isAcceptable(head) ? deps.targets.known(head, request) : undefined;
    // The most frequent call waits for nothing, so it costs no promise.
    if (known && head.body === 0 && !deps.limits)
      return forward(deps, createCall(deps, { request, response, head }, known, attempt), attempt);
    prepare(deps, { request, response, head }, known, attempt)
      .then((call) => call && forward(deps, call, attempt))
      .catch((error: unknown) => refuseCall(deps, request, response, error, attempt));
  } catch (error) {
    refuseCall(deps, request, response, error, attempt);
  }
}

type Received = Pick<ProxyCall, "request" | "response" | "head">;

/** Resolves the target, applies the limits and reads the body. Returns undefined if the caller has left meanwhile. */
async function prepare(
  deps: ForwardingDeps,
  received: Received,
  known: Admission | undefined,
  attempt: Attempt,
): Promise<ProxyCall | undefined> {
  const { request, response, head } = received;
  const call = createCall(deps, received, known ?? (await resolve(deps, head, request)), attempt);
  if (deps.limits) enter(deps.limits, call);
  if (response.destroyed) return undefined;
  const isSigned = call.target.signer !== undefined;
  if (isSigned && head.body !== "chunked" && head.body > MAX_SIGNED_BYTES) throw refuseToSign();
  if (attempt.expectsContinue) response.writeContinue();
  if (head.body === 0) return call;
  const isSmall = head.body !== "chunked" && head.body <= KEPT_BYTES;
  // Small bodies are read completely, so that they can be sent again, and those to sign; others are streamed.
  return {
    ...call,
    body:
      isSmall || isSigned
        ? await collect(request, deps.idleTimeoutMs)
        : new Upload(request, deps.idleTimeoutMs),
  };
}

function resolve(deps: ForwardingDeps, head: RequestHead, request: IncomingMessage): Promise<Admission> {
  checkNames(head);
  return deps.targets.resolve(head, request);
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
  { request, response, head }: Received,
  admission: Admission,
  attempt: Attempt,
): ProxyCall {
  const { target } = admission;
  attempt.by = admission;
  if (admission.requestId !== undefined) attempt.requestId = admission.requestId;
  const path = joinTargetPath(request.url ?? "", target);
  const refusal = head.mode === "throttle" ? deps.throttle.refusal(target) : undefined;
  if (refusal) throw refusal;
  const { requestId } = attempt;
  const isNamed = admission.requestId !== undefined;
  return { request, response, head, target, requestId, isNamed, path, body: undefined };
}

function forward(deps: ForwardingDeps, call: ProxyCall, attempt: Attempt): void {
  const exchange = new ProxyExchange(deps, call);
  attempt.forwarded = true;
  attempt.sentMs = elapsedMs();
  const { request, response, body } = call;
  response.on("close", () => {
    exchange.close();
    record(deps, request, attempt, {
      status: response.headersSent ? response.statusCode : CALLER_LEFT,
      bytesUp: body instanceof Upload ? body.bytes : (body?.length ?? 0),
      bytesDown: exchange.bytesDown,
      requestId: exchange.requestId,
      byBusbar: exchange.refused,
    });
  });
  exchange.start();
}

function refuseCall(
  deps: ForwardingDeps,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  attempt: Attempt,
): void {
  if (error instanceof CallerGone) return;
  if (error instanceof InstallationRefusal) attempt.by = error.admission;
  const requestId = attempt.by?.requestId ?? attempt.requestId;
  if (!attempt.forwarded) {
    const { status } = toProxyProblem(error);
    record(deps, request, attempt, { status, bytesUp: 0, bytesDown: 0, requestId, byBusbar: true });
  }
  // A caller that waits for 100 may send its body or the next request, which cannot be distinguished.
  const ids = attempt.by && listWorkIds(attempt.by.target, attempt.traceparent);
  refuse(deps, response, error, { close: attempt.expectsContinue, requestId, ids });
}

/** Status for a caller that left before the answer, as in nginx. */
const CALLER_LEFT = 499;

/** Adds the line of the usage log and the spans, if the installation is known. */
function record(
  deps: ForwardingDeps,
  request: IncomingMessage,
  { startedMs, by, sentMs, traceparent }: Attempt,
  outcome: Pick<ProxyUse, "status" | "bytesUp" | "bytesDown" | "requestId" | "byBusbar">,
): void {
  if (!by) return;
  const endedMs = elapsedMs();
  const durationMs = endedMs - startedMs;
  const method = request.method ?? "";
  if (deps.tracer) {
    const sentAgoMs = sentMs === undefined ? undefined : endedMs - sentMs;
    recordCall(deps.tracer, { ...outcome, traceparent, target: by.target, method, durationMs, sentAgoMs });
  }
  const url = request.url ?? "";
  const mark = url.indexOf("?");
  deps.usage.add({
    timeMs: nowMs() - durationMs,
    projectId: by.target.projectId,
    installationId: by.target.installationId,
    shard: by.target.shard,
    method,
    path: mark === -1 ? url : url.slice(0, mark),
    durationMs: Math.round(durationMs),
    apiKeyId: by.apiKeyId,
    ...outcome,
  });
}

const refuseExpectation = (): Problem =>
  new Problem("invalid-request", {
    detail: "The header `expect` must be `100-continue` or absent.",
    issues: [{ in: "header", name: "expect", detail: "Only `100-continue` is supported." }],
  });

const refusePipelining = (): Problem =>
  new Problem("invalid-request", {
    detail:
      "This request arrived before the previous answer on its connection was complete, so it was not sent to the provider. Wait for each answer, or use several connections.",
  });

/** TRACE makes a provider send back what it received, credentials included. */
const refuseTrace = (): Problem =>
  new Problem("method-not-allowed", {
    detail: "TRACE is not supported: the provider would send back its credentials.",
  });

/** The server of the management and data API: takes routes, turns every refusal into a Problem. */
import { isUtf8 } from "node:buffer";
import cors from "@fastify/cors";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { Problem } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import type { Log } from "../../ground/log.ts";
import { toRoutedUrl } from "./address.ts";
import { limitConnections, limitSilence, TIMEOUTS } from "./connection-limits.ts";
import { parseJson } from "./json-body.ts";
import { BODY_LIMIT_BYTES, mountRoute } from "./mount-route.ts";
import { refuseRequest } from "./refuse-request.ts";
import { endRequest, requestIds } from "./request-work.ts";
import { listSecurityHeaders, type ServerOptions } from "./server-options.ts";
import { refuseUnknownPath } from "./unknown-path.ts";

/** Returns a server that is ready to listen. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { routes, log, surfaceHosts } = options;
  const app = Fastify({
    logger: false,
    genReqId: newId,
    bodyLimit: BODY_LIMIT_BYTES,
    ...TIMEOUTS,
    rewriteUrl: (request) => toRoutedUrl(request, surfaceHosts),
    routerOptions: { maxParamLength: 1_000, ignoreTrailingSlash: true },
    // A stop waits for requests in progress, not for idle keep-alive connections.
    forceCloseConnections: "idle",
    // Requests that still come on a connection that stays open meanwhile are served.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => refuseRequest(options, error, request, reply),
  });
  app.register(cors, {
    origin: "*",
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowedHeaders: [
      "Content-Type",
      "X-Api-Key",
      "Authorization",
      "X-Amp-Client",
      "X-Amp-Client-Version",
      "Idempotency-Key",
      "If-None-Match",
      "Traceparent",
      "Tracestate",
      "Baggage",
    ],
    exposedHeaders: ["X-Request-Id", "Retry-After", "ETag"],
    maxAge: 600,
    // Otherwise an OPTIONS request that is not a preflight would be refused in plain text.
    strictPreflight: false,
  });
  acceptJsonOnly(app);
  app.setErrorHandler((error, request, reply) => refuseRequest(options, error, request, reply));
  // Properties of the request, since entries of a WeakMap cost each collection of young objects more.
  app.decorateRequest("known", undefined).decorateRequest("work", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id).headers(listSecurityHeaders(options));
    // Fastify reports only an answer that was sent whole or failed.
    reply.raw.once("close", () => {
      const { writableFinished, errored } = reply.raw;
      if (!writableFinished && !errored)
        ended(request, reply, hasClientLeft(request) ? CLIENT_LEFT : CUT_OFF);
    });
    done(request.url.includes("%00") ? refuseNulInUrl() : undefined);
  });
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (request.is404) return done(refuseUnknownPath(request, routes, options.proxyUrl?.()));
    limitSilence(request, reply, options.bodySilenceMs);
    done();
  });
  const ended = (request: FastifyRequest, reply: FastifyReply, status: number): void => {
    logRequest(log, request, { status, durationMs: Math.round(reply.elapsedTime) });
    endRequest(request, status);
  };
  app.addHook("onResponse", (request, reply, done) => {
    ended(request, reply, reply.statusCode);
    done();
  });
  app.register(async (scope) => {
    for (const entry of routes) mountRoute(scope, entry, options);
  });
  if (options.maxConnections !== undefined) limitConnections(app.server, options.maxConnections, log);
  app.setNotFoundHandler((request, reply) =>
    refuseRequest(options, refuseUnknownPath(request, routes, options.proxyUrl?.()), request, reply),
  );
  return app;
}

/** Returns the text of a body. Throws a Problem instead of replacing bytes that are not UTF-8. */
function decodeUtf8(body: Buffer): string {
  if (isUtf8(body)) return body.toString("utf8");
  throw new Problem("malformed-json", { detail: "The body is not UTF-8. Encode it as UTF-8." });
}

/** PostgreSQL stores no NUL, so no name contains one. */
const refuseNulInUrl = (): Problem =>
  new Problem("invalid-request", { detail: "The URL contains a NUL (`%00`). Remove it." });

/** Load balancers and scrapers request these every second, so their successes are logged for debugging only. */
const ROUTINE = new Set(["/healthz", "/readyz", "/metrics"]);

/** Named as by nginx; no answer has them. */
const CLIENT_LEFT = 499;
const CUT_OFF = 444;

/** Returns whether the client ended or reset the connection, rather than this process, which closes silent ones and stops. */
function hasClientLeft({ raw: { socket } }: FastifyRequest): boolean {
  return socket.readableEnded || socket.errored !== null;
}

function logRequest(
  log: Log,
  request: FastifyRequest,
  { status, durationMs }: { status: number; durationMs: number },
): void {
  const isRoutine = ROUTINE.has(request.routeOptions.url ?? "") && status < 400;
  log[isRoutine ? "debug" : "info"](
    {
      ...requestIds(request),
      method: request.method,
      // The pattern, not the URL: names of customers stay out of the log.
      route: request.routeOptions.url ?? "unknown",
      status,
      durationMs,
    },
    "request",
  );
}

/** Installs the JSON parser; other media types are refused with 415 unless a route takes raw bodies. */
function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([\w.-]+\+)?json *(;|$)/i,
    { parseAs: "buffer" },
    (_request, body: Buffer, done) => {
      if (body.length === 0) return done(null, undefined);
      try {
        done(null, parseJson(decodeUtf8(body)));
      } catch (error) {
        done(error as Error, undefined);
      }
    },
  );
}

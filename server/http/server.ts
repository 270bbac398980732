/** The management and data listener: routes in, Problems out, nothing about what the endpoints do. */
import cors from "@fastify/cors";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { elapsedMs } from "../ground/clock.ts";
import type { Support } from "../ground/config.ts";
import { Problem } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
import type { Log } from "../ground/log.ts";
import { wholeSecond } from "../ground/retry-after.ts";
import { routedUrl, routerPattern, type SurfaceHosts } from "./address.ts";
import {
  Page,
  type Audience,
  type Caller,
  type Endpoint,
  type ProjectCall,
  type ProjectRef,
  type Route,
} from "./endpoint.ts";
import { parseJson } from "./json-body.ts";
import { excludes, problemBody, PROBLEM_MEDIA_TYPE, toProblem, type Subsystem } from "./problem.ts";
import { validator } from "./validation.ts";

/** Finds out who asks and whether they may; throws a Problem otherwise. */
export type Authorize = (request: {
  headers: FastifyRequest["headers"];
  audience: Audience;
  /** Of the project that the path or the body names. */
  projectIdOrName?: string;
}) => Promise<{ caller: Caller; project?: ProjectRef }>;

/** What a request asks for, checked against the endpoint's schemas. */
export interface Inputs {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Keeps callers who speak for one customer to that customer's data; throws a Problem when they ask for more. */
export type Confine = (request: { caller: Caller; target: Endpoint; inputs: Inputs }) => Promise<Inputs>;

export interface ServerOptions {
  routes: Route[];
  authorize: Authorize;
  confine: Confine;
  log: Log;
  surfaceHosts: SurfaceHosts;
  /** Where `/docs` is reached from outside, without a trailing slash; known once the listener is up. */
  docsUrl: () => string;
  /** Whom a refusal names to turn to. */
  support?: Support;
  /** Waits until this process has heard of every committed change, so that the next call sees what this one did. */
  caughtUp?: () => Promise<void>;
  /** Is shown every answer of an endpoint just before it leaves: for tests. */
  onAnswer?: OnAnswer;
}

/** An answer as it leaves, and the endpoint it is of. */
export interface SentAnswer {
  requestId: string;
  method: string;
  /** As in the route table. */
  path: string;
  status: number;
  mediaType: string;
  body: string;
}

export type OnAnswer = (answer: SentAnswer) => void;

const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

/** A server that is ready to listen. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { routes, log, surfaceHosts } = options;
  const app = Fastify({
    logger: false,
    genReqId: newId,
    bodyLimit: BODY_LIMIT_BYTES,
    rewriteUrl: (request) => routedUrl(request, surfaceHosts),
    routerOptions: { maxParamLength: 1_000, ignoreTrailingSlash: true },
    // Idle keep-alive connections do not hold up a stop; requests under way do.
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => refuse(options, error, request, reply),
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
    ],
    exposedHeaders: ["X-Request-Id", "Retry-After"],
    maxAge: 600,
    // An OPTIONS request of another kind would be refused in plain text; it is answered like a preflight instead.
    strictPreflight: false,
  });
  acceptJsonOnly(app);
  app.setErrorHandler((error, request, reply) => refuse(options, error, request, reply));
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    startTimes.set(request, elapsedMs());
    if (/%00/.test(request.url)) throw nulInAddress();
  });
  app.addHook("onResponse", async (request, reply) => logRequest(log, request, reply));
  app.register(async (scope) => {
    for (const entry of routes) addRoute(scope, entry, options);
  });
  app.setNotFoundHandler((request, reply) => refuse(options, unknownPath(request, routes), request, reply));
  return app;
}

/** PostgreSQL stores no NUL, so nothing has a name with one. */
const nulInAddress = (): Problem =>
  new Problem("invalid-request", { detail: "The address holds a NUL (`%00`). Remove it." });

const startTimes = new WeakMap<FastifyRequest, number>();

function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const started = startTimes.get(request) ?? elapsedMs();
  log.info(
    {
      requestId: request.id,
      method: request.method,
      // The pattern, not the address: names of customers stay out of the log.
      route: request.routeOptions.url ?? "unknown",
      status: reply.statusCode,
      durationMs: Math.round(elapsedMs() - started),
    },
    "request",
  );
}

/** One parser for JSON that loses nothing; everything else is refused with 415 unless a route takes raw bodies. */
function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([\w.-]+\+)?json/,
    { parseAs: "string" },
    (_request, body, done) => {
      if (body.length === 0) return done(null, undefined);
      try {
        done(null, parseJson(body.toString()));
      } catch (error) {
        done(error as Error, undefined);
      }
    },
  );
}

function addRoute(scope: FastifyInstance, entry: Route, options: ServerOptions): void {
  const target = entry.endpoint;
  if (target.rawBodyLimitBytes === undefined) return void mount(scope, entry, options);
  // A scope of its own, so that raw bodies are taken here and nowhere else.
  scope.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: target.rawBodyLimitBytes },
      (_request, body, done) => done(null, body),
    );
    mount(own, entry, options, target.rawBodyLimitBytes);
  });
}

function mount(
  scope: FastifyInstance,
  entry: Route,
  options: ServerOptions,
  bodyLimit = BODY_LIMIT_BYTES,
): void {
  const { endpoint: target, audience } = entry;
  const parse = inputs(target);
  scope.route({
    method: entry.method,
    url: routerPattern(entry.path),
    bodyLimit,
    ...(options.onAnswer && { onSend: showAnswer(entry, options.onAnswer) }),
    handler: async (request, reply) => {
      const { caller, project } = await options.authorize({
        headers: request.headers,
        audience,
        projectIdOrName: target.inProject ? askedProject(target, request) : undefined,
      });
      const inputs = await options.confine({ caller, target, inputs: parse(request) });
      if (target.inProject && !project) throw missingProject();
      const { headers, ip: remoteAddress, id: requestId } = request;
      const call = { ...inputs, caller, project, headers, remoteAddress, requestId };
      const answer = await target.handle(call as ProjectCall<unknown, unknown, unknown>);
      if (isChange(entry)) await options.caughtUp?.();
      return succeed(target, reply, answer);
    },
  });
}

/** Management calls only: writes of records change nothing that is remembered, and must not wait. */
const isChange = ({ method, path }: Route): boolean => method !== "GET" && path.startsWith("/v1/");

/** Read before the schemas are checked: who may not use a project is not told what else is wrong. */
function askedProject(target: Endpoint, { params, body }: FastifyRequest): string | undefined {
  const named = (target.projectInBody ? body : params) as Record<string, unknown> | null | undefined;
  const asked = named?.["projectIdOrName"] ?? named?.["projectId"];
  return typeof asked === "string" ? asked : undefined;
}

const missingProject = (): Problem => {
  const detail = "is missing: the id or name of the project";
  return new Problem("invalid-request", {
    detail: `projectIdOrName: ${detail}`,
    issues: [{ in: "body", name: "projectIdOrName", detail }],
  });
};

function inputs(target: Endpoint): (request: FastifyRequest) => Inputs {
  const pass = (value: unknown) => value;
  const params = target.params ? validator(target.params, "path") : pass;
  const query = target.query ? validator(target.query, "query") : pass;
  const isRaw = target.rawBodyLimitBytes !== undefined;
  const body = target.body && !isRaw ? validator(target.body, "body") : pass;
  // What a raw body has to be only its endpoint knows, and so what is missing.
  const mayLack = target.bodyOptional || isRaw;
  return (request) => ({
    params: params(request.params),
    query: query(request.query),
    body: mayLack && request.body === undefined ? undefined : body(present(target.body, request.body)),
  });
}

/** A missing body is reported as such rather than as "must be an object". */
function present(schema: TSchema | undefined, body: unknown): unknown {
  if (!schema || body !== undefined) return body;
  throw new Problem("invalid-request", {
    detail: "This endpoint needs a JSON body. Send one with the header `Content-Type: application/json`.",
  });
}

const showAnswer =
  ({ method, path }: Route, show: OnAnswer) =>
  async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> => {
    // Fastify answers HEAD wherever there is a GET.
    if (request.method !== method) return;
    const body = Buffer.isBuffer(payload) || typeof payload === "string" ? payload.toString() : "";
    const mediaType = String(reply.getHeader("content-type") ?? "");
    show({ requestId: request.id, method, path, status: reply.statusCode, mediaType, body });
  };

function succeed(target: Endpoint, reply: FastifyReply, answer: unknown): FastifyReply {
  const { status, schema, media = "application/json" } = target.success;
  if (answer instanceof Page) {
    const type = `${answer.mediaType}; charset=utf-8`;
    return reply.code(answer.status).headers(answer.headers).type(type).send(answer.content);
  }
  reply.code(status);
  if (!schema) return reply.send();
  if (media !== "application/json") return reply.type(`${media}; charset=utf-8`).send(answer);
  return reply.type("application/json").send(Buffer.from(JSON.stringify(answer)));
}

function unknownPath(request: FastifyRequest, routes: Route[]): Problem {
  const path = request.originalUrl.split("?")[0] ?? "/";
  const methods = routes.filter(({ path: pattern }) => matches(pattern, path)).map(({ method }) => method);
  if (methods.length > 0) {
    return new Problem("method-not-allowed", {
      detail: `${path} takes ${methods.join(", ")}, not ${request.method}.`,
      headers: { allow: methods.join(", ") },
    });
  }
  return new Problem("unknown-path", {
    detail: `There is nothing at ${request.method} ${path}. The endpoints are listed at /docs.`,
  });
}

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.*+?^$()[\]\\|]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(
    path,
  );

function refuse(
  options: ServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = toProblem(error);
  // What is not built is nobody's fault to look into.
  if (problem.status >= 500 && problem.slug !== "not-built") {
    const cause = problem.options.cause ?? problem;
    options.log.error(
      { requestId: request.id, err: cause instanceof Error ? cause : { message: String(cause) } },
      problem.message,
    );
  }
  const subsystem = subsystemOf(request.url);
  const { support } = options;
  const body = problemBody(problem, {
    requestId: request.id,
    subsystem,
    docsUrl: options.docsUrl(),
    support,
  });
  // The published write SDK cannot decode problem+json and says so in its Accept header; management clients that
  // say the same do decode it, so only the write surface listens.
  const plain = subsystem === "write" && excludes(request.headers.accept, PROBLEM_MEDIA_TYPE);
  return (
    reply
      .code(problem.status)
      .headers({ "x-request-id": request.id, ...retryHeader(problem), ...problem.options.headers })
      .type(plain ? "application/json" : PROBLEM_MEDIA_TYPE)
      // As bytes: for a string the framework would add a charset, and some clients compare the whole media type.
      .send(Buffer.from(JSON.stringify(body)))
  );
}

const retryHeader = (problem: Problem): Record<string, string> =>
  problem.options.retryAfter ? { "retry-after": wholeSecond(problem.options.retryAfter).toUTCString() } : {};

function subsystemOf(url: string): Subsystem {
  const first = url.split("/")[1];
  return first === "write" || first === "read" || first === "search" ? first : "api";
}

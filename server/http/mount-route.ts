/** Mounts one route: checks access and input, calls the endpoint, sends its answer. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type, type TObject, type TSchema } from "typebox";
import { addWorkIds } from "../../ground/current-work.ts";
import { Problem } from "../../ground/errors.ts";
import { toRouterPattern } from "./address.ts";
import { Page, type Endpoint, type ProjectCall, type Route } from "./endpoint.ts";
import { readLimited } from "./read-limited.ts";
import { findLeastRole, requireChanging, requireRole, findRequiredRole } from "./require-role.ts";
import { beginRequest, runInRequest } from "./request-work.ts";
import type { Authorize, Inputs, OnAnswer, ServerOptions } from "./server-options.ts";
import { createValidator } from "./validation.ts";
import { hash } from "node:crypto";

export const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

/** For endpoints that anybody may call. */
const PUBLIC_BODY_LIMIT_BYTES = 64 * 1024;

const NO_QUERY = Type.Object({});

/** Adds a route to the server; one that takes raw bodies gets a scope of its own, so that others refuse them. */
export function mountRoute(scope: FastifyInstance, entry: Route, options: ServerOptions): void {
  const { rawBodyLimitBytes: limit, streamsBody } = entry.endpoint;
  const usualLimit = entry.audience === "public" ? PUBLIC_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES;
  if (limit === undefined) return mount(scope, entry, options, usualLimit);
  scope.register(async (own) => {
    own.removeAllContentTypeParsers();
    if (streamsBody) {
      own.addContentTypeParser("*", (_request, body, done) => done(null, readLimited(body, limit)));
    } else {
      own.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: limit }, (_request, body, done) =>
        done(null, body),
      );
    }
    mount(own, entry, options, limit);
  });
}

function mount(scope: FastifyInstance, entry: Route, options: ServerOptions, bodyLimit: number): void {
  const { endpoint: target } = entry;
  const readInputs = createInputReader(entry);
  scope.route({
    method: entry.method,
    url: toRouterPattern(entry.path),
    bodyLimit,
    ...(options.onAnswer && { onSend: reportAnswer(entry, options.onAnswer) }),
    // Before the body is read: requests without a valid credential must cost nothing more than their headers.
    onRequest: async (request, reply) => {
      beginRequest(options.tracer, entry, await admitCaller(entry, options, request), request, reply);
    },
    handler: (request, reply) =>
      runInRequest(request, async () => {
        const admitted = target.projectInBody ? undefined : request.known;
        const { caller, project } = admitted ?? (await authorize(entry, options, request));
        if (target.projectInBody) addWorkIds({ projectId: project?.id });
        const inputs = await options.confine({ caller, target, inputs: readInputs(request) });
        requireRole(caller, findRequiredRole(entry, inputs));
        if (target.inProject && !project) throw refuseUnscoped();
        const { headers, originalUrl: url, id: requestId } = request;
        const remoteAddress = readClientAddress(options, request);
        const call = { ...inputs, caller, project, headers, url, remoteAddress, requestId };
        const handle = () => target.handle(call as ProjectCall<unknown, unknown, unknown>);
        const answer = await (options.audit ? options.audit(entry, call, handle) : handle());
        if (isChange(entry)) await options.caughtUp?.();
        return sendAnswer(target, request, reply, answer);
      }),
  });
}

const readClientAddress = ({ clientAddress }: ServerOptions, { raw, ip }: FastifyRequest): string =>
  clientAddress?.(raw) ?? ip;

type Admitted = Awaited<ReturnType<Authorize>>;

/** Identifies the caller by the headers, and the project where the path names it. Throws a Problem. */
async function admitCaller(entry: Route, options: ServerOptions, request: FastifyRequest): Promise<Admitted> {
  const admitted = await authorize(entry, options, request, () => readClientAddress(options, request));
  const { headers } = request;
  await entry.endpoint.admit?.({ params: request.params as Record<string, never>, headers });
  return admitted;
}

/** Throws a Problem also for callers whose role is too low, before they learn anything about the inputs. */
async function authorize(
  entry: Route,
  options: ServerOptions,
  request: FastifyRequest,
  address?: () => string,
): Promise<Admitted> {
  const { audience, endpoint: target } = entry;
  const admitted = await options.authorize({
    headers: request.headers,
    audience,
    recognizesProject: target.recognizesProject,
    projectIdOrName: target.inProject ? findNamedProject(target, request) : undefined,
    orgId: findLeastRole(entry) && (request.params as { orgId?: string }).orgId,
    address,
  });
  request.known = { ...admitted, entry };
  if (admitted.refusal) throw admitted.refusal;
  requireRole(admitted.caller, findLeastRole(entry));
  requireChanging(admitted.caller, entry);
  return admitted;
}

/** Management calls only: writes of records change nothing that is cached, and must not wait. */
const isChange = ({ method, path }: Route): boolean => method !== "GET" && path.startsWith("/v1/");

/** Returns the project before schemas are checked: callers without access to it learn nothing else. */
function findNamedProject(target: Endpoint, { params, body }: FastifyRequest): string | undefined {
  const named = (target.projectInBody ? body : params) as Record<string, unknown> | null | undefined;
  const project = named?.["projectIdOrName"] ?? named?.["projectId"];
  return typeof project === "string" ? project : undefined;
}

const refuseUnscoped = (): Problem => {
  const detail = "is missing: the id or name of the project";
  return new Problem("invalid-request", {
    detail: `projectIdOrName: ${detail}`,
    issues: [{ in: "body", name: "projectIdOrName", detail }],
  });
};

/**
 * Returns a function that checks path, query and body against the schemas. Throws `invalid-request`. Unknown names are
 * refused, except in the query of public endpoints, to which providers, browsers and probes add their own.
 */
function createInputReader({ endpoint: target, audience }: Route): (request: FastifyRequest) => Inputs {
  const pass = (value: unknown) => value;
  const names = {
    query: Object.keys(target.query?.properties ?? {}),
    body: Object.keys((target.body as TObject | undefined)?.properties ?? {}),
    header: Object.keys(target.headers ?? {}),
  };
  const params = target.params ? createValidator(target.params, "path") : pass;
  const isClosed = audience !== "public";
  const query = createValidator(target.query ?? NO_QUERY, "query", isClosed ? names : undefined);
  const isRaw = target.rawBodyLimitBytes !== undefined;
  const body = target.body && !isRaw ? createValidator(target.body, "body", names) : pass;
  // Only the endpoint knows what a raw body must contain, and so whether one is missing.
  const mayLack = target.bodyOptional || isRaw;
  return (request) => ({
    params: params(request.params),
    query: query(request.query),
    body: mayLack && request.body === undefined ? undefined : body(requireBody(target.body, request.body)),
  });
}

/** Reports a missing body as such rather than as "must be an object". */
function requireBody(schema: TSchema | undefined, body: unknown): unknown {
  if (!schema || body !== undefined) return body;
  throw new Problem("invalid-request", {
    detail: "This endpoint needs a JSON body. Send one with the header `Content-Type: application/json`.",
  });
}

const reportAnswer =
  ({ method, path }: Route, report: OnAnswer) =>
  async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> => {
    // Fastify answers HEAD for every GET.
    if (request.method !== method) return;
    const body = Buffer.isBuffer(payload) || typeof payload === "string" ? payload.toString() : "";
    const mediaType = String(reply.getHeader("content-type") ?? "");
    report({ requestId: request.id, method, path, status: reply.statusCode, mediaType, body });
  };

function sendAnswer(
  target: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
): FastifyReply {
  const { status, schema, media = "application/json" } = target.success;
  if (answer instanceof Page) {
    if (answer.status === 204) return reply.code(204).headers(answer.headers).send();
    const type = `${answer.mediaType}; charset=utf-8`;
    return reply.code(answer.status).headers(answer.headers).type(type).send(answer.content);
  }
  reply.code(status);
  if (!schema) return reply.send();
  if (media !== "application/json") return reply.type(`${media}; charset=utf-8`).send(answer);
  const body = JSON.stringify(answer);
  if (target.hasEntityTag) {
    const tag = computeEntityTag(body);
    reply.headers({ etag: tag, "cache-control": "private, no-cache" });
    if (matchesTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
  }
  // Bytes, since Fastify would add a charset for a text.
  return reply.type("application/json").send(Buffer.from(body));
}

/** Returns the strong entity tag of a body. */
const computeEntityTag = (body: string): string => `"${hash("sha256", body, "base64url").slice(0, 22)}"`;

/** Returns whether the header `If-None-Match` names the tag: RFC 9110 section 13.1.2, by weak comparison. */
const matchesTag = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" || header.split(",").some((one) => one.trim().replace(/^W\//, "") === tag));

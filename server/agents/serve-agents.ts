/** Serves an agent endpoint for each customer beside the API: the Model Context Protocol over HTTP, without sessions. */
import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { CLIENT_INFO_META_KEY, type McpHttpHandler } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ClientAddress } from "../../ground/client-address.ts";
import { Problem } from "../../ground/errors.ts";
import { currentWork } from "../../ground/current-work.ts";
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import { startWork } from "../../ground/span.ts";
import { readTraceparent } from "../../ground/trace-context.ts";
import type { Tracer } from "../../ground/tracer.ts";
import { findProject } from "../store/projects.ts";
import { parseJson } from "../http/json-body.ts";
import { beginRequest, inRequest } from "../http/request-work.ts";
import { requireOwnHost } from "./agent-host.ts";
import type { AgentSession } from "./agent-session.ts";
import { RIGHTS, type DefinedTool } from "./agent-tool.ts";
import { identifyAgent, insufficientScope, type AgentAccess } from "./identify-agent.ts";
import { loadPolicy } from "./policy.ts";
import { mayCall } from "./tool-server.ts";

export interface AgentServing extends AgentAccess {
  tracer?: Tracer | undefined;
  publicUrl: () => string;
  docsUrl: () => string;
  clientAddress: ClientAddress;
  /** Answers the messages of those who were let in. */
  handler: McpHttpHandler;
  tools: readonly Pick<DefinedTool<never>, "name" | "rights">[];
}

const PATH = "/mcp/v1/projects/:projectIdOrName/groups/:groupRef";
const METADATA = "/.well-known/oauth-protected-resource";

/** The arguments of a tool are one record at most. */
const BODY_LIMIT_BYTES = 1024 * 1024;

interface Params {
  projectIdOrName: string;
  groupRef: string;
}

type AgentCall = FastifyRequest<{ Params: Params }>;

/** Not part of the API or its OpenAPI document. */
export function serveAgents(app: FastifyInstance, deps: AgentServing): void {
  const sessions = new WeakMap<FastifyRequest, AgentSession>();
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const parsing = { parseAs: "buffer", bodyLimit: BODY_LIMIT_BYTES } as const;
    scope.addContentTypeParser("*", parsing, (_request, body, done) => done(null, body));
    scope.post<{ Params: Params }>(PATH, {
      bodyLimit: BODY_LIMIT_BYTES,
      // Before the body is read: requests without a valid credential must cost nothing more than their headers.
      onRequest: async (request, reply) => {
        const session = await admit(deps, request);
        sessions.set(request, session);
        beginRequest(deps.tracer, ROUTE, session, request, reply);
      },
      handler: (request, reply) =>
        inRequest(request, () => answer(deps, request, reply, sessions.get(request))),
    });
    scope.route({ method: ["GET", "PUT", "PATCH", "DELETE"], url: PATH, handler: refuseMethod });
    scope.get<{ Params: Params }>(`${METADATA}${PATH}`, async (request, reply) =>
      reply.type("application/json").send(await resourceMetadata(deps, request)),
    );
  });
  app.addHook("preClose", () => deps.handler.close());
}

/** As its spans name it. */
const ROUTE = { method: "POST", path: PATH.replaceAll(/:(\w+)/g, "{$1}"), audience: "read" } as const;

async function admit(deps: AgentServing, request: AgentCall): Promise<AgentSession> {
  requireOwnHost(request.headers, deps.publicUrl());
  refuseQuery(request.originalUrl);
  return identifyAgent(deps, {
    headers: request.headers,
    ...request.params,
    requestId: request.id,
    address: () => deps.clientAddress(request.raw),
    metadataUrl: metadataUrl(deps, request),
  });
}

/** A credential in an address ends up in logs and histories (RFC 6750, section 2.3). */
function refuseQuery(url: string): void {
  if (!url.includes("?")) return;
  throw new Problem("invalid-request", {
    detail:
      "This endpoint takes no query. Send the credential in the header `Authorization: Bearer`, and replace it if it was in an address.",
  });
}

const pathIn = ({ originalUrl }: FastifyRequest): string => originalUrl.split("?")[0] ?? "";

const metadataUrl = ({ publicUrl }: AgentServing, request: AgentCall): string =>
  `${publicUrl()}${METADATA}${pathIn(request)}`;

const refuseMethod = async ({ method }: FastifyRequest): Promise<never> => {
  throw new Problem("method-not-allowed", {
    detail: `Send messages with POST, not ${method}. There are no sessions and no streams to open here.`,
    headers: { allow: "POST" },
  });
};

/** Says how to get in (RFC 9728): the same for every group, whether it exists or not. */
async function resourceMetadata(deps: AgentServing, request: AgentCall): Promise<object> {
  const { projectIdOrName } = request.params;
  const project = await findProject(deps.database.queries, projectIdOrName.toLowerCase());
  const servers = project ? (await loadPolicy(deps.database, project.id)).authorizationServers : [];
  return {
    resource: `${deps.publicUrl()}${pathIn(request).slice(METADATA.length)}`,
    resource_name: "Busbar: a customer's accounts for agents",
    ...(servers.length > 0 && { authorization_servers: servers }),
    scopes_supported: [...RIGHTS],
    bearer_methods_supported: ["header"],
    resource_documentation: deps.docsUrl(),
  };
}

async function answer(
  deps: AgentServing,
  request: AgentCall,
  reply: FastifyReply,
  session: AgentSession | undefined,
): Promise<FastifyReply> {
  if (!session) throw new Error("a request that was not let in");
  const message = messageIn(request);
  requireRight(deps, request, session, message);
  const left = new AbortController();
  reply.raw.once("close", () => left.abort());
  const asked = new Request(`${deps.publicUrl()}${pathIn(request)}`, {
    method: "POST",
    headers: protocolHeaders(request),
    signal: left.signal,
  });
  const authInfo = {
    token: "",
    clientId: session.principal.id,
    scopes: [...session.rights],
    extra: { session },
  };
  const meta = readMeta(message);
  session.client = nameClient(meta[CLIENT_INFO_META_KEY]);
  const answered = await inOwnTrace(deps, request, meta, () =>
    deps.handler.fetch(asked, { authInfo, parsedBody: message }),
  );
  reply
    .code(answered.status)
    .headers(Object.fromEntries(answered.headers))
    .header("cache-control", "no-store");
  if (!answered.body) return reply.send();
  // The same stream; Node and the web declare it each on their own.
  if (isStream(answered)) return reply.send(Readable.fromWeb(answered.body as ReadableStream));
  return reply.send(Buffer.from(await answered.arrayBuffer()));
}

/** What a message of revision 2026-07-28 says about itself. */
function readMeta(message: unknown): JsonObject {
  const params = isJsonObject(message) ? message["params"] : undefined;
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  return isJsonObject(meta) ? meta : {};
}

const LONGEST_CLIENT = 100;

/** A claim of the program, shown as such. */
function nameClient(info: unknown): string | undefined {
  if (!isJsonObject(info) || typeof info["name"] !== "string") return undefined;
  const { name, version } = info;
  return `${name}${typeof version === "string" ? ` ${version}` : ""}`.slice(0, LONGEST_CLIENT);
}

/** Goes on with the trace that the message names, unless the request itself names one. */
function inOwnTrace<Result>(
  { tracer }: AgentServing,
  request: AgentCall,
  meta: JsonObject,
  run: () => Promise<Result>,
): Promise<Result> {
  const context = typeof meta["traceparent"] === "string" ? readTraceparent(meta["traceparent"]) : undefined;
  if (!context || request.headers["traceparent"] !== undefined) return run();
  const { requestId, projectId } = currentWork()?.ids ?? {};
  return startWork(
    { tracer, caller: context, ids: { requestId, projectId }, name: "agent message", kind: "server" },
    run,
  );
}

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") ?? false;

const PROTOCOL_HEADERS = ["content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name"];

/** Credentials stay here. */
function protocolHeaders({ headers }: FastifyRequest): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of PROTOCOL_HEADERS) {
    const value = headers[name];
    if (typeof value === "string") given[name] = value;
  }
  return given;
}

/** Returns the message of a body. Throws a Problem for what is no JSON, or several messages. */
function messageIn({ body }: FastifyRequest): unknown {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new Problem("invalid-request", {
      detail: "Send one message of the Model Context Protocol as JSON.",
    });
  }
  if (!isUtf8(body))
    throw new Problem("malformed-json", { detail: "The body is not UTF-8. Encode it as UTF-8." });
  const message = parseJson(body.toString("utf8"));
  if (!Array.isArray(message)) return message;
  throw new Problem("invalid-request", {
    detail:
      "The body holds several messages, which the protocol no longer allows. Send each in a request of its own.",
  });
}

/** The step-up of OAuth is an HTTP answer, so it comes before the protocol's. */
function requireRight(deps: AgentServing, request: AgentCall, session: AgentSession, message: unknown): void {
  const named = isJsonObject(message) && message["method"] === "tools/call" && message["params"];
  const name = isJsonObject(named) ? named["name"] : undefined;
  const tool = deps.tools.find((one) => one.name === name);
  if (!tool || mayCall(session, tool)) return;
  throw insufficientScope(
    { metadataUrl: metadataUrl(deps, request) },
    tool.rights,
    `The tool \`${tool.name}\``,
  );
}

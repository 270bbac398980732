/** Serves an endpoint of agents beside the API: the Model Context Protocol over HTTP, without sessions. */
import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ClientAddress } from "../../ground/client-address.ts";
import { Problem } from "../../ground/errors.ts";
import { findCurrentWork } from "../../ground/current-work.ts";
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import { startWork } from "../../ground/span.ts";
import { readTraceparent } from "../../ground/trace-context.ts";
import type { Tracer } from "../../ground/tracer.ts";
import { parseJson } from "../http/json-body.ts";
import { beginRequest, runInRequest } from "../http/request-work.ts";
import { requireOwnHost } from "./agent-host.ts";
import type { AgentSession } from "./agent-session.ts";
import type { AuditAgentCall } from "./audit-agent-calls.ts";
import type { DefinedTool, Right } from "./agent-tool.ts";
import { refuseScope, type AgentRequest } from "./identify-agent.ts";
import { mayCall, type ToolServer } from "./tool-server.ts";

export interface AgentServing {
  tracer?: Tracer | undefined;
  publicUrl: () => string;
  docsUrl: () => string;
  clientAddress: ClientAddress;
}

/** One kind of endpoint. */
interface AgentEndpoint {
  /** Below the server's address, for example `/mcp/v1/projects/:projectIdOrName/manage`. */
  path: string;
  /** For people, in the metadata. */
  title: string;
  /** What a credential may have to get in. */
  scopes: readonly Right[];
  /** Throws 401, 403 and 404 Problems. */
  identify(request: AgentRequest): Promise<AgentSession>;
  /** Issuers whose tokens get in. */
  listIssuers?(projectIdOrName: string): Promise<string[]>;
  /** Answers the messages of those who were let in. */
  handler: ToolServer;
  tools: readonly Pick<DefinedTool<never>, "name" | "rights">[];
  /** Audits a call that is refused before a tool runs. */
  audit?: AuditAgentCall;
}

type Serving = AgentServing & { endpoint: AgentEndpoint };

const METADATA = "/.well-known/oauth-protected-resource";

/** The arguments of a tool are one record at most. */
const BODY_LIMIT_BYTES = 1024 * 1024;

interface Params {
  projectIdOrName: string;
  /** Set at a customer's endpoint. */
  groupRef?: string;
}

type AgentCall = FastifyRequest<{ Params: Params }>;

/** Serves the agent endpoints, which are not part of the API or its OpenAPI document. */
export function serveAgents(app: FastifyInstance, serving: AgentServing, endpoint: AgentEndpoint): void {
  const { path, handler } = endpoint;
  const deps = { ...serving, endpoint };
  /** The route as named in spans. */
  const route = { method: "POST", path: path.replaceAll(/:(\w+)/g, "{$1}"), audience: "read" } as const;
  const sessions = new WeakMap<FastifyRequest, AgentSession>();
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const parsing = { parseAs: "buffer", bodyLimit: BODY_LIMIT_BYTES } as const;
    scope.addContentTypeParser("*", parsing, (_request, body, done) => done(null, body));
    scope.post<{ Params: Params }>(path, {
      bodyLimit: BODY_LIMIT_BYTES,
      // Before the body is read: requests without a valid credential must cost nothing more than their headers.
      onRequest: async (request, reply) => {
        const session = await admitAgent(deps, request);
        sessions.set(request, session);
        beginRequest(deps.tracer, route, session, request, reply);
      },
      handler: (request, reply) =>
        runInRequest(request, () => answer(deps, request, reply, sessions.get(request))),
    });
    scope.route({ method: ["GET", "PUT", "PATCH", "DELETE"], url: path, handler: refuseMethod });
    scope.get<{ Params: Params }>(`${METADATA}${path}`, async (request, reply) =>
      reply.type("application/json").send(await describeResource(deps, request)),
    );
  });
  // Not before the calls in progress are answered: it cuts them off. Streams that stay open are not served.
  app.addHook("onClose", () => handler.close());
}

async function admitAgent(deps: Serving, request: AgentCall): Promise<AgentSession> {
  requireOwnHost(request.headers, deps.publicUrl());
  refuseQuery(request.originalUrl);
  const { projectIdOrName, groupRef = "" } = request.params;
  return deps.endpoint.identify({
    headers: request.headers,
    projectIdOrName,
    groupRef,
    requestId: request.id,
    address: () => deps.clientAddress(request.raw),
    resource: `${deps.publicUrl()}${getPath(request)}`,
    metadataUrl: buildMetadataUrl(deps, request),
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

const getPath = ({ originalUrl }: FastifyRequest): string => originalUrl.split("?")[0] ?? "";

const buildMetadataUrl = ({ publicUrl }: AgentServing, request: AgentCall): string =>
  `${publicUrl()}${METADATA}${getPath(request)}`;

const refuseMethod = async ({ method }: FastifyRequest): Promise<never> => {
  throw new Problem("method-not-allowed", {
    detail: `Send messages with POST, not ${method}. There are no sessions and no streams to open here.`,
    headers: { allow: "POST" },
  });
};

/** Says how to get in (RFC 9728): the same for every customer, whether it exists or not. */
async function describeResource(deps: Serving, request: AgentCall): Promise<object> {
  const { endpoint } = deps;
  const servers = (await endpoint.listIssuers?.(request.params.projectIdOrName)) ?? [];
  return {
    resource: `${deps.publicUrl()}${getPath(request).slice(METADATA.length)}`,
    resource_name: endpoint.title,
    ...(servers.length > 0 && { authorization_servers: servers }),
    scopes_supported: [...endpoint.scopes],
    bearer_methods_supported: ["header"],
    resource_documentation: deps.docsUrl(),
  };
}

async function answer(
  deps: Serving,
  request: AgentCall,
  reply: FastifyReply,
  session: AgentSession | undefined,
): Promise<FastifyReply> {
  if (!session) throw new Error("a request that was not let in");
  const message = readMessage(request);
  const meta = readMeta(message);
  session.client = nameClient(meta[CLIENT_INFO]);
  await requireRight(deps, request, session, message);
  const left = new AbortController();
  // Ends the exchange, not the act: a tool that was called runs to its end, and a repeated call gets its result. Also closed after a
  // whole answer: then nothing is left, and an abort makes an error with its stack.
  reply.raw.once("close", () => reply.raw.writableFinished || left.abort());
  const asked = new Request(`${deps.publicUrl()}${getPath(request)}`, {
    method: "POST",
    headers: pickProtocolHeaders(request),
    signal: left.signal,
  });
  const authInfo = {
    token: "",
    clientId: session.principal.id,
    scopes: [...session.rights],
    extra: { session },
  };
  const answered = await runInOwnTrace(deps, request, meta, () =>
    deps.endpoint.handler.fetch(asked, { authInfo, parsedBody: message }),
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

/** Written here, because the library is not loaded before the first message is let in. */
const CLIENT_INFO: typeof CLIENT_INFO_META_KEY = "io.modelcontextprotocol/clientInfo";

/** Returns what a message of revision 2026-07-28 says about itself. */
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

/** Continues the trace that the message names, unless the request itself names one. */
function runInOwnTrace<Result>(
  { tracer }: AgentServing,
  request: AgentCall,
  meta: JsonObject,
  run: () => Promise<Result>,
): Promise<Result> {
  const context = typeof meta["traceparent"] === "string" ? readTraceparent(meta["traceparent"]) : undefined;
  if (!context || request.headers["traceparent"] !== undefined) return run();
  const { requestId, projectId } = findCurrentWork()?.ids ?? {};
  return startWork(
    { tracer, caller: context, ids: { requestId, projectId }, name: "agent message", kind: "server" },
    run,
  );
}

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") ?? false;

const PROTOCOL_HEADERS = ["content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name"];

/** Credentials stay here. */
function pickProtocolHeaders({ headers }: FastifyRequest): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of PROTOCOL_HEADERS) {
    const value = headers[name];
    if (typeof value === "string") given[name] = value;
  }
  return given;
}

/** Returns the message of a body. Throws a Problem for what is no JSON, or several messages. */
function readMessage({ body }: FastifyRequest): unknown {
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
async function requireRight(
  deps: Serving,
  request: AgentCall,
  session: AgentSession,
  message: unknown,
): Promise<void> {
  const named = isJsonObject(message) && message["method"] === "tools/call" && message["params"];
  const name = isJsonObject(named) ? named["name"] : undefined;
  const tool = deps.endpoint.tools.find((one) => one.name === name);
  if (!tool || mayCall(session, tool)) return;
  const refusal = refuseScope(
    { metadataUrl: buildMetadataUrl(deps, request) },
    tool.rights,
    `The tool \`${tool.name}\``,
  );
  const args = isJsonObject(named) ? named["arguments"] : undefined;
  const result = { problem: { status: refusal.status } };
  await deps.endpoint.audit?.(session, { tool: tool.name, args, result });
  throw refusal;
}

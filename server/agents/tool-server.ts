/** Answers messages of the Model Context Protocol: lists the tools that a credential may use, and runs them. */
import type * as protocolLibrary from "@modelcontextprotocol/server";
import type { CallToolResult, McpHttpHandler, ProtocolError, Tool } from "@modelcontextprotocol/server";
import type { SupportContact } from "../../ground/server-settings.ts";
import { suggestName } from "../../ground/closest.ts";
import type { Problem } from "../../ground/errors.ts";
import type { JsonObject } from "../../ground/json.ts";
import type { Log } from "../../ground/log.ts";
import { runInSpan } from "../../ground/span.ts";
import { VERSION } from "../../ground/version.ts";
import { formatProblem, toProblem } from "../http/problem.ts";
import { createValidator } from "../http/validation.ts";
import { AgentSession } from "./agent-session.ts";
import type { AuditAgentCall } from "./audit-agent-calls.ts";
import { describeResult, type DefinedTool } from "./agent-tool.ts";

interface ToolServerOptions<Context> {
  /** In the order in which they are listed. */
  tools: readonly DefinedTool<Context>[];
  /** For the model, about all of them. */
  instructions: string;
  /** Returns what the tools are given. Throws a Problem, which is the result of the call. */
  contextFor(session: AgentSession, tool: DefinedTool<Context>): Promise<Context>;
  audit: AuditAgentCall;
  docsUrl: () => string;
  support?: SupportContact | undefined;
  log: Log;
}

/** A list may change with the policy or the credential's scopes, which a client then notices within a minute. */
const LIST_FRESH_MS = 60_000;

type Protocol = typeof protocolLibrary;

export type ToolServer = Pick<McpHttpHandler, "fetch" | "close">;

/**
 * Opens an MCP server of revision 2026-07-28. Clients of 2025-11-25 and before are served without a session. The protocol's library is
 * loaded with the first message: it takes 9 MB of heap, which each collection goes through, and most processes never serve an agent.
 */
export function openToolServer<Context>(options: ToolServerOptions<Context>): ToolServer {
  const prepared = new Map(options.tools.map((tool) => [tool.name, prepare(tool)]));
  let opened: Promise<McpHttpHandler> | undefined;
  const open = async (): Promise<McpHttpHandler> =>
    openHandler(await import("@modelcontextprotocol/server"), options, prepared);
  return {
    async fetch(request, message) {
      opened ??= open();
      return (await opened).fetch(request, message);
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

function openHandler<Context>(
  protocol: Protocol,
  options: ToolServerOptions<Context>,
  prepared: ReadonlyMap<string, PreparedTool<Context>>,
): McpHttpHandler {
  const { instructions, log } = options;
  return protocol.createMcpHandler(
    ({ authInfo }) => {
      const session = authInfo?.extra?.["session"];
      if (!(session instanceof AgentSession)) throw new Error("a message without a session");
      const server = new protocol.Server(
        { name: "busbar", title: "Busbar", version: VERSION },
        {
          capabilities: { tools: {} },
          instructions,
          cacheHints: { "tools/list": { ttlMs: LIST_FRESH_MS, cacheScope: "private" } },
        },
      );
      const own = [...prepared.values()].filter(({ tool }) => mayCall(session, tool));
      server.setRequestHandler("tools/list", () => ({ tools: own.map(({ listed }) => listed) }));
      server.setRequestHandler("tools/call", ({ params }) => {
        const called = prepared.get(params.name);
        if (!called) throw refuseUnknownTool(protocol, params.name, own);
        return callTool(options, called, session, params.arguments ?? {});
      });
      return server;
    },
    { onerror: (err) => log.debug({ err }, "a message of an agent was refused") },
  );
}

export const mayCall = (session: AgentSession, { rights }: Pick<DefinedTool<never>, "rights">): boolean =>
  rights.some((right) => session.rights.has(right));

interface PreparedTool<Context> {
  tool: DefinedTool<Context>;
  listed: Tool;
  check: (args: unknown) => unknown;
}

function prepare<Context>(tool: DefinedTool<Context>): PreparedTool<Context> {
  const { name, title, description, input, annotations } = tool;
  const members = Object.keys(input.properties);
  return {
    tool,
    listed: {
      name,
      title,
      description,
      // The schemas of TypeBox are JSON Schema; sent without the library's symbols.
      inputSchema: {
        ...(JSON.parse(JSON.stringify(input)) as JsonObject),
        type: "object",
        additionalProperties: false,
      },
      outputSchema: { ...describeResult(tool), type: "object" },
      annotations: { title, ...annotations },
    },
    check: createValidator(input, "body", { query: [], body: members, header: [] }),
  };
}

const refuseUnknownTool = (
  protocol: Protocol,
  name: string,
  own: readonly { tool: { name: string } }[],
): ProtocolError =>
  new protocol.ProtocolError(
    protocol.ProtocolErrorCode.InvalidParams,
    `There is no tool "${name.slice(0, 100)}". ${suggestName(
      name,
      own.map(({ tool }) => tool.name),
      "tools/list lists those that this credential may use.",
    )}`,
  );

async function callTool<Context>(
  options: ToolServerOptions<Context>,
  { tool, check }: PreparedTool<Context>,
  session: AgentSession,
  args: unknown,
): Promise<CallToolResult> {
  const result = await runTool(options, { tool, check }, session, args);
  try {
    await options.audit(session, { tool: tool.name, args, result });
    return toResult(result);
  } catch (error) {
    return toResult(toRefusal(options, session, tool, error));
  }
}

async function runTool<Context>(
  options: ToolServerOptions<Context>,
  { tool, check }: Pick<PreparedTool<Context>, "tool" | "check">,
  session: AgentSession,
  args: unknown,
): Promise<JsonObject> {
  // Named as OpenTelemetry's conventions for the protocol name it.
  const span = { name: `tools/call ${tool.name}`, kind: "internal" } as const;
  try {
    return await runInSpan(span, async () => {
      const checked = check(args);
      return tool.run(await options.contextFor(session, tool), checked);
    });
  } catch (error) {
    return toRefusal(options, session, tool, error);
  }
}

/** A result whose `problem` says why it was refused is an error, whatever its `status`. */
const toResult = (structuredContent: JsonObject): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
  ...(structuredContent["problem"] !== undefined && { isError: true }),
});

function toRefusal(
  options: Pick<ToolServerOptions<never>, "docsUrl" | "support" | "log">,
  { requestId }: AgentSession,
  tool: Pick<DefinedTool<never>, "annotations" | "refusedAs">,
  error: unknown,
): JsonObject {
  const problem = toProblem(error, { reads: tool.annotations.readOnlyHint });
  if (problem.status >= 500 && problem.slug !== "not-built") {
    options.log.error({ requestId, err: problem.options.cause ?? problem }, problem.message);
  }
  const status = tool.refusedAs?.(problem);
  return { ...(status !== undefined && { status }), problem: toProblemBody(problem, options, requestId) };
}

/** Returns the body of a Problem as a tool's result has it. */
const toProblemBody = (
  problem: Problem,
  { docsUrl, support }: Pick<ToolServerOptions<never>, "docsUrl" | "support">,
  requestId: string,
): JsonObject =>
  // Without members that are undefined.
  JSON.parse(
    JSON.stringify(
      formatProblem(problem, {
        requestId,
        subsystem: "api",
        docsUrl: docsUrl(),
        ...(support && { support }),
      }),
    ),
  ) as JsonObject;

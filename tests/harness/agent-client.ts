/** Calls a customer's agent endpoint: with the published client of the protocol, and with plain requests. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Answer } from "./busbar.ts";

export interface AgentClient {
  client: Client;
  /** Returns the names of the listed tools. */
  tools(): Promise<string[]>;
  /** Calls a tool; `isError` tells a refusal, whose Problem is `content.problem`. */
  call(tool: string, args?: Record<string, unknown>): Promise<{ isError: boolean; content: Answer["body"] }>;
  close(): Promise<void>;
}

export const PROTOCOL = "2026-07-28";

/** A Busbar of a test, in this process or another. */
interface AgentServer {
  apiKey: string;
  server: { urls: { base: string } };
}

export const buildAgentUrl = (busbar: AgentServer, { project = "default", groupRef = "acme" } = {}): string =>
  `${new URL(busbar.server.urls.base).origin}/mcp/v1/projects/${project}/groups/${encodeURIComponent(groupRef)}`;

export const manageUrl = (busbar: AgentServer, project = "default"): string =>
  `${new URL(busbar.server.urls.base).origin}/mcp/v1/projects/${project}/manage`;

/** Connects with a credential: the API key of the harness unless given. */
export async function openAgent(
  busbar: AgentServer,
  options: {
    groupRef?: string;
    /** Default: that of the customer. */
    url?: string;
    credential?: string;
    revision?: "2026-07-28" | "2025-11-25";
  } = {},
): Promise<AgentClient> {
  const { groupRef, credential = busbar.apiKey, revision = PROTOCOL } = options;
  const client = new Client(
    { name: "test-agent", version: "1.0.0" },
    { versionNegotiation: { mode: revision === PROTOCOL ? { pin: PROTOCOL } : "legacy" } },
  );
  const url = new URL(options.url ?? buildAgentUrl(busbar, groupRef === undefined ? {} : { groupRef }));
  const requestInit = { headers: { authorization: `Bearer ${credential}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(tool, args = {}) {
      const { isError = false, structuredContent } = await client.callTool({ name: tool, arguments: args });
      return { isError, content: structuredContent };
    },
    close: () => client.close(),
  };
}

/** Sends one message of revision 2026-07-28 as it is on the wire. `changes` are merged over a valid request. */
export async function sendMessage(
  busbar: AgentServer,
  method: string,
  params: Record<string, unknown> = {},
  changes: {
    url?: string;
    headers?: Record<string, string | undefined>;
    body?: string | Buffer;
    method?: string;
  } = {},
): Promise<{ status: number; headers: Headers; text: string; body: Answer["body"] }> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": PROTOCOL,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } };
  const given: Record<string, string | undefined> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${busbar.apiKey}`,
    "mcp-protocol-version": PROTOCOL,
    "mcp-method": method,
    "mcp-name": typeof params["name"] === "string" ? params["name"] : undefined,
    ...changes.headers,
  };
  const headers = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const verb = changes.method ?? "POST";
  const answer = await fetch(changes.url ?? buildAgentUrl(busbar), {
    method: verb,
    headers,
    ...(verb !== "GET" && { body: changes.body ?? JSON.stringify(message) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

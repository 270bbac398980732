/** `busbar agents`: what agents may do, what waits for a decision, and their tools, tried as an agent would. */
import type { Command } from "commander";
import { Ended, Failure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import {
  isObject,
  listObjectsAt,
  requireObject,
  getTextAt,
  getValueAt,
  type JsonObject,
} from "../http/json.ts";
import type { Columns } from "../output/column.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { printRecord } from "../output/print-record.ts";
import { readJsonArgument } from "../read-argument.ts";
import { id, listPages, status, text, time, type Filters } from "../resources/resource.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addFilters } from "./resource-options.ts";

const APPROVALS: Columns = {
  ID: id("id"),
  STATUS: status("status"),
  TOOL: text("tool"),
  GROUP: text("groupRef"),
  OBJECT: text("object"),
  RECORD: id("recordId"),
  ASKED: time("createTime"),
  EXPIRES: time("expireTime"),
};

export function addAgents(program: Command, terminal: Terminal): void {
  const agents = program
    .command("agents")
    .description("what agents may do, what waits for a decision, and the tools that they have");
  addPolicy(agents, terminal);
  addApprovals(agents, terminal);
  addTools(agents, terminal);
}

function addPolicy(agents: Command, terminal: Terminal): void {
  agents
    .command("policy")
    .description("show what agents may do, or replace it")
    .option(
      "--set <json>",
      "the whole policy: JSON, @file, or - for stdin; what it leaves out has its default",
    )
    .action(async ({ set }: { set?: string }, command: Command) => {
      const server = await connect(command, terminal);
      const body = set === undefined ? undefined : await readJsonArgument("--set", set, terminal);
      const policy =
        body === undefined
          ? await server.inProject("GET", "/agent-policy")
          : await server.inProject("PUT", "/agent-policy", { body });
      server.out.data(requireObject(policy));
    });
}

function addApprovals(agents: Command, terminal: Terminal): void {
  const approvals = agents
    .command("approvals [approval]")
    .description("list acts of agents that need or needed a decision, or show one with before and after");
  addFilters(approvals, "group", "status", "object", "limit").action(
    async (named: string | undefined, filters: Filters, command: Command) => {
      const server = await connect(command, terminal);
      if (named !== undefined) {
        return printRecord(
          requireObject(await server.inProject("GET", `/approvals/${encodeStep(named)}`)),
          server.out,
        );
      }
      const { group: groupRef, status: state, object, limit } = filters;
      const query = { groupRef, status: state, object };
      const rows = await listPages(server, "/approvals", { query, ...(limit !== undefined && { limit }) });
      server.out.rows(rows, APPROVALS, "No act of an agent needs a decision.");
    },
  );
  for (const [verb, decision, description] of [
    ["approve", "approve", "let Busbar carry out an act of an agent, once"],
    ["reject", "reject", "refuse an act of an agent"],
  ] as const) {
    agents
      .command(`${verb} <approval>`)
      .description(description)
      .option("--reason <text>", "why; the agent is told")
      .action(async (named: string, { reason }: { reason?: string }, command: Command) => {
        const server = await connect(command, terminal);
        const body: JsonObject = { decision, ...(reason !== undefined && { reason }) };
        const decided = requireObject(
          await server.inProject("POST", `/approvals/${encodeStep(named)}:decide`, { body }),
        );
        if (server.out.json) return server.out.data(decided);
        const what = [
          getTextAt(decided, "tool"),
          getTextAt(decided, "object"),
          getTextAt(decided, "groupRef"),
        ];
        server.out.line(
          `${server.out.paint.green(getTextAt(decided, "status") ?? "")} ${what.flatMap((one) => (one ? [escapeUnsafe(one)] : [])).join(" ")}`,
        );
      });
  }
}

const TOOLS: Columns = {
  TOOL: text("name"),
  "READS ONLY": (row) => (getValueAt(row, "annotations.readOnlyHint") === true ? "yes" : "no"),
  TITLE: text("title"),
};

function addTools(agents: Command, terminal: Terminal): void {
  addGroup(agents.command("tools").description("list the tools that this credential gives an agent")).action(
    async ({ group }: { group?: string }, command: Command) => {
      const server = await connect(command, terminal);
      const { tools } = await ask(server, group, "tools/list", {});
      server.out.rows(listObjectsAt({ tools: tools ?? [] }, "tools"), TOOLS, "This credential has no tools.");
    },
  );
  addGroup(
    agents
      .command("call <tool> [arguments]")
      .description(
        "call a tool as an agent would: its arguments as JSON, @file, or -; exit code 1 if it refuses",
      ),
  ).action(
    async (tool: string, given: string | undefined, { group }: { group?: string }, command: Command) => {
      const server = await connect(command, terminal);
      const args = given === undefined ? {} : await readJsonArgument("[arguments]", given, terminal);
      const result = await ask(server, group, "tools/call", { name: tool, arguments: args });
      server.out.data(result["structuredContent"] ?? result);
      if (result["isError"] === true) throw new Ended();
    },
  );
}

const addGroup = (command: Command): Command =>
  command.option(
    "-g, --group <groupRef>",
    "the customer in whose accounts the tools work (default: the tools of the project itself)",
  );

/** The revision of the Model Context Protocol in which messages are sent. */
const REVISION = "2026-07-28";

/** Sends one message to an endpoint of agents; returns its result. Throws `Failure` for a protocol error. */
async function ask(
  server: Connected,
  group: string | undefined,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const endpoint = group === undefined ? "manage" : `groups/${encodeStep(group)}`;
  const name = getTextAt(params, "name");
  const meta: JsonObject = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": { name: "busbar-cli", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const answer = await server.api(
    "POST",
    `/mcp/v1/projects/${encodeStep(await server.project())}/${endpoint}`,
    {
      headers: {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": REVISION,
        "mcp-method": method,
        ...(name !== undefined && { "mcp-name": name }),
      },
      body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } },
    },
  );
  const { result, error } = requireObject(answer);
  if (isObject(result)) return result;
  throw new Failure(escapeUnsafe(getTextAt(error, "message") ?? "The answer has no result."));
}

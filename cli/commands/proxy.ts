/** `busbar proxy GET /crm/objects/2026-03/contacts`: calls the provider's own API as a customer. */
import { once } from "node:events";
import { METHODS, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import type { Command } from "commander";
import { Ended, Unreachable, UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { toRefused } from "../http/refused.ts";
import { requireText } from "../http/json.ts";
import { readBody, send } from "../http/send.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { readArgument } from "../read-argument.ts";
import { connect, withoutConnecting, type Connected } from "../settings/connect.ts";
import { findProxyOrigin } from "../settings/proxy-origin.ts";
import type { Screen, Terminal } from "../terminal.ts";
import { collect } from "./resource-options.ts";

interface ProxyOptions {
  integration?: string;
  group?: string;
  installation?: string;
  proxyUrl?: string;
  data?: string;
  header?: string[];
  include?: boolean;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MAX_PROBLEM_BYTES = 1024 * 1024;

export function addProxy(program: Command, terminal: Terminal): void {
  program
    .command("proxy <method> <path>")
    .description("call the provider's own API as a customer")
    .option("--integration <name>", "name of the integration")
    .option("-g, --group <groupRef>", "the customer")
    .option("--installation <id>", "instead of integration and customer")
    .option("-d, --data <body>", "the body: text, @file, or - for stdin")
    .option("-H, --header <name: value>", "a header; may be given several times", collect)
    .option("-i, --include", "show status and headers of the answer")
    .option("--proxy-url <address>", "where the proxy listens")
    .addHelpText(
      "after",
      "\nThe provider's answer goes to stdout as it comes. Exit code 1: it has a status of 400 or above, or Busbar refused.\n" +
        "A body is JSON unless a Content-Type says otherwise.",
    )
    .action(async (method: string, path: string, options: ProxyOptions, command: Command) => {
      if (!METHODS.includes(method.toUpperCase())) throw new UsageFailure(`"${method}" is no HTTP method.`);
      if (!path.startsWith("/"))
        throw new UsageFailure("The path begins with a slash, below the provider's base address.");
      const headers = { ...parseOwnHeaders(options.header ?? []) };
      const body = options.data === undefined ? undefined : await readArgument(options.data, terminal);
      if (body && !headers["content-type"]) headers["content-type"] = "application/json";
      const server = await connect(command, terminal);
      const base = await findProxyOrigin(server, options.proxyUrl);
      const answer = await send({
        method: method.toUpperCase(),
        url: new URL(base + path),
        headers: {
          ...headers,
          ...(await buildBusbarHeaders(options, server)),
          ...(body && { "content-length": body.length }),
        },
        ...(body && { body }),
      });
      await printResponse(answer, options.include === true, terminal);
    });
}

/** Ours go over the caller's: they say whose account it is. */
async function buildBusbarHeaders(options: ProxyOptions, deps: Connected): Promise<OutgoingHttpHeaders> {
  const { installation, integration, group } = options;
  if (!installation && !(integration && group)) {
    throw new UsageFailure("Whose account? Give --integration and --group, or --installation.");
  }
  return {
    "x-api-key": deps.target.apiKey,
    "x-amp-proxy-version": "1",
    "x-amp-project-id": await getProjectId(deps),
    ...(installation
      ? { "x-amp-installation-id": installation }
      : { "x-amp-integration-name": integration, "x-amp-group-ref": group }),
  };
}

/** Returns the id that the proxy needs. A key for the proxy only may not look it up. */
async function getProjectId(deps: Connected): Promise<string> {
  const project = await deps.project();
  if (UUID.test(project)) return project;
  const found = await deps.api("GET", `/v1/projects/${encodeStep(project)}`).catch((error: unknown) => {
    throw withoutConnecting(error, "Give --project or BUSBAR_PROJECT its id instead of its name.");
  });
  return requireText(found, "id");
}

function parseOwnHeaders(given: string[]): Record<string, string> {
  const headers: Record<string, string> = { "user-agent": "busbar-cli", accept: "*/*" };
  for (const header of given) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(header) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageFailure(`-H takes "Name: value", not "${header}".`);
    headers[name.toLowerCase()] = value.trim();
  }
  return headers;
}

async function printResponse(answer: IncomingMessage, include: boolean, terminal: Terminal): Promise<void> {
  const status = answer.statusCode ?? 0;
  if (answer.headers["x-amp-error"] === "true") {
    throw toRefused(answer, (await readBody(answer, MAX_PROBLEM_BYTES)).toString());
  }
  if (include) terminal.stdout.write(buildHead(answer, terminal.stdout));
  await copy(answer, terminal.stdout);
  if (status < 400) return;
  terminal.stderr.write(`the provider answered ${status} ${escapeUnsafe(answer.statusMessage ?? "")}\n`);
  throw new Ended();
}

function buildHead(
  { httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage,
  screen: Screen,
): string {
  const show = (text: string) => (screen.isTTY ? escapeUnsafe(text) : text);
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${show(name)}: ${show(rawHeaders[index + 1] ?? "")}`] : [],
  );
  return [`HTTP/${httpVersion} ${statusCode} ${show(statusMessage ?? "")}`, ...pairs, "", ""].join("\n");
}

/** Copies the answer as it arrives, at the reader's pace. Adds a line end on a terminal only. */
async function copy(answer: IncomingMessage, screen: Screen): Promise<void> {
  let last = "\n";
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (chunk.length > 0) last = String.fromCharCode(chunk[chunk.length - 1] ?? 10);
      if (!screen.write(chunk)) await once(screen, "drain");
    }
  } catch (cause) {
    throw new Unreachable("The connection broke before the answer was complete.", { cause });
  }
  if (screen.isTTY && last !== "\n") screen.write("\n");
}

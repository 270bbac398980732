/** `busbar api GET /v1/projects/{project}`: calls any endpoint of the API with the configured key and project. */
import { METHODS } from "node:http";
import type { Command } from "commander";
import { Ended, UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { parseJson, type Json } from "../http/json.ts";
import { readBody, send } from "../http/send.ts";
import { escapeUnsafe, toPrintableLines } from "../output/printable.ts";
import { readArgument } from "../read-argument.ts";
import { readNamedValues } from "../read-named-values.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { collect } from "./resource-options.ts";

interface ApiOptions {
  field?: string[];
  fieldJson?: string[];
  body?: string;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** These methods take fields as query parameters, the others as members of the body. */
const WITHOUT_BODY = ["GET", "HEAD", "DELETE"];

export function addApi(program: Command, terminal: Terminal): void {
  program
    .command("api <method> <path>")
    .description("call any endpoint of the API")
    .option("-f, --field <name=value>", "a field with a text value; may be repeated", collect)
    .option("-F, --field-json <name=json>", "a field with a number, true, a list …", collect)
    .option("--body <json>", "the whole body: JSON, @file, or - for stdin")
    .addHelpText(
      "after",
      "\n{project} in the path is replaced by the project. Fields are members of the body, for GET and DELETE parameters of\n" +
        "the query. The answer goes to stdout and its status to stderr; exit code 1: the status is 400 or above.\n" +
        "<address>/docs describes the endpoints.",
    )
    .action(async (method: string, path: string, options: ApiOptions, command: Command) => {
      const verb = method.toUpperCase();
      if (!METHODS.includes(verb)) throw new UsageFailure(`"${method}" is not an HTTP method.`);
      const { field: texts, fieldJson: jsons } = options;
      const fields = Object.fromEntries(readNamedValues("--field", { texts, jsons }));
      const inQuery = WITHOUT_BODY.includes(verb);
      if (options.body !== undefined && !inQuery && Object.keys(fields).length > 0)
        throw new UsageFailure("Give either --body or fields, not both.");
      const body = await readSentBody(options, inQuery ? {} : fields, terminal);
      const deps = await connect(command, terminal);
      const url = await buildUrl(path, deps);
      if (inQuery) {
        for (const [name, value] of Object.entries(fields))
          url.searchParams.append(name, typeof value === "string" ? value : JSON.stringify(value));
      }
      await call(verb, url, body, deps, terminal);
    });
}

async function call(
  method: string,
  url: URL,
  body: Buffer | undefined,
  { target, out }: Connected,
  terminal: Terminal,
): Promise<void> {
  const answer = await send({
    method,
    url,
    headers: {
      accept: "application/json, application/problem+json",
      "user-agent": "busbar-cli",
      "x-api-key": target.apiKey,
      ...(body && { "content-type": "application/json", "content-length": body.length }),
    },
    ...(body && { body }),
  });
  const content = await readBody(answer, MAX_ANSWER_BYTES);
  const status = answer.statusCode ?? 0;
  // A pipe gets the bytes unchanged, because parsing would round long numbers.
  if (terminal.stdout.isTTY) showOnTerminal(content.toString(), out.line);
  else if (content.length > 0) terminal.stdout.write(Buffer.concat([content, Buffer.from("\n")]));
  const inWords = escapeUnsafe(`${status} ${answer.statusMessage ?? ""}`.trimEnd());
  if (status < 400) return out.note(inWords);
  terminal.stderr.write(`${inWords}\n`);
  throw new Ended();
}

function showOnTerminal(text: string, line: (text: string) => void): void {
  if (text === "") return;
  const value = parseJson(text);
  line(toPrintableLines(value === undefined ? text : JSON.stringify(value, null, 2)));
}

/** Returns the URL of a path at the server. Throws if it leads to another host, because the key is sent along. */
async function buildUrl(path: string, { target, project }: Connected): Promise<URL> {
  const wanted = /\{project(?:IdOrName)?\}/g;
  const filled = wanted.test(path) ? path.replaceAll(wanted, encodeStep(await project())) : path;
  const relative = filled.startsWith("/") ? filled : `/${filled}`;
  const url = URL.canParse(relative, target.origin) ? new URL(relative, target.origin) : undefined;
  if (url?.origin === target.origin) return url;
  throw new UsageFailure(
    `"${path}" is no path of the API; it begins with one slash, for example /v1/projects.`,
  );
}

async function readSentBody(
  { body }: ApiOptions,
  fields: Record<string, Json>,
  terminal: Terminal,
): Promise<Buffer | undefined> {
  if (body !== undefined) return readArgument(body, terminal);
  return Object.keys(fields).length > 0 ? Buffer.from(JSON.stringify(fields)) : undefined;
}

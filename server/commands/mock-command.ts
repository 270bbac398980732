/** `busbar mock`: serves the API's recorded examples, for work on pages before there is a server, customers or data. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { PROJECT_ROOT } from "../../ground/project-root.ts";
import type { Example } from "../http/openapi/openapi-examples.ts";
import { readLimited } from "../http/read-limited.ts";
import { formatProblem, PROBLEM_MEDIA_TYPE } from "../http/problem.ts";
import { PROBLEM_TYPES, type ProblemSlug } from "../../ground/problem-types.ts";
import { createValidator } from "../http/validation.ts";

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** What the mock needs of an operation in `openapi.json`. */
interface Described {
  operationId: string;
  security?: unknown[];
  requestBody?: { required?: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

interface Operation {
  method: string;
  pattern: RegExp;
  status: number;
  needsCredential: boolean;
  /** Whether the successful answer has a body. */
  hasBody: boolean;
  examples: Example[];
  /** Throws a Problem for a body that the API would refuse. */
  check?: (body: unknown) => unknown;
}

/** Starts the mock. Throws like `listen` if the port is in use. */
export async function startMock(at: {
  host?: string | undefined;
  port: number;
}): Promise<{ url: string; operations: number; close(): Promise<void> }> {
  const operations = await readOperations();
  const server = createServer((request, response) => {
    answer(operations, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const { host = "127.0.0.1", port } = at;
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, operations: operations.length, close };
}

async function readOperations(): Promise<Operation[]> {
  const read = async (file: string) => JSON.parse(await readFile(join(PROJECT_ROOT, file), "utf8"));
  const [{ paths, components }, recorded] = await Promise.all([
    read("openapi.json"),
    read("server/api/docs/examples.json") as Promise<Record<string, Example[]>>,
  ]);
  return Object.entries<Record<string, Described>>(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => {
      const { operationId, security, requestBody, responses } = described;
      const statuses = Object.keys(responses).filter((each) => /^[23]/.test(each));
      // Where both are described, 200 is the answer of a dry run.
      const status = statuses.find((each) => each === "201") ?? statuses[0] ?? "200";
      const json = requestBody?.content["application/json"];
      return {
        method: method.toUpperCase(),
        pattern: buildPathPattern(path),
        status: Number(status),
        needsCredential: security?.length !== 0,
        hasBody: Object.keys(responses[status]?.content ?? {}).length > 0,
        examples: recorded[operationId] ?? [],
        // The references of the schema begin at the document's root, so the root comes along.
        ...(json && { check: createValidator({ ...json.schema, components } as TSchema, "body") }),
      };
    }),
  );
}

/** A name in a path may hold escaped slashes; an object's name also plain ones, as at the server. */
const buildPathPattern = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
      .replaceAll("{objectName}", "[^:]+")
      .replaceAll(/\{\w+\}/g, "[^/:]+")}$`,
  );

async function answer(
  operations: Operation[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = newId();
  // A page under development is served from another address.
  response.setHeaders(
    new Map([
      ["Access-Control-Allow-Origin", request.headers.origin ?? "*"],
      ["Access-Control-Allow-Credentials", "true"],
      ["Access-Control-Allow-Headers", request.headers["access-control-request-headers"] ?? "*"],
      ["Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"],
      ["X-Request-Id", requestId],
    ]),
  );
  if (request.method === "OPTIONS") return void response.writeHead(204).end();
  try {
    const { status, body } = await chooseAnswer(operations, request);
    if (body === undefined) return void response.writeHead(status).end();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const docsUrl = `http://${request.headers.host ?? "localhost"}/docs`;
    const body = formatProblem(error, { requestId, subsystem: "api", docsUrl });
    response.writeHead(error.status, { "content-type": PROBLEM_MEDIA_TYPE }).end(JSON.stringify(body));
  }
}

async function chooseAnswer(
  operations: Operation[],
  request: IncomingMessage,
): Promise<{ status: number; body: unknown }> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://mock");
  const sent = await text(readLimited(request, MAX_BODY_BYTES));
  const found = operations.find(({ method, pattern }) => method === request.method && pattern.test(pathname));
  if (!found) {
    const detail = `There is no endpoint at ${request.method} ${pathname}.`;
    throw new Problem("unknown-path", { detail });
  }
  const { code, example: title } = readPreference(request.headers["prefer"]?.toString() ?? "");
  if (code !== undefined && code >= 400) throw choosePreferredProblem(code);
  if (found.needsCredential && !hasCredential(request)) {
    const detail =
      "Send an API key in the header `X-Api-Key`, or a token as `Authorization: Bearer`. Any will do here.";
    throw new Problem("unauthenticated", { detail });
  }
  const body =
    found.check && (sent !== "" || request.method !== "GET") ? found.check(parseBody(sent)) : undefined;
  const query = searchParams.size > 0 ? Object.fromEntries(searchParams) : undefined;
  const answers = found.examples.filter(({ response }) => response !== undefined);
  const example =
    answers.find((one) => title !== undefined && one.title === title) ??
    answers.find((one) => isDeepStrictEqual([one.query, one.request], [query, body])) ??
    answers.find((one) => isDeepStrictEqual(one.query, query)) ??
    answers[0];
  if (title !== undefined && example?.title !== title) {
    const titles = answers.flatMap((one) => one.title ?? []).join(", ") || "none with a name";
    const detail = `This operation has no example "${title}"; it has ${titles}.`;
    throw new Problem("invalid-request", { detail });
  }
  if (!example && found.hasBody) {
    const detail = "No answer of this operation was recorded. Call a real server.";
    throw new Problem("internal", { detail, status: 501 });
  }
  return { status: query?.["dryRun"] === "true" ? 200 : found.status, body: example?.response };
}

/** Reads `Prefer: code=404` and `Prefer: example="A batch"`, which other mocks understand, too. */
function readPreference(header: string): { code?: number; example?: string } {
  const code = /\bcode=(\d{3})\b/.exec(header)?.[1];
  const [, quoted, plain] = /\bexample=(?:"([^"]*)"|([^\s,;]+))/.exec(header) ?? [];
  const example = quoted ?? plain;
  return { ...(code !== undefined && { code: Number(code) }), ...(example !== undefined && { example }) };
}

function choosePreferredProblem(code: number): Problem {
  const [slug] = Object.entries(PROBLEM_TYPES).find(([, { status }]) => status === code) ?? ["internal"];
  return new Problem(slug as ProblemSlug, {
    detail: "The mock answers so because the request asks for it in the header `Prefer`.",
    status: code,
  });
}

const hasCredential = ({ headers }: IncomingMessage): boolean =>
  Boolean(headers["x-api-key"]) || /^bearer ./i.test(headers.authorization ?? "");

function parseBody(sent: string): unknown {
  try {
    return JSON.parse(sent || "{}");
  } catch (cause) {
    throw new Problem("malformed-json", { detail: "The body is not valid JSON.", cause });
  }
}

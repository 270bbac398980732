/** The reference as a server publishes it: OpenAPI document, its reader, problem types. */
import { readFile } from "node:fs/promises";
import { join, extname } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { PROJECT_ROOT } from "../../../ground/project-root.ts";
import { endpoint, type Endpoint, Page, route, type Route } from "../../http/endpoint.ts";
import { withExamples } from "../../http/openapi/openapi-examples.ts";
import { prefersHtml } from "../../http/prefers-html.ts";
import { renderProblemTypePage, renderProblemTypesPage } from "../../http/problems-page.ts";
import { renderHtmlPage } from "./render-html-page.ts";
import { renderReaderPage } from "./reader.ts";
import { execFile } from "node:child_process";

export const listDocsRoutes = (deps: { dashboardPage?: () => Page }): Route[] => [
  route("GET /openapi.json", "public", getOpenApi()),
  route("GET /", "public", getStart(deps)),
  route("GET /docs", "public", getDocs()),
  route("GET /docs/reader.js", "public", getDocsReader()),
  route("GET /docs/problems", "public", getProblemTypes()),
  route("GET /docs/problems/{slug}", "public", getProblemType()),
];

const OPENAPI = join(PROJECT_ROOT, "openapi.json");
const EXAMPLES = join(PROJECT_ROOT, "server/api/docs/examples.json");

/** Both files are read per request: they are generated, checked fresh, and too large to keep in memory. */
const getOpenApi = (): Endpoint =>
  endpoint({
    operationId: "getOpenApi",
    tag: "Documentation",
    summary: "Get this API as an OpenAPI 3.1 document",
    description: "The document that `/docs` shows, for generators of clients and other tools.",
    query: Type.Object({
      examples: Type.Optional(
        Type.Boolean({ description: "Whether to include examples of requests and answers. Default false." }),
      ),
    }),
    success: {
      status: 200,
      description: "The document.",
      schema: Type.Record(Type.String(), Type.Unknown()),
    },
    handle: async ({ query }) =>
      new Page(query.examples ? await readExampleDocument() : await readFile(OPENAPI), {
        status: 200,
        headers: { "cache-control": "no-cache" },
        mediaType: "application/json",
      }),
  });

async function readExampleDocument(): Promise<string> {
  const [document, examples] = await Promise.all([readFile(OPENAPI, "utf8"), readFile(EXAMPLES, "utf8")]);
  return JSON.stringify(withExamples(JSON.parse(document), JSON.parse(examples)));
}

/** `dashboardPage` is undefined where the dashboard is switched off. */
const getStart = (deps: { dashboardPage?: () => Page }): Endpoint =>
  endpoint({
    operationId: "getStart",
    tag: "Documentation",
    summary: "Open the start page",
    description: "Answers a browser with the dashboard, and redirects other clients to the API reference.",
    success: { status: 302, description: "To `/docs`." },
    otherPages: { 200: "The dashboard.", 503: "The dashboard is not built yet." },
    async handle({ headers }) {
      if (deps.dashboardPage && prefersHtml(headers.accept)) return deps.dashboardPage();
      return new Page("", { status: 302, headers: { location: "/docs", "cache-control": "no-store" } });
    },
  });

const getDocs = (): Endpoint =>
  endpoint({
    operationId: "getDocs",
    tag: "Documentation",
    summary: "Read the API reference",
    description: "A page for people, made from `/openapi.json`. It loads nothing from other servers.",
    success: renderHtmlPage("The page."),
    handle: async () => renderReaderPage(),
  });

const getDocsReader = (): Endpoint =>
  endpoint({
    operationId: "getDocsReader",
    tag: "Documentation",
    summary: "Get the program of the API reference",
    description: "The script of the page at `/docs`.",
    success: { status: 200, description: "The program.", schema: Type.String(), media: "text/javascript" },
    async handle({ headers }) {
      const compressed = await loadReaderProgram();
      const takesGzip = /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
      return new Page(takesGzip ? compressed : await promisify(gunzip)(compressed), {
        status: 200,
        headers: {
          ...(takesGzip && { "content-encoding": "gzip" }),
          vary: "accept-encoding",
          "cache-control": "public, max-age=3600",
          "x-content-type-options": "nosniff",
        },
        mediaType: "text/javascript",
      });
    },
  });

const getProblemTypes = (): Endpoint =>
  endpoint({
    operationId: "getProblemTypes",
    tag: "Documentation",
    summary: "Read about all problem types",
    description: "A page with all problem types: status, title, and whether a retry can succeed.",
    success: renderHtmlPage("The page."),
    handle: async () => renderProblemTypesPage(),
  });

const getProblemType = (): Endpoint =>
  endpoint({
    operationId: "getProblemType",
    tag: "Documentation",
    summary: "Read about a problem type",
    description: "The page that the `type` of a Problem links to: causes and remedies.",
    params: Type.Object({
      slug: Type.String({ description: "Last segment of the problem type's URL, for example `not-found`." }),
    }),
    success: renderHtmlPage("The page."),
    refusals: { 404: "There is no such problem type." },
    async handle({ params }) {
      const page = renderProblemTypePage(params.slug);
      if (page !== undefined) return page;
      throw new Problem("not-found", {
        detail: `There is no problem type \`${params.slug}\`. See /docs/problems.`,
      });
    },
  });

const MAX_BYTES = 16 * 1024 * 1024;
/** In a package, programs are JavaScript. */
const EXTRACTOR = join(PROJECT_ROOT, `server/api/docs/extract-reader${extname(import.meta.filename)}`);

let program: Promise<Buffer> | undefined;

/** Returns the compressed script. Fetched on first use; most processes never need it. */
function loadReaderProgram(): Promise<Buffer> {
  program ??= extractProgram().catch((error: unknown) => {
    program = undefined;
    throw error;
  });
  return program;
}

/** Runs in a child process, so that the memory it needs is freed. */
async function extractProgram(): Promise<Buffer> {
  const run = promisify(execFile);
  // The package needs nothing of the environment.
  const options = { encoding: "buffer", maxBuffer: MAX_BYTES, env: {} } as const;
  return (await run(process.execPath, [EXTRACTOR], options)).stdout;
}

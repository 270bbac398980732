/** GET /openapi.json and the pages below /docs: the API described by itself. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Type } from "typebox";
import { PROBLEM_TYPES, Problem } from "../../ground/errors.ts";
import { problemsPage } from "../../http/problems-page.ts";
import { endpoint, Page, type Endpoint } from "../../http/endpoint.ts";
import { readerPage } from "./reader.ts";
import { readerProgram } from "./reader-program.ts";

const OPENAPI = join(import.meta.dirname, "../../../openapi.json");

/** Read when it is asked for: it is generated, checked fresh, and too large to be kept at hand. */
export const getOpenApi = (): Endpoint =>
  endpoint({
    operationId: "getOpenApi",
    tag: "Documentation",
    summary: "Get this API as an OpenAPI 3.1 document",
    description: "The document that `/docs` shows, for generators of clients and the like.",
    success: {
      status: 200,
      description: "The document.",
      schema: Type.Record(Type.String(), Type.Unknown()),
    },
    async handle() {
      return new Page(await readFile(OPENAPI), {
        status: 200,
        headers: { "cache-control": "no-cache" },
        mediaType: "application/json",
      });
    },
  });

const html = (description: string) =>
  ({ status: 200, description, schema: Type.String(), media: "text/html" }) as const;

export const getStart = (): Endpoint =>
  endpoint({
    operationId: "getStart",
    tag: "Documentation",
    summary: "Begin here",
    description: "Whoever opens the bare address in a browser is sent to the reference.",
    success: { status: 302, description: "To `/docs`." },
    handle: async () =>
      new Page("", { status: 302, headers: { location: "/docs", "cache-control": "no-store" } }),
  });

export const getDocs = (): Endpoint =>
  endpoint({
    operationId: "getDocs",
    tag: "Documentation",
    summary: "Read the API reference",
    description: "A page for people, made from `/openapi.json`. It loads nothing from elsewhere.",
    success: html("The page."),
    handle: async () => readerPage(),
  });

export const getDocsReader = (): Endpoint =>
  endpoint({
    operationId: "getDocsReader",
    tag: "Documentation",
    summary: "Get the program of the API reference",
    description: "What the page at `/docs` loads.",
    success: { status: 200, description: "The program.", schema: Type.String(), media: "text/javascript" },
    async handle({ headers }) {
      const compressed = await readerProgram();
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

export const getProblemTypes = (): Endpoint =>
  endpoint({
    operationId: "getProblemTypes",
    tag: "Documentation",
    summary: "Read what each refusal means",
    description:
      "A page with every problem type: its status, its meaning, whether repeating the request may help.",
    success: html("The page."),
    handle: async () => problemsPage(),
  });

export const getProblemType = (): Endpoint =>
  endpoint({
    operationId: "getProblemType",
    tag: "Documentation",
    summary: "Read what one refusal means",
    description: "Where the `type` of a Problem leads to.",
    params: Type.Object({
      slug: Type.String({ description: "Last segment of the problem type's URL, for example `not-found`." }),
    }),
    success: html("The page."),
    refusals: { 404: "There is no such problem type." },
    async handle({ params }) {
      if (Object.hasOwn(PROBLEM_TYPES, params.slug)) return problemsPage(params.slug);
      throw new Problem("not-found", {
        detail: `There is no problem type \`${params.slug}\`. See /docs/problems.`,
      });
    },
  });

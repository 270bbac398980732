/** GET /openapi.json, /docs, /docs/problems and /docs/problems/{slug}: the API described by itself. */
import { Type } from "typebox";
import { PROBLEM_TYPES, Problem } from "../../ground/errors.ts";
import { problemsPage, referencePage } from "../../http/docs-page.ts";
import { endpoint, type Endpoint, type Route } from "../../http/endpoint.ts";
import { openApiDocument } from "../../http/openapi.ts";

/** The version of the API, not of the package: it moves when the contract does. */
export const API_VERSION = "1.0.0";

/** `routes` is asked when a page is, since the pages are routes themselves. */
export const getOpenApi = (routes: () => Route[]): Endpoint =>
  endpoint({
    operationId: "getOpenApi",
    tag: "Documentation",
    summary: "This API as an OpenAPI 3.1 document",
    success: {
      status: 200,
      description: "The document.",
      schema: Type.Record(Type.String(), Type.Unknown()),
    },
    handle: async () => openApiDocument(routes(), API_VERSION),
  });

const html = (description: string) =>
  ({ status: 200, description, schema: Type.String(), media: "text/html" }) as const;

export const getDocs = (routes: () => Route[]): Endpoint =>
  endpoint({
    operationId: "getDocs",
    tag: "Documentation",
    summary: "The API reference for people",
    success: html("The page."),
    handle: async () => referencePage(routes()),
  });

export const getProblemTypes = (): Endpoint =>
  endpoint({
    operationId: "getProblemTypes",
    tag: "Documentation",
    summary: "What each refusal means",
    success: html("The page."),
    handle: async () => problemsPage(),
  });

export const getProblemType = (): Endpoint =>
  endpoint({
    operationId: "getProblemType",
    tag: "Documentation",
    summary: "What one refusal means",
    params: Type.Object({ slug: Type.String() }),
    success: html("The page."),
    refusals: [404],
    async handle({ params }) {
      if (Object.hasOwn(PROBLEM_TYPES, params.slug)) return problemsPage(params.slug);
      throw new Problem("not-found", {
        detail: `There is no problem type \`${params.slug}\`. See /docs/problems.`,
      });
    },
  });

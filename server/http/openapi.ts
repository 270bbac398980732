/** Writes the OpenAPI document from the route table: what runs is what is described. */
import type { TObject, TSchema } from "typebox";
import { PROBLEM_TYPES } from "../ground/errors.ts";
import { PROBLEM_MEDIA_TYPE } from "./problem.ts";
import type { Endpoint, Route } from "./endpoint.ts";

type Document = Record<string, unknown>;

/** The document for these routes. Deterministic, so that a committed copy can be checked. */
export function openApiDocument(routes: Route[], version: string): Document {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const entry of routes) {
    paths[entry.path] = { ...paths[entry.path], [entry.method.toLowerCase()]: operation(entry) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Busbar",
      version,
      license: { name: "MIT", identifier: "MIT" },
      description:
        "Deploy integrations, connect customers' accounts, write records and pass calls through to their providers. " +
        "Every refusal is a Problem (RFC 9457). The proxy has a listener of its own and is described in the guide.",
    },
    servers: [{ url: "/", description: "This Busbar" }],
    tags: [...new Set(routes.map((entry) => entry.endpoint.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-Api-Key", description: "A key of the project." },
        customerToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "A token for one customer, signed with a registered JWT key (RS256, 600 s at most).",
        },
        personToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "A token of the OpenID Connect issuer that this Busbar trusts.",
        },
      },
      schemas: { Problem: problemSchema },
    },
  };
}

function operation({ path, audience, endpoint }: Route): Document {
  const { success } = endpoint;
  const answer: Document = { description: success.description };
  if (success.schema)
    answer["content"] = { [success.media ?? "application/json"]: { schema: success.schema } };
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    security: SECURITY[audience],
    parameters: [...pathParameters(path, endpoint.params), ...queryParameters(endpoint.query)],
    requestBody: requestBody(endpoint),
    responses: { [success.status]: answer, ...refusals(audience, endpoint) },
  };
}

function pathParameters(path: string, params: TObject | undefined): Document[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: name === "projectIdOrName" ? "Id or name of the project." : undefined,
    ...described(params?.properties[name] ?? { type: "string" }),
  }));
}

const queryParameters = (query: TObject | undefined): Document[] =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: query?.required?.includes(name) ?? false,
    ...described(schema),
  }));

/** OpenAPI shows a parameter's description beside its schema. */
function described(schema: TSchema | Document): Document {
  const { description, ...rest } = schema as Document;
  return description ? { description, schema: rest } : { schema: rest };
}

function requestBody({ body, bodyOptional, rawBodyLimitBytes }: Endpoint): Document | undefined {
  if (!body) return undefined;
  const media = rawBodyLimitBytes === undefined ? "application/json" : "application/octet-stream";
  return { required: !bodyOptional, content: { [media]: { schema: body } } };
}

const SECURITY: Record<Route["audience"], Document[]> = {
  public: [],
  frontend: [{ apiKey: [] }, { customerToken: [] }],
  full: [{ apiKey: [] }],
  organization: [{ apiKey: [] }],
  person: [{ personToken: [] }],
};

const EVERYWHERE: Record<Route["audience"], number[]> = {
  public: [400, 500],
  frontend: [400, 401, 403, 404, 500],
  full: [400, 401, 403, 404, 500],
  organization: [400, 401, 403, 404, 500],
  person: [400, 401, 403, 404, 500],
};

function refusals(audience: Route["audience"], endpoint: Endpoint): Document {
  const statuses = new Set([...EVERYWHERE[audience], ...(endpoint.refusals ?? [])]);
  const entries = [...statuses]
    .toSorted((a, b) => a - b)
    .map((status) => [status, problemAnswer(titles(status))] as const);
  return { ...Object.fromEntries(entries), default: problemAnswer("Any other refusal") };
}

const titles = (status: number): string =>
  Object.values(PROBLEM_TYPES)
    .filter((type) => type.status === status)
    .map((type) => type.title)
    .join("; ") || "Refused";

const problemAnswer = (description: string): Document => ({
  description,
  content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } },
});

const text = (description: string, format?: string): Document => ({ type: "string", description, format });

const problemSchema: Document = {
  type: "object",
  description: "A refusal, as Problem Details (RFC 9457).",
  required: ["type", "title", "status", "detail", "subsystem", "time", "requestId", "retryable"],
  properties: {
    type: text("Identifies the problem type; the address leads to its description.", "uri"),
    href: text("Where the problem type is described.", "uri"),
    title: text("The problem type in a few words."),
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: text("What happened this time and what to do."),
    remedy: text("What to do, where it can be said apart."),
    subsystem: text("Part of Busbar that refused: api, write, read, search or proxy."),
    time: text("When it happened.", "date-time"),
    requestId: text("Names this request in the log."),
    retryable: { type: "boolean", description: "Whether the same request may succeed later." },
    retryAfter: text("Not before this time.", "date-time"),
    causes: {
      type: "array",
      items: { type: "string" },
      description: "The single reasons, where there are several.",
    },
    context: { type: "object", description: "Further facts.", additionalProperties: true },
    issues: {
      type: "array",
      description: "One per fault of the request: a Problem with the place it is about.",
      items: {
        type: "object",
        properties: {
          in: { enum: ["body", "header", "path", "query"] },
          name: text("Path of the member, for example `batch[3].record.id`."),
          detail: text("What is wrong with it."),
          value: { description: "The faulty value, where it is short." },
          remedy: text("What to write instead."),
        },
      },
    },
  },
};

/** Builds the OpenAPI document from the route table. */
import { Type, type TObject, type TSchema } from "typebox";
import type { Role } from "../../../ground/role.ts";
import type { Audience, Endpoint, Route } from "../endpoint.ts";
import { collectRefusals, type Refusals } from "./openapi-refusals.ts";
import { hasDryRun, chooseRole, SECRET_PARAMETERS } from "../require-role.ts";
import { collectShapes, mapValues, type Document, type Shapes } from "./openapi-schemas.ts";

/** Parts of the document that are not in the route table. */
export interface Reference {
  version: string;
  introduction: string;
  /** Descriptions of the groups by name, in the order of the reference. */
  tags: Record<string, string>;
  /** Bodies of webhook messages, by event type. */
  webhooks: Record<string, TSchema>;
}

/** Returns the document for these routes. Deterministic, so that a committed copy can be checked. */
export function openApiDocument(routes: Route[], reference: Reference): Document {
  const shapes = collectShapes();
  const refusals = collectRefusals(shapes);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const entry of routes) {
    const shown = describeOperation(entry, shapes, refusals);
    paths[entry.path] = { ...paths[entry.path], [entry.method.toLowerCase()]: shown };
  }
  const { version, introduction, tags } = reference;
  return {
    openapi: "3.1.0",
    info: {
      title: "Busbar",
      version,
      summary: "Self-hosted integration platform",
      license: { name: "MIT", identifier: "MIT" },
      description: introduction,
    },
    servers: [{ url: "/", description: "This Busbar" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: mapValues(reference.webhooks, (name, body) => describeWebhook(name, body, shapes)),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      responses: refusals.components(),
      schemas: shapes.components(),
    },
  };
}

function describeOperation(entry: Route, shapes: Shapes, refusals: Refusals): Document {
  const { path, audience, endpoint } = entry;
  const { operationId, tag, summary, description } = endpoint;
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, describeCallers(entry)].filter(Boolean).join("\n\n"),
    security: SECURITY[audience],
    parameters: [
      ...listPathParameters(path, endpoint.params, shapes),
      ...listQueryParameters(endpoint.query, shapes),
      ...listHeaderParameters({ ...endpoint.headers, ...(endpoint.hasEntityTag && IF_NONE_MATCH) }, shapes),
    ],
    requestBody: requestBody(endpoint, shapes),
    responses: {
      [endpoint.success.status]: describeSuccess(endpoint, shapes),
      ...(endpoint.hasEntityTag && {
        304: { description: "The answer that `If-None-Match` names is current." },
      }),
      ...mapValues(endpoint.otherAnswers ?? {}, (_status, { description: text, schema }) => ({
        description: text,
        ...(schema && { content: { "application/json": { schema: shapes.show(schema) } } }),
      })),
      ...refusals.of(entry),
    },
  };
}

/** Describes a webhook message and the meaning of the receiver's answers. */
const describeWebhook = (name: string, body: TSchema, shapes: Shapes): Document => ({
  post: {
    operationId: `on-${name.replaceAll(".", "-")}`,
    tags: ["Webhooks"],
    summary: name,
    security: [],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: shapes.show(body, {
            name: `${name.split(".").map(toPascalCase).join("")}Message`,
            description: `Webhook message for \`${name}\`.`,
          }),
        },
      },
    },
    responses: {
      "2XX": { description: "The message was accepted." },
      410: { description: "Disables the destination." },
      default: { description: "The message is retried later." },
    },
  },
});

function describeSuccess(
  { operationId, success: { status, description, schema, media, otherMedia } }: Endpoint,
  shapes: Shapes,
): Document {
  if (status === 204 || !schema) return { description };
  const content: Document = {
    schema: shapes.show(schema, {
      name: `${toPascalCase(operationId)}Response`,
      description: `What \`${operationId}\` answers.`,
    }),
  };
  const medias = [media ?? "application/json", ...(otherMedia ? [otherMedia] : [])];
  return { description, content: Object.fromEntries(medias.map((name) => [name, content])) };
}

/** The path parameter that endpoints of a project do not declare. */
const PROJECT = Type.String({ description: "Id or name of the project." });

const listPathParameters = (path: string, params: TObject | undefined, shapes: Shapes): Document[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    describeParameter("path", name, params?.properties[name] ?? PROJECT, { required: true }, shapes),
  );

const listQueryParameters = (query: TObject | undefined, shapes: Shapes): Document[] =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) =>
    describeParameter("query", name, schema, { required: query?.required?.includes(name) ?? false }, shapes),
  );

const listHeaderParameters = (headers: Record<string, string>, shapes: Shapes): Document[] =>
  Object.entries(headers).map(([name, description]) =>
    describeParameter("header", name, Type.String({ description }), { required: false }, shapes),
  );

const IF_NONE_MATCH = {
  "If-None-Match":
    "The `ETag` of an earlier answer: if the answer is still the same, it is 304 without a body.",
};

/** In OpenAPI, the description of a parameter and its deprecation are siblings of its schema. */
function describeParameter(
  place: string,
  name: string,
  schema: TSchema,
  more: Document,
  shapes: Shapes,
): Document {
  const { description, deprecated, ...rest } = shapes.show(schema);
  return { name, in: place, description, ...more, ...(deprecated === true && { deprecated }), schema: rest };
}

function requestBody(endpoint: Endpoint, shapes: Shapes): Document | undefined {
  const { operationId, body, bodyOptional, rawBodyLimitBytes } = endpoint;
  if (!body) return undefined;
  if (rawBodyLimitBytes !== undefined) {
    const bytes = { schema: { type: "string", format: "binary" } };
    return { required: true, description: "The bytes.", content: { "application/octet-stream": bytes } };
  }
  const content: Document = {
    schema: shapes.show(body, {
      name: `${toPascalCase(operationId)}Request`,
      description: `What \`${operationId}\` takes.`,
    }),
  };
  return { required: !bodyOptional, content: { "application/json": content } };
}

const toPascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const SECURITY_SCHEMES = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-Api-Key",
    description:
      "An API key of one project. Its scopes: `full` allows everything in the project and is for your " +
      "server; `frontend` allows what the UI library needs and is for browsers.",
  },
  customerToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "A token for one customer, signed by your server with a registered JWT key (RS256, at most 600 s). It " +
      "allows what a `frontend` key allows, for its own group only.",
  },
  personToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "A token of a person: a JWT of the trusted OpenID Connect issuer, or a token of `POST /v1/sessions`.",
  },
  sessionCookie: {
    type: "apiKey",
    in: "cookie",
    name: "busbar_session",
    description:
      "The session of a person in a browser; `__Host-busbar_session` with https. It counts only for pages of this " +
      "server, and only if the request has neither `X-Api-Key` nor `Authorization`.",
  },
};

const PERSON = [{ personToken: [] }, { sessionCookie: [] }];
const SECURITY: Record<Audience, Document[]> = {
  public: [],
  frontend: [{ apiKey: ["frontend"] }, { customerToken: [] }, ...PERSON],
  write: [{ apiKey: ["write"] }, ...PERSON],
  read: [{ apiKey: ["read"] }, ...PERSON],
  full: [{ apiKey: ["full"] }, ...PERSON],
  approver: [{ apiKey: ["full"] }, { customerToken: [] }, ...PERSON],
  organization: [{ apiKey: ["full"] }, ...PERSON],
  person: PERSON,
};

/** Describes who may call, with the role that people need. */
function describeCallers(route: Route): string {
  const role = chooseRole(route);
  // Keys may do what an editor may.
  const audience = role === "owner" ? "person" : route.audience;
  const secrets = SECRET_PARAMETERS.filter((name) => name in (route.endpoint.query?.properties ?? {}));
  return [
    CALLERS[audience].replace("{person}", describePerson(role, audience)),
    secrets.length > 0 && `For people, ${quoteNames(secrets)} need the role \`editor\`.`,
    role === "editor" && hasDryRun(route.endpoint) && "For a dry run, the role `support` is enough.",
  ]
    .filter(Boolean)
    .join(" ");
}

function describePerson(role: Role | undefined, audience: Audience): string {
  if (role === undefined && audience === "person") return "a signed-in person";
  if (role === undefined || role === "viewer") return "a person of the organisation";
  return `a person with the role \`${role}\` in the organisation`;
}

const quoteNames = (names: string[]): string => names.map((name) => `\`${name}\``).join(", ");

const CALLERS: Record<Audience, string> = {
  public: "Needs no credential.",
  frontend:
    "Callers: an API key of the project with the scope `frontend` or `full`, a customer's token for its own " +
    "group, or {person}.",
  write: "Callers: an API key of the project with the scope `write` or `full`, or {person}.",
  read: "Callers: an API key of the project with the scope `read` or `full`, or {person}.",
  full: "Callers: an API key of the project with the scope `full`, or {person}.",
  approver:
    "Callers: an API key of the project with the scope `full`, or {person}; also a customer's token for its own group where the " +
    "policy for agents has `customersMayDecide`.",
  organization: "Callers: an API key with the scope `full` of any project of the organisation, or {person}.",
  person: "Callers: {person}. An API key does not represent a person and is refused with 403.",
};

/** Refusals in the OpenAPI document: the Problem, when each status is answered, and an example of each. */
import { Type, type TObject } from "typebox";
import { PROBLEM_TYPES } from "../ground/errors.ts";
import type { Route } from "./endpoint.ts";
import type { Document, Shapes } from "./openapi-schemas.ts";
import { PROBLEM_MEDIA_TYPE } from "./problem.ts";

const text = (description: string, format?: string) =>
  Type.String({ description, ...(format && { format }) });

const IssueSchema = Type.Object(
  {
    type: text("`about:blank`: the Problem around it has the type."),
    title: text("As the Problem around it."),
    status: Type.Integer({ description: "As the Problem around it." }),
    in: Type.Enum(["body", "header", "path", "query"], { description: "Where the fault is." }),
    name: text("Path of the member, for example `batch[3].record.id`."),
    detail: text("What is wrong with it."),
    value: Type.Optional(Type.Unknown({ description: "The faulty value, where it is short." })),
    remedy: Type.Optional(text("What to write instead.")),
  },
  {
    title: "Issue",
    description:
      "One fault of a request and its place. Faults of a manifest have `line`, `column` and `rule` too.",
    additionalProperties: true,
  },
);

const ProblemSchema = Type.Object(
  {
    type: text("Identifies the problem type; the address leads to its description.", "uri"),
    href: text("Where the problem type is described.", "uri"),
    title: text("The problem type in a few words."),
    status: Type.Integer({ minimum: 400, maximum: 599, description: "The HTTP status." }),
    detail: text("What happened this time and what to do."),
    instance: text("Names this occurrence.", "uri"),
    remedy: Type.Optional(text("What to do, where it can be said apart.")),
    supportEmail: Type.Optional(text("Whom to write to; where the operator says so.", "email")),
    supportPhone: Type.Optional(text("Whom to call; where the operator says so.")),
    supportUrl: Type.Optional(text("Where to find help; where the operator says so.", "uri")),
    subsystem: text("Part of Busbar that refused: api, write, read, search or proxy."),
    time: text("When it happened.", "date-time"),
    requestId: text("Names this request in the log; also in the header `X-Request-Id`."),
    retryable: Type.Boolean({ description: "Whether the same request may succeed later." }),
    retryAfter: Type.Optional(text("Not before this time.", "date-time")),
    causes: Type.Optional(
      Type.Array(Type.String(), { description: "The single reasons, where there are several." }),
    ),
    context: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Further facts." })),
    issues: Type.Optional(Type.Array(IssueSchema, { description: "One per fault of the request." })),
  },
  { title: "Problem", description: "A refusal, as Problem Details (RFC 9457)." },
);

/** When any endpoint may refuse with a status, unless it says so itself. */
const REASONS: Record<number, string> = {
  400: "The request is not what is described here; `issues` has one entry per fault.",
  401: "No credential, or one that is unknown, expired or switched off.",
  403: "The credential may not do this, or not here.",
  404: "The project, or something else that the address names, does not exist.",
  413: "The body is larger than 10 MB.",
  415: "The body is not sent as `application/json`.",
  500: "A fault of Busbar; the log has its cause under the `requestId`.",
  503: "The database does not answer at the moment. Nothing was done.",
};

const EXAMPLE_DETAILS: Record<number, string> = {
  400: "groupRef: is missing",
  401: "Send an API key of the project in the header `X-Api-Key`.",
  403: "This needs an API key with the scope `full`, not one with `frontend`. Call it from your server.",
  404: "There is no project `acme`.",
  409: "There is a topic `news` in this project already. Choose another name.",
  413: "The body is larger than this endpoint takes (10 MB, uploads 50 MB). Send it in smaller parts.",
  415: "This endpoint takes a JSON body: send it with the header `Content-Type: application/json`.",
  422: "name: may hold letters, digits and dashes only",
  429: "The limit of this connection is reached. Try again in 1 second.",
  500: "This is a fault of the service, not of the request. The log has it under the `requestId`.",
  501: "Reading is not built yet.",
  502: "The provider could not be reached. Try again later.",
  503: "The database does not answer at the moment. Nothing was done; try again in a few seconds.",
  504: "The provider did not answer within 30 seconds.",
};

/** The responses of a route that say no, by status, and `default` for what a gateway in between may add. */
export function refusals({ audience, path, endpoint }: Route, shapes: Shapes): Document {
  const { refusalMembers, otherPages = {} } = endpoint;
  // Whoever rules the Problem's media type out in `Accept` gets plain JSON on the write API.
  const medias = path.startsWith("/write/") ? [PROBLEM_MEDIA_TYPE, "application/json"] : [PROBLEM_MEDIA_TYPE];
  const own = (why: string, status: number) => answer(why, status, shapes, medias, refusalMembers);
  const isPlain = refusalMembers === undefined && medias.length === 1;
  const all: Document = { default: usualAnswer("Default") };
  for (const status of usualStatuses(audience, path, endpoint)) {
    all[status] = isPlain ? usualAnswer(status) : own(REASONS[status] ?? "", status);
  }
  for (const [status, why = ""] of Object.entries(endpoint.refusals ?? {}))
    all[status] = own(why, Number(status));
  for (const [status, why = ""] of Object.entries(otherPages)) {
    all[status] = page(why, own(why, Number(status)));
  }
  return all;
}

/** A page for people, beside the Problem of the same status. */
const page = (description: string, { content }: Document): Document => ({
  description,
  content: { "text/html": { schema: { type: "string" } }, ...(content as Document) },
});

const usualAnswer = (name: number | "Default"): Document => ({
  $ref: `#/components/responses/Problem${name}`,
});

/** What `refusals` refers to. */
export function usualAnswers(shapes: Shapes): Record<string, Document> {
  const medias = [PROBLEM_MEDIA_TYPE];
  const known = Object.entries(REASONS).map(([status, why]) => [
    `Problem${status}`,
    answer(why, Number(status), shapes, medias),
  ]);
  const ProblemDefault = answer("Any other refusal.", undefined, shapes, medias);
  return { ...Object.fromEntries(known), ProblemDefault };
}

function answer(
  description: string,
  status: number | undefined,
  shapes: Shapes,
  medias: string[],
  members?: TObject,
): Document {
  const problem = shapes.show(ProblemSchema);
  const schema = members ? { allOf: [problem, shapes.show(members)] } : problem;
  const example = { $ref: `#/components/examples/Problem${status}` };
  const content: Document = { schema, ...(status !== undefined && { examples: { problem: example } }) };
  return { description, content: Object.fromEntries(medias.map((media) => [media, content])) };
}

function usualStatuses(audience: Route["audience"], path: string, endpoint: Route["endpoint"]): number[] {
  const statuses = [400, 500, 503];
  if (audience !== "public") statuses.push(401, 403);
  if (endpoint.inProject || path.includes("{")) statuses.push(404);
  if (endpoint.body) statuses.push(413);
  if (endpoint.body && endpoint.rawBodyLimitBytes === undefined) statuses.push(415);
  return statuses;
}

/** One Problem per status that some route answers; the first type of the table that has the status. */
export function problemExamples(docsUrl: string): Record<string, Document> {
  const entries = Object.entries(EXAMPLE_DETAILS).flatMap(([status, detail]) => {
    const found = Object.entries(PROBLEM_TYPES).find(([, type]) => type.status === Number(status));
    if (!found) return [];
    const [slug, { title, retryable }] = found;
    const type = `${docsUrl}/problems/${slug}`;
    const instance = "urn:uuid:0198a1f2-6c1e-7d30-9c43-7a1b5e2f9d10";
    const place = { instance, requestId: instance.slice(9), subsystem: "api" };
    const value = {
      type,
      href: type,
      title,
      status: Number(status),
      detail,
      time: EXAMPLE_TIME,
      ...place,
      retryable,
    };
    const issue = {
      type: "about:blank",
      title,
      status: 400,
      in: "body",
      name: "groupRef",
      detail: "is missing",
    };
    return [
      [
        `Problem${status}`,
        { summary: title, value: status === "400" ? { ...value, issues: [issue] } : value },
      ],
    ];
  });
  return Object.fromEntries(entries) as Record<string, Document>;
}

const EXAMPLE_TIME = "2026-01-15T09:00:00.000Z";

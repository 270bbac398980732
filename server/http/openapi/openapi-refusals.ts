/** Describes the refusals of each operation in the OpenAPI document, as references to responses that operations share. */
import { Type, type TObject } from "typebox";
import type { Route } from "../endpoint.ts";
import type { Document, Shapes } from "./openapi-schemas.ts";
import { PROBLEM_MEDIA_TYPE } from "../problem.ts";

const text = (description: string, format?: string) =>
  Type.String({ description, ...(format && { format }) });

const IssueSchema = Type.Object(
  {
    type: text("Always `about:blank`; the Problem has the type."),
    title: text("As in the Problem."),
    status: Type.Integer({ description: "As in the Problem." }),
    in: Type.Enum(["body", "header", "path", "query"], { description: "Part of the request." }),
    name: text("Path of the member, for example `batch[3].record.id`."),
    detail: text("What is wrong."),
    value: Type.Optional(Type.Unknown({ description: "The faulty value, if it is short." })),
    remedy: Type.Optional(text("How to fix it.")),
  },
  {
    title: "Issue",
    description:
      "One fault in a request, with its place. Faults in a manifest also have `line`, `column` and `rule`.",
    additionalProperties: true,
  },
);

const ProblemSchema = Type.Object(
  {
    type: text("URL of the problem type. It leads to causes and remedies.", "uri"),
    href: text("Same as `type`.", "uri"),
    title: text("Title of the problem type."),
    status: Type.Integer({ minimum: 400, maximum: 599, description: "The HTTP status." }),
    detail: text("What happened, and what to do."),
    instance: text("URN of this occurrence.", "uri"),
    remedy: Type.Optional(text("What to do, if it is not part of `detail`.")),
    supportEmail: Type.Optional(text("Support e-mail address, if the operator set one.", "email")),
    supportPhone: Type.Optional(text("Support phone number, if the operator set one.")),
    supportUrl: Type.Optional(text("Support page, if the operator set one.", "uri")),
    subsystem: text("Part of Busbar: api, write, read, search or proxy."),
    time: text("When it happened.", "date-time"),
    requestId: text("Id of the request in the log; also in the header `X-Request-Id`."),
    retryable: Type.Boolean({ description: "Whether the same request may succeed later." }),
    retryAfter: Type.Optional(text("Earliest time of a retry.", "date-time")),
    causes: Type.Optional(
      Type.Array(Type.String(), { description: "The single reasons, if there are several." }),
    ),
    connectionId: Type.Optional(
      text("With `reconnect-required`: the connection that the customer has to connect again."),
    ),
    context: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Further facts." })),
    issues: Type.Optional(Type.Array(IssueSchema, { description: "One entry per fault in the request." })),
  },
  { title: "Problem", description: "An error, as Problem Details (RFC 9457)." },
);

/** When an endpoint may answer with a status, unless it gives a reason of its own. */
const REASONS: Record<number, string> = {
  400: "The request does not match this description; `issues` has one entry per fault.",
  401: "The credential is missing, unknown, expired or inactive.",
  403: "The credential may not do this.",
  404: "The project, or another resource named in the path, does not exist.",
  409: "The request conflicts with an existing resource or a running request.",
  413: "The body is larger than 10 MB; without a credential, 64 KB.",
  415: "The body is not sent as `application/json`.",
  422: "The request is well-formed but cannot be carried out.",
  429: "Too many requests: the rate limit of the API key.",
  500: "An internal error; the log has its cause under the `requestId`.",
  501: "Not built yet.",
  502: "The provider could not be reached, or its response could not be read.",
  503: "The database is unavailable. Nothing was done, unless the response says otherwise.",
  504: "The provider did not respond in time.",
};

export interface Refusals {
  /** Returns the error responses of a route by status, and `default` for those of a gateway in between. */
  of(route: Route): Document;
  /** Returns the shared responses that `of` referred to so far. */
  components(): Record<string, Document>;
}

/** Collects the responses that operations share. */
export function collectRefusals(shapes: Shapes): Refusals {
  const shared = new Map<string, Document>();

  /** Refers to the response of a status; `reason` is a sibling of the `$ref`. */
  function refer(status: number | "Default", reason: string | undefined, kind: Kind): Document {
    const name = `${kind.name}Problem${status}`;
    const usual = status === "Default" ? "Any other error." : (REASONS[status] ?? "");
    shared.set(name, { description: usual, content: readContent(kind, shapes) });
    const $ref = `#/components/responses/${name}`;
    return reason === undefined || reason === usual ? { $ref } : { $ref, description: reason };
  }

  function of(route: Route): Document {
    const { refusals = {}, otherPages = {} } = route.endpoint;
    const kind = classifyRefusal(route);
    const all: Document = { default: refer("Default", undefined, PLAIN) };
    for (const status of listUsualStatuses(route)) all[status] = refer(status, undefined, kind);
    for (const [status, reason] of Object.entries(refusals))
      all[status] = refer(Number(status), reason, kind);
    for (const [status, reason] of Object.entries(otherPages)) {
      all[status] =
        Number(status) < 400
          ? { description: reason, content: { "text/html": { schema: { type: "string" } } } }
          : refer(Number(status), reason, PAGE);
    }
    return all;
  }

  return {
    of,
    components: () => Object.fromEntries([...shared].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Error responses with the same content. */
interface Kind {
  name: string;
  medias: readonly string[];
  /** Members beside those of the Problem. */
  members?: TObject;
}

const PLAIN: Kind = { name: "", medias: [PROBLEM_MEDIA_TYPE] };
/** A page for people, or a Problem. */
const PAGE: Kind = { name: "Page", medias: ["text/html", PROBLEM_MEDIA_TYPE] };

function classifyRefusal({ path, endpoint: { refusalMembers: members } }: Route): Kind {
  const isWrite = path.startsWith("/write/");
  // A client of the write API whose `Accept` excludes the Problem's media type gets plain JSON.
  const medias = isWrite ? [PROBLEM_MEDIA_TYPE, "application/json"] : PLAIN.medias;
  const title = (members as { title?: string } | undefined)?.title;
  return { name: title ?? (isWrite ? "Write" : ""), medias, members };
}

function readContent({ medias, members }: Kind, shapes: Shapes): Document {
  const problem = shapes.show(ProblemSchema);
  const schema = members ? { allOf: [problem, shapes.show(members)] } : problem;
  const html = { schema: { type: "string" } };
  return Object.fromEntries(medias.map((media) => [media, media === "text/html" ? html : { schema }]));
}

function listUsualStatuses({ audience, path, endpoint }: Route): number[] {
  const statuses = [400, 500, 503];
  if (audience !== "public") statuses.push(401, 403, 429);
  if (endpoint.inProject || path.includes("{")) statuses.push(404);
  if (endpoint.body) statuses.push(413);
  if (endpoint.body && endpoint.rawBodyLimitBytes === undefined) statuses.push(415);
  return statuses;
}

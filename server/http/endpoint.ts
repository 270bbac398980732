/** Defines endpoints: one operation of the API with schemas and handler, independent of the web framework. */
import type { IncomingHttpHeaders } from "node:http";
import type { Static, TObject, TSchema } from "typebox";
import type { Role } from "../../ground/role.ts";

/**
 * Who may call. `public`: everyone. `frontend`: browser keys, customers' tokens and above. `full`: a builder's server,
 * in its own project. `approver`: the same, and customers' tokens if the policy for agents lets them decide. `organization`: as
 * `full`, in any project of its organisation. `person`: a signed-in builder.
 */
export type Audience =
  | "public"
  | "frontend"
  | "write"
  | "read"
  | "full"
  | "approver"
  | "organization"
  | "person";

/** The authenticated caller. */
export interface Caller {
  kind: "api-key" | "customer" | "person" | "nobody";
  apiKeyId?: string;
  /** Label of the key, or name of the person. */
  name?: string;
  projectId?: string;
  orgId?: string;
  scopes: readonly string[];
  /** Customers only: the group whose data this caller may read and change, and the consumer within it. */
  groupRef?: string;
  consumerRef?: string;
  /** People only: their ID, their roles by organisation, and the mail address that their issuer has verified. */
  builderId?: string;
  roles?: ReadonlyMap<string, Role>;
  email?: string;
  /** Role in the organisation that the path names, or that owns the project. Full keys have `editor`. */
  role?: Role;
  /** Set for a call of an agent's tool: the principal, its program, and the customer. */
  agent?: { id: string; name?: string; client?: string; groupRef?: string | undefined };
  /** Set for people who signed in with a session. */
  sessionId?: string;
}

export interface ProjectRef {
  id: string;
  name: string;
  orgId: string;
}

interface Call<Params, Query, Body> {
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  headers: IncomingHttpHeaders;
  /** Path and query as they were received. */
  url: string;
  /** The peer's address: the caller, or a proxy in front of this server. */
  remoteAddress: string;
  requestId: string;
}

/** A call below `/projects/{projectIdOrName}`: the project exists and the caller may use it. */
export interface ProjectCall<Params, Query, Body> extends Call<Params, Query, Body> {
  project: ProjectRef;
}

/** An answer with its own status, headers or media type: a page or a part of one. */
export class Page {
  readonly content: string | Buffer;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly mediaType: string;

  constructor(
    content: string | Buffer,
    options: { status: number; headers: Record<string, string>; mediaType?: string },
  ) {
    this.content = content;
    this.status = options.status;
    this.headers = options.headers;
    this.mediaType = options.mediaType ?? "text/html";
  }
}

/** The one success answer of an endpoint. Refusals are thrown as `Problem`. */
interface Success<Schema extends TSchema | undefined = TSchema | undefined> {
  status: 200 | 201 | 202 | 204 | 302 | 303;
  description: string;
  /** Undefined: no body. */
  schema?: Schema;
  media?: "application/json" | "text/plain" | "text/html" | "text/javascript";
  /** A second form in which the page is available. */
  otherMedia?: "text/markdown";
}

type Shape<S> = S extends TSchema ? Static<S> : Record<string, never>;

interface Definition<P, Q, B, A> {
  operationId: string;
  /** Group in the reference. */
  tag: string;
  summary: string;
  /** Markdown: units, rules, errors worth knowing. */
  description?: string;
  params?: P;
  query?: Q;
  body?: B;
  /** Headers worth knowing, each with its meaning. */
  headers?: Record<string, string>;
  /** If true, the body may be missing although it has a schema. */
  bodyOptional?: boolean;
  success: Success & { schema?: A };
  /** When this endpoint refuses, by status, in addition to the refusals that `http/openapi.ts` knows of every endpoint. */
  refusals?: Partial<Record<number, string>>;
  /** Members of some refusals in addition to those of a Problem; named by `title`. */
  refusalMembers?: TObject;
  /** Further success answers by status; the endpoint returns them as a `Page`. */
  otherAnswers?: Partial<Record<200 | 201 | 204, { description: string; schema?: TSchema }>>;
  /** When an HTML page has another status, by status. */
  otherPages?: Partial<Record<number, string>>;
  /** Accepts any media type and passes the body as a Buffer of at most this many bytes. */
  rawBodyLimitBytes?: number;
  /** If true, the raw body is passed as an `AsyncIterable<Buffer>` while it arrives. */
  streamsBody?: boolean;
  /**
   * If true, the answer has an `ETag`, a request whose `If-None-Match` names it gets 304 without a body, and browsers ask
   * again each time. For lists that are requested again and again.
   */
  hasEntityTag?: boolean;
  /** Refuses a request before its body is read; throws a Problem. */
  admit?(call: { params: Shape<P>; headers: IncomingHttpHeaders }): Promise<void>;
  /**
   * The role that people need. Default: `viewer` for GET, otherwise `editor`; secrets and dry runs see
   * `http/require-role.ts`.
   */
  role?: Role | "checked by the endpoint";
  /** Public endpoints only: if true, a valid credential sets `caller.projectId`. An invalid one is ignored. */
  recognizesProject?: boolean;
  /** If true, the project is named by the body's `projectIdOrName` (or, by older clients, `projectId`). */
  projectInBody?: boolean;
}

export type Endpoint = Definition<
  TObject | undefined,
  TObject | undefined,
  TSchema | undefined,
  TSchema | undefined
> & {
  inProject: boolean;
  handle(call: ProjectCall<unknown, unknown, unknown>): Promise<unknown>;
};

/** Declares an endpoint outside any project. */
export function endpoint<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  A extends TSchema | undefined = undefined,
>(
  definition: Definition<P, Q, B, A> & {
    handle(call: Call<Shape<P>, Shape<Q>, Shape<B>>): Promise<Shape<A> | Page | void>;
  },
): Endpoint {
  return { ...definition, inProject: false } as unknown as Endpoint;
}

/**
 * Declares an endpoint of a project, which is named by the path `/projects/{projectIdOrName}` or, with
 * `projectInBody`, by the body; `params` names the other path parameters only.
 */
export function projectEndpoint<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  A extends TSchema | undefined = undefined,
>(
  definition: Definition<P, Q, B, A> & {
    handle(call: ProjectCall<Shape<P>, Shape<Q>, Shape<B>>): Promise<Shape<A> | Page | void>;
  },
): Endpoint {
  return { ...definition, inProject: true } as unknown as Endpoint;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One line of the route table. */
export interface Route {
  method: Method;
  /** OpenAPI path with the version: `/v1/projects/{projectIdOrName}/connections:generate`. */
  path: string;
  audience: Audience;
  endpoint: Endpoint;
}

/** `route("GET /v1/projects/{projectIdOrName}", "frontend", getProject(deps))` */
export function route(address: `${Method} /${string}`, audience: Audience, target: Endpoint): Route {
  const space = address.indexOf(" ");
  return {
    method: address.slice(0, space) as Method,
    path: address.slice(space + 1),
    audience,
    endpoint: target,
  };
}

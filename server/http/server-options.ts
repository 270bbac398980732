/** What the API's server is given: routes, access checks, and where to report. */
import type { IncomingHttpHeaders } from "node:http";
import type { ClientAddress } from "../../ground/client-address.ts";
import type { SupportContact } from "../../ground/server-settings.ts";
import type { Problem } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import type { Tracer } from "../../ground/tracer.ts";
import type { RefusedRequest } from "./known-callers.ts";
import type { SurfaceHosts } from "./address.ts";
import type { Audience, Caller, Endpoint, ProjectRef, Route } from "./endpoint.ts";

/** Identifies the caller and checks that it may call; throws a Problem otherwise, or returns it as a limit of the key. */
export type Authorize = (request: {
  headers: IncomingHttpHeaders;
  audience: Audience;
  /** For the audience `public`: whether a valid credential identifies the caller's project. */
  recognizesProject?: boolean | undefined;
  /** The project that the path or the body names; not yet known when only the headers have arrived. */
  projectIdOrName?: string;
  /** The organisation that the path names; only members are let in. */
  orgId?: string;
  /** The client's address, when a request is checked for the first time: limits of a key count it then. */
  address?: () => string;
}) => Promise<{ caller: Caller; project?: ProjectRef; refusal?: Problem }>;

/** The inputs of a request, checked against the endpoint's schemas. */
export interface Inputs {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Limits callers that act for one customer to that customer's data; throws a Problem when they request more. */
export type Confine = (request: { caller: Caller; target: Endpoint; inputs: Inputs }) => Promise<Inputs>;

/** A call as the audit sees it, with its inputs checked. */
export interface AuditedCall extends Inputs {
  caller: Caller;
  project?: ProjectRef;
  requestId: string;
}

/** Runs the handler, and records what it changed or showed. */
export type Audit = <T>(route: Route, call: AuditedCall, handle: () => Promise<T>) => Promise<T>;

export interface ServerOptions {
  routes: Route[];
  authorize: Authorize;
  confine: Confine;
  audit?: Audit;
  log: Log;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
  surfaceHosts: SurfaceHosts;
  /** Public URL of `/docs`, without a trailing slash; known once the server listens. */
  docsUrl: () => string;
  /** The proxy's address, for callers that took this one for it. */
  proxyUrl?: () => string;
  /** Returns whether the public URL is https, so that browsers never call it by http again. */
  isHttps?: () => boolean;
  /** Maximum number of open connections; further ones are closed at once. */
  maxConnections?: number;
  /** Finds the client's address; the peer's unless given. */
  clientAddress?: ClientAddress;
  /** A body is refused when nothing of it arrives for this long. */
  bodySilenceMs?: number;
  /** Contact that refusals name. */
  support?: SupportContact;
  /** Waits until this process has been notified of every committed change, so that the next call sees this one's. */
  caughtUp?: () => Promise<void>;
  /** Called with every refused request whose credential and project were valid. */
  onRefused?: (refused: RefusedRequest) => void;
  /** Called with every answer of an endpoint just before it is sent: for tests. */
  onAnswer?: OnAnswer;
}

/** An answer as it is sent, and its endpoint. */
export interface SentAnswer {
  requestId: string;
  method: string;
  /** Path of the route table, with its parameters' names. */
  path: string;
  status: number;
  mediaType: string;
  body: string;
}

export type OnAnswer = (answer: SentAnswer) => void;

const YEAR_SECONDS = 31_536_000;

/** Returns the headers of every answer that limit what a browser may do with it. */
export const listSecurityHeaders = ({ isHttps }: Pick<ServerOptions, "isHttps">): Record<string, string> => ({
  "x-content-type-options": "nosniff",
  ...(isHttps?.() && { "strict-transport-security": `max-age=${YEAR_SECONDS}` }),
});

/** Builds the `fetch` by which connectors call a customer's account: base address, credentials, one token refresh. */
import { authorizeRequest } from "../../connector-kit/provider/authorize-request.ts";
import type { Connector } from "../../connector-kit/connector.ts";
import type {
  ProviderFetch,
  ProviderRequest,
  ProviderResponse,
} from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { UnsignableRequest } from "../../connector-kit/provider/sign-request.ts";
import { EgressError } from "../egress/egress-error.ts";
import type { Egress } from "../egress/egress.ts";
import { runInSpan } from "../../ground/span.ts";
import { withoutSecrets } from "../../ground/without-secrets.ts";
import { listSecrets, type LiveConnection } from "./live-connection.ts";
import type { LiveConnections } from "./live-connections.ts";

interface AuthorizedFetchOptions {
  moduleKey?: string;
  /** Recognises a rejected token where the provider does not answer 401. */
  connector?: Connector;
  /** Called for every request, for the operation's log. */
  onExchange?(exchange: Exchange): void;
  /** Called for every answer, repeated requests included. */
  onAnswer?(answer: ProviderResponse): void;
  timeoutMs?: number;
}

/** One request and how it ended: a status, or a failure where no answer came. */
export interface Exchange {
  method: string;
  /** Without the query, whose values may be secret. */
  path: string;
  status?: number;
  failure?: string;
}

/** Sends with the connection's credentials; a rejected token is refreshed once and the request repeated once. */
export function fetchAuthorized(
  deps: { egress: Egress; connections: LiveConnections },
  connection: LiveConnection,
  options: AuthorizedFetchOptions = {},
): ProviderFetch {
  let live = connection;
  return async (request) => {
    const base = deps.connections.baseUrl(live, options.moduleKey);
    const { egress } = deps;
    const first = await measureExchange({ ...options, egress, base, live }, request);
    const isRefused = isUnauthorized(first, options.connector);
    const isSuspect = isRefused && !isForeignSignIn(first);
    if (!live.refreshable)
      deps.connections.suspects.noticed(live, isSuspect ? first.status : softenStatus(first));
    if (!isRefused || !live.refreshable) return first;
    // The provider rejected the token before it did anything, so any request may be repeated.
    live = await deps.connections.refreshRejected(live).catch((error: unknown) => {
      if (error instanceof ProviderError && error.kind === "unauthorized") return live;
      throw error;
    });
    return live === connection ? first : measureExchange({ ...options, egress, base, live }, request);
  };
}

/** Sends with exactly these credentials. If they are refused, that is an ordinary answer: the connection is not marked. */
export const fetchOnce =
  (sending: Pick<Sending, "egress" | "base" | "live" | "timeoutMs">): ProviderFetch =>
  (request) =>
    measureExchange(sending, request);

/** A 401 that the connector takes for a missing scope is about the request: with another token it would be the same. */
function isUnauthorized(response: ProviderResponse, connector: Connector | undefined): boolean {
  const kind = connector?.classify?.(response)?.kind;
  return kind === "unauthorized" || (response.status === 401 && kind !== "forbidden");
}

/**
 * Returns whether a 401 is a page, without what a server has to say with it (RFC 9110, 15.5.2: `WWW-Authenticate`): something in between wants a sign-in of its
 * own, and nothing is known of the credentials.
 */
export const isForeignSignIn = ({ status, headers, text }: ProviderResponse): boolean =>
  status === 401 &&
  headers["www-authenticate"] === undefined &&
  /^\s*<(!doctype html|html|head|body)\b/i.test(text);

/** Returns 403 for a 401 about the request, which is no reason to suspect the credentials. */
const softenStatus = ({ status }: ProviderResponse): number => (status === 401 ? 403 : status);

interface Sending extends AuthorizedFetchOptions {
  egress: Egress;
  /** The connection's base address. */
  base: URL;
  /** The connection with the credentials to send. */
  live: LiveConnection;
}

/** Measures an exchange. Neither host nor path is recorded, because they name customers and records. */
function measureExchange(sending: Sending, request: ProviderRequest): Promise<ProviderResponse> {
  const { live } = sending;
  const { method } = request;
  const provider = live.provider.name;
  const attributes = {
    "http.request.method": method,
    "busbar.provider": provider,
    "busbar.connection.id": live.id,
  };
  return runInSpan({ name: `${method} ${provider}`, kind: "client", attributes }, async (span) => {
    const answer = await sendOnce(sending, request);
    span?.set({ "http.response.status_code": answer.status });
    if (answer.status >= 400) span?.fail(String(answer.status));
    return answer;
  });
}

async function sendOnce(
  { egress, base, live, timeoutMs, onExchange, onAnswer }: Sending,
  request: ProviderRequest,
): Promise<ProviderResponse> {
  const { method, path, repeatable } = request;
  const shown = { method, path: path.split("?")[0] ?? path };
  try {
    const sent = await authorizeRequest(live.authorization, {
      url: joinAddress(base, path),
      method,
      headers: {
        ...(request.body !== undefined && { "content-type": "application/json" }),
        ...request.headers,
      },
      ...(request.body !== undefined && { body: readBodyText(request, live) }),
    });
    const received = await egress.send({ ...sent, timeoutMs });
    const { status, headers } = received;
    onExchange?.({ ...shown, status });
    const text = received.text();
    const shownText = status < 400 ? text : withoutSecrets(text, listSecrets(live));
    const answer = { path: shown.path, status, headers, text: shownText };
    onAnswer?.(answer);
    return answer;
  } catch (error) {
    if (error instanceof UnsignableRequest)
      throw new ProviderError({ kind: "invalid", message: error.message });
    if (!(error instanceof EgressError)) throw error;
    onExchange?.({ ...shown, failure: error.message });
    throw toProviderError(error, repeatable);
  }
}

/** Appends the connector's path to the base address; `/` is the base address itself. A path can never lead to another origin. */
function joinAddress(base: URL, path: string): URL {
  const url = new URL(base);
  const mark = path.indexOf("?");
  const below = mark === -1 ? path : path.slice(0, mark);
  url.pathname = `${base.pathname.replace(/\/$/, "")}${below === "/" ? "" : below}`;
  url.search = mark === -1 ? "" : path.slice(mark);
  return url;
}

function readBodyText({ body, tokenMark }: ProviderRequest, { accessToken = "" }: LiveConnection): string {
  if (typeof body !== "string") return JSON.stringify(body);
  if (tokenMark === undefined) return body;
  // A token that contains markup could change the request around it.
  if (/^[^<>&"'\s]+$/.test(accessToken)) return body.split(tokenMark).join(accessToken);
  throw new ProviderError({
    kind: "forbidden",
    message:
      "This request needs an OAuth access token in its body, and the connection has none that can be put there.",
  });
}

/** Returns the error for a request without an answer. */
export function toProviderError(error: EgressError, repeatable: boolean): ProviderError {
  const { failure, message } = error;
  const options = { message: `${message}.`, cause: error };
  if (failure === "forbidden-address") return new ProviderError({ kind: "forbidden", ...options });
  if (failure === "not-connected") return new ProviderError({ kind: "unavailable", ...options });
  if (!repeatable) return new ProviderError({ kind: "unknown_outcome", ...options });
  if (failure === "timeout") return new ProviderError({ kind: "timeout", ...options });
  return new ProviderError({ kind: failure === "too-large" ? "unreadable" : "unavailable", ...options });
}

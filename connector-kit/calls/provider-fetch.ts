/** One request to a provider and its answer, as connectors see them: already authorized. */
import type { Json } from "../../ground/json.ts";

export interface ProviderRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query below the provider's own base URL (never a module's), beginning with `/`; `/` alone is the base URL itself. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is, with the content type given in `headers`. */
  body?: Json;
  /** Text in a string body that is replaced by the access token, for APIs that do not take it in a header. */
  tokenMark?: string;
  /**
   * Whether sending it twice has the same result as sending it once. If the answer is lost, the error is
   * `unknown_outcome` for a request that is not repeatable, otherwise `unavailable` or `timeout`.
   */
  repeatable: boolean;
}

export interface ProviderResponse {
  /** Path of the request without its query; absent for proxied calls. */
  path?: string;
  status: number;
  /** Names in lower case; several values of one name joined by `, `. */
  headers: Record<string, string>;
  /** The whole body as text; the caller of the connector limits its size. */
  text: string;
}

/** Sends with the connection's credentials. Throws `ProviderError` if no answer came; any status is an answer. */
export type ProviderFetch = (request: ProviderRequest) => Promise<ProviderResponse>;

/** Facts about the customer's account that matter for reading answers. */
export interface Account {
  /** IANA name; daily quotas reset at midnight there. */
  timeZone?: string;
  /** Named values of the connection, such as a workspace, for addresses of requests. */
  values?: Record<string, string>;
}

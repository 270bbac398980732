/** One request to a provider and its answer, as connectors see them: already authorized. */
import type { Json } from "../server/ground/json.ts";

export interface ProviderRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query below the provider's own base URL (never a module's), beginning with `/`. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is, with the content type given in `headers`. */
  body?: Json;
  /** Words in a string body that the access token takes the place of, for APIs that want it there and not in a header. */
  tokenMark?: string;
  /**
   * Whether sending it twice leaves the same result as sending it once. A lost answer to a request that is not
   * repeatable is an `unknown_outcome`, otherwise `unavailable` or `timeout`.
   */
  repeatable: boolean;
}

export interface ProviderResponse {
  status: number;
  /** Names in lower case; several values of one name joined by `, `. */
  headers: Record<string, string>;
  /** The whole body as text, bounded by the caller of the connector. */
  text: string;
}

/** Sends with the connection's credentials. Throws `ProviderError` when no answer came; any status is an answer. */
export type ProviderFetch = (request: ProviderRequest) => Promise<ProviderResponse>;

/** What is known about the customer's account and matters for reading the provider's answers. */
export interface Account {
  /** IANA name; a daily quota starts anew at midnight there. */
  timeZone?: string;
}

/** What outgoing connections go through. `open-egress.ts` opens it. */
import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";

export interface Egress {
  /** Sends a request and reads the whole answer. Redirects are not followed. Throws `EgressError`. */
  send(request: EgressRequest): Promise<EgressResponse>;
  /** The guarded dispatcher, for the proxy, which streams. */
  readonly dispatcher: Dispatcher;
  /**
   * For clients that open their own sockets to a host: returns a lookup that finds only addresses that may be connected
   * to. Throws `EgressError` if the host itself is an address that may not, because addresses are never looked up.
   */
  guardedLookup(host: string): LookupFunction;
  /** Returns whether plain http is allowed for this host name or address. */
  allowsPlainHttp(host: string): boolean;
  /** False for a private address and for `localhost` unless allowed. Other names are judged when they are looked up. */
  mayReach(host: string): boolean;
  close(): Promise<void>;
}

export interface EgressRequest {
  /** Absolute http(s) address. */
  url: URL;
  method: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Until the answer begins, and between two pieces of it. */
  timeoutMs?: number;
  /** For the whole exchange, even if pieces of the answer keep arriving. */
  totalTimeoutMs?: number;
  /** Largest body read; a longer one is an error, never cut off. */
  maxBytes?: number;
}

export interface EgressResponse {
  status: number;
  /** Names in lower case; several values of one name joined by `, `. */
  headers: Record<string, string>;
  /** Decompressed. */
  readonly body: Buffer;
  /** Returns the body as text, in the character set that the answer names, without a byte order mark. */
  text(): string;
}

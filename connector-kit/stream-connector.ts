/** How a provider streams the changes of an account over a connection that Busbar opens, without a public address. */
import type { ClientHttp2Session } from "node:http2";
import { ProviderError } from "./calls/provider-error.ts";
import type { ProviderFetch } from "./calls/provider-fetch.ts";
import type { ProviderEvent } from "./subscribe-connector.ts";

export interface StreamConnector {
  /**
   * Checks what the stream needs, and makes the provider report changes of an object on the stream called `ref`, which is
   * created if it is not there. May be repeated. Throws `ProviderError`; `invalid`, `not_found` and `forbidden` for what a person must mend.
   */
  select(wanted: { ref: string; objectName: string }, fetch: ProviderFetch): Promise<SelectedStream>;
  /** Ends the reporting of all objects but these (keys of `SubscribeConnector`); without any, removes the stream. */
  deselect(kept: { ref: string; objectKeys: string[] }, fetch: ProviderFetch): Promise<void>;
  /** Returns a reader; the streams that it opens share what it has learned of the provider's formats. */
  openReader(): StreamReader;
}

export interface SelectedStream {
  /** Topic to subscribe to. */
  topic: string;
  /** The account as the streaming API names it. */
  accountRef: string;
  /** Warnings for people, although the stream can be opened. */
  warnings: string[];
}

export interface StreamReader {
  /**
   * Reads a stream until `signal` is aborted. The first batch is empty: the provider has accepted the call, events from
   * now on arrive. A batch is stored before the next one is asked for, so a slow database slows the provider down. Throws `ProviderError`: `LostPositionError` for a position that the provider does not have
   * (any more), `unauthorized` for a rejected token, `rate_limited` with a time, `unavailable` for a broken stream.
   */
  read(request: StreamRequest): AsyncGenerator<StreamBatch>;
}

/** A stored position, the oldest event that the provider has kept, or what happens from now on. */
export type StreamStart = Buffer | "oldest" | "now";

export interface StreamRequest {
  session: ClientHttp2Session;
  topic: string;
  from: StreamStart;
  /** Called for each call, so that a later one has a renewed token. */
  credentials(): Promise<StreamCredentials>;
  signal: AbortSignal;
}

export interface StreamCredentials {
  accessToken: string;
  /** Origin of the connection's base URL. */
  instanceUrl: string;
  accountRef: string;
}

export interface StreamBatch {
  /** In the order of the provider; none where it only shows that the stream is alive. */
  events: ProviderEvent[];
  gaps: StreamGap[];
  /** Opaque: where to resume when these events are stored; empty if there is nothing new. */
  position: Buffer;
}

/** Changes that the provider does not report one by one: the objects must be read. */
export interface StreamGap {
  /** Undefined: any object of the stream. */
  objectKey?: string;
  /** Undefined: not known. */
  since?: Date;
  reason: string;
}

/** The provider does not have the events behind the stored position (any more). */
export class LostPositionError extends ProviderError {
  override name = "LostPositionError";
}

/** How a stream is read: by long calls for a connection, or by the pages of a provider app's journal. */
import type { StreamBatch, StreamStart } from "../../../connector-kit/stream-connector.ts";
import type { LiveConnection } from "../../calls/live-connection.ts";
import type { EventStreamRow } from "../../store/subscriptions/event-streams.ts";

/** Reads until the signal is aborted. The first batch is empty: the provider has accepted the call. Throws as `StreamReader.read`. */
export type StreamSource = (opening: StreamOpening) => AsyncGenerator<StreamBatch>;

interface StreamOpening {
  stream: EventStreamRow;
  from: StreamStart;
  progress: StreamProgress;
  signal: AbortSignal;
  /** Called when the call is about to begin: from now on, silence counts. */
  onCall(): void;
}

/** Result of one stream session. */
export interface StreamProgress {
  /** The connection whose token was used last. */
  live?: LiveConnection;
  hasHeard: boolean;
}

/** Streams changes from Salesforce by the Pub/Sub API: entry point for streams. */
import type { StreamConnector, StreamReader } from "../../connector-kit/stream-connector.ts";
import { deselect, select } from "./event-channel.ts";

export const stream: StreamConnector = { select, deselect, openReader };

/** Loads gRPC with the first stream: it takes 20 MB, which a process without streams does not need. */
function openReader(): StreamReader {
  let reader: Promise<StreamReader> | undefined;
  return {
    async *read(request) {
      reader ??= import("./pubsub-stream.ts").then((loaded) => loaded.openReader());
      yield* (await reader).read(request);
    },
  };
}

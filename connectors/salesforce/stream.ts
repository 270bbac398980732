/** Streams changes from Salesforce by the Pub/Sub API: entry point for streams. */
import type { StreamConnector } from "../../connector-kit/stream-connector.ts";
import { deselect, select } from "./event-channel.ts";
import { openReader } from "./pubsub-stream.ts";

export const stream: StreamConnector = { select, deselect, openReader };

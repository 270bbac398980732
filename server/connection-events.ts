/** Writes the events of a connection's tokens to the outbox. */
import type { ConnectionEvents } from "./credentials/connection-events.ts";
import { connectionError, connectionEvent, connectionFields } from "./events/connection-events.ts";
import { recordEvent } from "./events/record-event.ts";

export const connectionEvents: ConnectionEvents = {
  refreshed: (queries, row) => recordEvent(queries, connectionEvent("refreshed", connectionFields(row))),
  failed: (queries, row, reason) => recordEvent(queries, connectionError(connectionFields(row), [reason])),
};

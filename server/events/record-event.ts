/** Writes events in the transaction of the change that they report, so that both are committed or neither. */
import { newId } from "../../ground/ids.ts";
import { formatTraceparent } from "../../ground/span.ts";
import { queueOutbox } from "../store/database/outbox.ts";
import type { ControlQueries, DataQueries } from "../store/database/sides.ts";
import { insertEvents, type EventRow } from "../store/deliveries/events.ts";
import type { NewEvent } from "./event-types.ts";

/** Records one event. `queries` is the caller's transaction; delivery begins when it commits. */
export const recordEvent = (queries: DataQueries, event: NewEvent): Promise<void> =>
  recordEvents(queries, [event]);

/** Records many events in one statement. */
export async function recordEvents(queries: DataQueries, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await insertEvents(queries, events.map(toEventRow));
}

/** Queues an event in the transaction of a change on the control side, whose outbox leads to the table of events. */
export const queueEvent = (queries: ControlQueries, event: NewEvent): Promise<void> =>
  queueEvents(queries, [event]);

/** Queues many events in one statement. */
export const queueEvents = (queries: ControlQueries, events: NewEvent[]): Promise<void> =>
  queueOutbox(
    queries,
    events.map(toEventRow).map(({ projectId, ...content }) => ({ projectId, kind: "event", content })),
  );

/** Builds the row of an event, for a statement that also writes other tables. */
export const toEventRow = ({ projectId, type, data }: NewEvent): EventRow => ({
  id: newId(),
  projectId,
  type,
  data: JSON.stringify(data),
  traceparent: formatTraceparent(),
});

/** Opens a stream at its provider, and stores what arrives together with the position. */
import { ProviderError } from "../../connector-kit/provider-error.ts";
import type { StreamBatch, StreamStart } from "../../connector-kit/stream-connector.ts";
import { retryWhileDatabaseIsDown } from "../store/database-outage.ts";
import { transact } from "../store/database.ts";
import { moveEventStream, openEventStream, type EventStreamRow } from "../store/event-streams.ts";
import {
  storeReceivedEvents,
  type ReceivedEvent,
  type Recipients,
  type StoredEvents,
} from "../store/subscription-inbox.ts";
import { toReceivedEvent } from "./received-event.ts";
import { requestReconciliations } from "./stream-gaps.ts";
import type { StreamServices } from "./stream-services.ts";
import type { StreamProgress, StreamSource } from "./stream-source.ts";

export interface HeldStreamReading {
  stream: EventStreamRow;
  source: StreamSource;
  stop: AbortSignal;
}

/** Another process has the stream. */
export class LostClaimError extends Error {
  override name = "LostClaimError";
}

/** Our clock and the provider's may differ by so much when a first stream is told from what was before it. */
const CLOCK_MARGIN_MS = 60_000;

/** Throws `ProviderError` or `EgressError` when the stream ends, `LostClaimError` if it belongs to another process. */
export async function readStream(
  deps: StreamServices,
  { stream, source, stop, progress }: HeldStreamReading & { progress: StreamProgress },
): Promise<void> {
  const from = startOf(stream);
  const silence = openWatchdog(deps.silenceMs);
  try {
    const batches = source({
      stream,
      from,
      progress,
      signal: AbortSignal.any([stop, silence.signal]),
      onCall: () => silence.begin(),
    });
    let isOpen = false;
    for await (const batch of batches) {
      silence.end();
      silence.begin();
      await retryWhileDatabaseIsDown(
        () =>
          isOpen
            ? storeBatch(deps, stream, from === "oldest" ? newEnough(stream, batch) : batch)
            : noteOpen(deps, stream),
        { signal: stop },
      );
      progress.hasHeard ||= isOpen;
      isOpen = true;
    }
  } catch (error) {
    if (!silence.signal.aborted || error instanceof LostClaimError) throw error;
    const message = `The provider sent nothing for ${deps.silenceMs / 1_000} s, no sign of life either.`;
    throw new ProviderError({ kind: "unavailable", message, cause: error });
  } finally {
    silence.end();
  }
}

/** Aborts its signal when a silence that began does not end in time. */
function openWatchdog(afterMs: number): { signal: AbortSignal; begin(): void; end(): void } {
  const silence = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: silence.signal,
    begin: () => void (timer = setTimeout(() => silence.abort(), afterMs)),
    end: () => clearTimeout(timer),
  };
}

/** Without a position, a stream that was open before begins with what the provider has kept. */
const startOf = ({ position, startTime }: EventStreamRow): StreamStart =>
  position ?? (startTime === null ? "now" : "oldest");

const noteOpen = ({ database, workerId }: StreamServices, { id }: EventStreamRow): Promise<void> =>
  openEventStream(database.queries, { id, workerId: workerId() });

/** Leaves out what happened before the subscription began. */
function newEnough({ startTime }: EventStreamRow, batch: StreamBatch): StreamBatch {
  const sinceMs = (startTime?.getTime() ?? 0) - CLOCK_MARGIN_MS;
  const events = batch.events.filter(
    ({ occurredTime }) => !occurredTime || occurredTime.getTime() >= sinceMs,
  );
  return { ...batch, events };
}

/** Stores events and position in one commit. */
async function storeBatch(deps: StreamServices, stream: EventStreamRow, batch: StreamBatch): Promise<void> {
  const { id, projectId, provider } = stream;
  const { events, gaps, position } = batch;
  const target = { projectId, provider, installationId: null };
  const received: ReceivedEvent[] = events.map((event) => toReceivedEvent(event, target));
  const stored = await transact(deps.database, async (queries): Promise<StoredEvents | undefined> => {
    const move = { id, workerId: deps.workerId(), position };
    if (!(await moveEventStream(queries, move))) throw new LostClaimError("another process has the stream");
    if (gaps.length > 0) await requestReconciliations(deps, queries, stream, gaps);
    return received.length > 0
      ? storeReceivedEvents(queries, received, deps.windowMs, recipientsOf(stream))
      : undefined;
  });
  if (stored) deps.subscribeMeter?.received(stored);
}

const recipientsOf = ({ id, providerAppId }: EventStreamRow): Recipients =>
  providerAppId === null ? { connectionId: id } : { journalAppId: id };

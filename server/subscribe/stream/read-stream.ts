/** Opens a stream at its provider, and stores what arrives together with the position. */
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { StreamBatch, StreamStart } from "../../../connector-kit/stream-connector.ts";
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import { transactData } from "../../store/database/database.ts";
import {
  lockEventStream,
  moveEventStream,
  openEventStream,
  type EventStreamRow,
} from "../../store/subscriptions/event-streams.ts";
import {
  storeReceivedEvents,
  type ReceivedEvent,
  type Recipients,
  type StoredEvents,
} from "../../store/subscriptions/subscription-inbox.ts";
import { divideByRows } from "../receive/limit-rows.ts";
import { toReceivedEvent } from "../receive/received-event.ts";
import { requestReconciliations } from "./stream-gaps.ts";
import type { StreamServices } from "../definition/subscribe-services.ts";
import type { StreamProgress, StreamSource } from "./stream-source.ts";

export interface HeldStreamReading {
  stream: EventStreamRow;
  source: StreamSource;
  stop: AbortSignal;
}

type StoringServices = Pick<StreamServices, "database" | "workerId" | "windowMs" | "subscribeMeter" | "log">;

/** Thrown when another process has claimed the stream. */
export class LostClaimError extends Error {
  override name = "LostClaimError";
}

/** Tolerated difference between our clock and the provider's when events from before the subscription are left out. */
const CLOCK_MARGIN_MS = 60_000;

/** Throws `ProviderError` or `EgressError` when the stream ends, `LostClaimError` if it belongs to another process. */
export async function readStream(
  deps: StoringServices & Pick<StreamServices, "silenceMs">,
  { stream, source, stop, progress }: HeldStreamReading & { progress: StreamProgress },
): Promise<void> {
  const from = chooseStart(stream);
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
      if (isOpen) {
        await storeBatch(deps, { stream, stop }, from === "oldest" ? keepNewEnough(stream, batch) : batch);
      } else {
        await retryWhileDatabaseIsDown(() => noteOpen(deps, stream), { signal: stop });
      }
      // Storing takes time, which must not count as the provider's silence.
      silence.begin();
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

/** Chooses where to begin. Without a position, a stream that was open before begins with what the provider has kept. */
const chooseStart = ({ position, startTime }: EventStreamRow): StreamStart =>
  position ?? (startTime === null ? "now" : "oldest");

const noteOpen = ({ database, workerId }: StoringServices, { id }: EventStreamRow): Promise<void> =>
  openEventStream(database.data, { id, workerId: workerId() });

/** Drops events from before the subscription. */
function keepNewEnough({ startTime }: EventStreamRow, batch: StreamBatch): StreamBatch {
  const sinceMs = (startTime?.getTime() ?? 0) - CLOCK_MARGIN_MS;
  const events = batch.events.filter(
    ({ occurredTime }) => !occurredTime || occurredTime.getTime() >= sinceMs,
  );
  return { ...batch, events };
}

/**
 * Stores events and position. Many rows are stored in several commits, of which only the last one moves the position: after a
 * crash in between, the provider sends the events again, and the inbox recognises those that it has.
 */
async function storeBatch(
  deps: StoringServices,
  { stream, stop }: { stream: EventStreamRow; stop: AbortSignal },
  batch: StreamBatch,
): Promise<void> {
  const { projectId, provider } = stream;
  const target = { projectId, provider, installationId: null };
  const received = batch.events.map((event) => toReceivedEvent(event, target));
  const inTime = <Answer>(run: () => Promise<Answer>) => retryWhileDatabaseIsDown(run, { signal: stop });
  const { data } = deps.database;
  const parts = await inTime(() => divideByRows(data, received, findRecipients(stream)));
  for (const [index, events] of parts.entries()) {
    if (index > 0) stop.throwIfAborted();
    const isLast = index === parts.length - 1;
    const stored = await inTime(() => storePart(deps, stream, { events, end: isLast ? batch : undefined }));
    if (stored) deps.subscribeMeter?.received(stored);
  }
}

/** Stores some events, and with the last ones how the batch ends. */
const storePart = (
  deps: StoringServices,
  stream: EventStreamRow,
  { events, end }: { events: ReceivedEvent[]; end: Pick<StreamBatch, "gaps" | "position"> | undefined },
): Promise<StoredEvents | undefined> =>
  transactData(deps.database, async (queries) => {
    const claim = { id: stream.id, workerId: deps.workerId() };
    const isOurs = end
      ? await moveEventStream(queries, { ...claim, position: end.position })
      : await lockEventStream(queries, claim);
    if (!isOurs) throw new LostClaimError("another process has the stream");
    if (end && end.gaps.length > 0) await requestReconciliations(deps, queries, stream, end.gaps);
    return events.length > 0
      ? storeReceivedEvents(queries, events, deps.windowMs, findRecipients(stream))
      : undefined;
  });

const findRecipients = ({ id, providerAppId }: EventStreamRow): Recipients =>
  providerAppId === null ? { connectionId: id } : { journalAppId: id };

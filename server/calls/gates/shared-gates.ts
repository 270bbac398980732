/** Connection gates that all processes share: closed in memory at once, in the database for the others. */
import type { Log } from "../../ground/log.ts";
import type { Changes } from "../../store/changes.ts";
import { closeGate, findGate } from "../../store/connection-gates.ts";
import type { Database } from "../../store/database.ts";
import { openProcessGates, type ConnectionGates } from "./process-gates.ts";

export interface SharedGates extends ConnectionGates {
  /** Settles when the others can know; never rejects, since a gate in memory is better than none. */
  close(connectionId: string, until: Date, retryable: boolean): Promise<void>;
}

export function openSharedGates(deps: { database: Database; changes: Changes; log: Log }): SharedGates {
  const local = openProcessGates();
  const { queries } = deps.database;
  deps.changes.subscribe((change) => {
    if (change?.table !== "connection_gates") return;
    findGate(queries, change.id).then(
      (gate) => gate && local.close(gate.connectionId, gate.closedUntil, gate.retryable),
      (error: unknown) => deps.log.warn({ error: String(error) }, "cannot read a connection's gate"),
    );
  });
  return {
    closedUntil: (connectionId) => local.closedUntil(connectionId),
    async close(connectionId, until, retryable) {
      local.close(connectionId, until, retryable);
      await closeGate(queries, { connectionId, until, retryable }).catch((error: unknown) =>
        deps.log.warn({ connectionId, error: String(error) }, "a closed gate could not be shared"),
      );
    },
  };
}

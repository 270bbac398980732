/** Shares closed gates between processes: closed in memory at once, in the database for the others. */
import type { Log } from "../../ground/log.ts";
import type { Changes } from "../../store/changes.ts";
import { closeGate, findGate } from "../../store/connection-gates.ts";
import type { Database } from "../../store/database.ts";
import type { ClosedGate, RateLimit } from "./judge-answer.ts";
import { openProcessGates, type ConnectionGates } from "./process-gates.ts";

export interface SharedGates extends ConnectionGates {
  /** Closes the gate and waits until other processes can know; never rejects: a gate in memory is better than none. */
  closeForAll(connectionId: string, limit: RateLimit): Promise<ClosedGate>;
}

export function openSharedGates(deps: { database: Database; changes: Changes; log: Log }): SharedGates {
  const local = openProcessGates();
  const { queries } = deps.database;
  deps.changes.subscribe((change) => {
    if (change?.table !== "connection_gates") return;
    findGate(queries, change.id).then(
      (gate) =>
        gate && local.adopt(gate.connectionId, { until: gate.closedUntil, retryable: gate.retryable }),
      (error: unknown) => deps.log.warn({ error: String(error) }, "cannot read a connection's gate"),
    );
  });
  const share = (connectionId: string, gate: ClosedGate): Promise<void> =>
    closeGate(queries, { connectionId, ...gate }).catch((error: unknown) =>
      deps.log.warn({ connectionId, error: String(error) }, "a closed gate could not be shared"),
    );
  return {
    closedUntil: (connectionId) => local.closedUntil(connectionId),
    accepted: (connectionId) => local.accepted(connectionId),
    close(connectionId, limit) {
      const gate = local.close(connectionId, limit);
      void share(connectionId, gate);
      return gate;
    },
    async closeForAll(connectionId, limit) {
      const gate = local.close(connectionId, limit);
      await share(connectionId, gate);
      return gate;
    },
  };
}

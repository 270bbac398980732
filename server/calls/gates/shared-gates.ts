/** Remembers the closed gates of connections: in memory for this process, and in the database for the others. */
import { keepRecentlyUsed } from "../../../ground/recently-used.ts";
import { nowMs } from "../../../ground/clock.ts";
import type { Log } from "../../../ground/log.ts";
import type { Changes } from "../../store/database/changes.ts";
import { closeGate, findGate } from "../../store/connections/connection-gates.ts";
import type { Database } from "../../store/database/database.ts";
import { computeClosedGate, computeGivenWaitMs, type ClosedGate, type RateLimit } from "./judge-answer.ts";

export interface ConnectionGates {
  /** Returns undefined when requests may be sent. */
  closedUntil(connectionId: string): ClosedGate | undefined;
  /** Closes the gate for as long as the limit asks, and returns it. One that is closed for longer stays as it is. */
  close(connectionId: string, limit: RateLimit): ClosedGate;
  /** Notes that the provider accepted a request: the next guess is a short one again. */
  accepted(connectionId: string): void;
}

export interface SharedGates extends ConnectionGates {
  /** Closes the gate and waits until other processes can know; never rejects: a gate in memory is better than none. */
  closeForAll(connectionId: string, limit: RateLimit): Promise<ClosedGate>;
}

export function openSharedGates(deps: { database: Database; changes: Changes; log: Log }): SharedGates {
  const local = openProcessGates();
  const { data } = deps.database;
  deps.changes.subscribe((change) => {
    if (change?.table !== "connection_gates") return;
    findGate(data, change.id).then(
      (gate) =>
        gate && local.adopt(gate.connectionId, { until: gate.closedUntil, retryable: gate.retryable }),
      (error: unknown) =>
        deps.log.warn({ connectionId: change.id, error: String(error) }, "cannot read a connection's gate"),
    );
  });
  const share = (connectionId: string, gate: ClosedGate): Promise<void> =>
    closeGate(data, { connectionId, ...gate }).catch((error: unknown) =>
      deps.log.warn({ connectionId, error: String(error) }, "a closed gate could not be shared"),
    );
  return {
    closedUntil: local.closedUntil,
    accepted: local.accepted,
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

interface ProcessGates extends ConnectionGates {
  /** Takes over a gate that another process has closed. */
  adopt(connectionId: string, gate: ClosedGate): ClosedGate;
}

const MAX_CONNECTIONS = 50_000;

/** Opens gates of this process only. */
export function openProcessGates(): ProcessGates {
  const gates = keepRecentlyUsed<ClosedGate>(MAX_CONNECTIONS);
  /** Rate limits in a row that named no time. */
  const guesses = keepRecentlyUsed<number>(MAX_CONNECTIONS);
  const closedUntil = (connectionId: string): ClosedGate | undefined => {
    const gate = gates.get(connectionId);
    if (!gate || gate.until.getTime() > nowMs()) return gate;
    gates.delete(connectionId);
    return undefined;
  };
  const adopt = (connectionId: string, gate: ClosedGate): ClosedGate => {
    const standing = closedUntil(connectionId);
    if (standing && standing.until >= gate.until) return standing;
    gates.set(connectionId, gate);
    return gate;
  };
  return {
    closedUntil,
    adopt,
    close(connectionId, limit) {
      const standing = closedUntil(connectionId);
      const guessed = guesses.get(connectionId) ?? 0;
      if (limit.retryable && computeGivenWaitMs(limit, nowMs()) === undefined) {
        // Concurrent requests hit the same limit: it closes the gate once.
        if (standing) return standing;
        guesses.set(connectionId, guessed + 1);
      }
      return adopt(connectionId, computeClosedGate(limit, guessed, nowMs()));
    },
    accepted: (connectionId) => void guesses.delete(connectionId),
  };
}

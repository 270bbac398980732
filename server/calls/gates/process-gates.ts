/** Keeps the closed gates of connections in the memory of this process. */
import { LRUCache } from "lru-cache";
import { nowMs } from "../../ground/clock.ts";
import { closedGate, givenWaitMs, type ClosedGate, type RateLimit } from "./judge-answer.ts";

export interface ConnectionGates {
  /** Returns undefined when requests may be sent. */
  closedUntil(connectionId: string): ClosedGate | undefined;
  /** Closes the gate for as long as the limit asks, and returns it. One that is closed for longer stays as it is. */
  close(connectionId: string, limit: RateLimit): ClosedGate;
  /** Notes that the provider accepted a request: the next guess is a short one again. */
  accepted(connectionId: string): void;
}

export interface ProcessGates extends ConnectionGates {
  /** Takes over a gate that another process has closed. */
  adopt(connectionId: string, gate: ClosedGate): ClosedGate;
}

const MOST_CONNECTIONS = 50_000;

export function openProcessGates(): ProcessGates {
  const gates = new LRUCache<string, ClosedGate>({ max: MOST_CONNECTIONS });
  /** Rate limits in a row that named no time. */
  const guesses = new LRUCache<string, number>({ max: MOST_CONNECTIONS });
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
      if (limit.retryable && givenWaitMs(limit, nowMs()) === undefined) {
        // Requests that were under way together met one limit.
        if (standing) return standing;
        guesses.set(connectionId, guessed + 1);
      }
      return adopt(connectionId, closedGate(limit, guessed, nowMs()));
    },
    accepted: (connectionId) => void guesses.delete(connectionId),
  };
}

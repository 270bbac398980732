/** Remembers which connections their provider has told to wait, and until when. */
import { LRUCache } from "lru-cache";
import { nowMs } from "../../ground/clock.ts";

export interface ClosedGate {
  until: Date;
  /** False when the provider may have locked the credentials: repeating makes it worse. */
  retryable: boolean;
}

export interface ConnectionGates {
  /** Undefined when calls may go through. */
  closedUntil(connectionId: string): ClosedGate | undefined;
  /** A gate that is closed for longer already stays as it is. */
  close(connectionId: string, until: Date, retryable: boolean): void;
}

const MOST_GATES = 50_000;

/** Gates of this process. */
export function openProcessGates(): ConnectionGates {
  const gates = new LRUCache<string, ClosedGate>({ max: MOST_GATES });
  const closedUntil = (connectionId: string): ClosedGate | undefined => {
    const gate = gates.get(connectionId);
    if (!gate || gate.until.getTime() > nowMs()) return gate;
    gates.delete(connectionId);
    return undefined;
  };
  return {
    closedUntil,
    close(connectionId, until, retryable) {
      const standing = closedUntil(connectionId);
      if (!standing || standing.until < until) gates.set(connectionId, { until, retryable });
    },
  };
}

/** Finds out whether a destination is behind, with less than one query per page. */
import { keepRecentlyUsed } from "../ground/recently-used.ts";
import type { Database } from "../store/database.ts";
import { countWaitingFor } from "../store/destination-backlog.ts";

/** Reading for a destination waits while this many messages wait for it. */
const MOST_WAITING = 200;
const FRESH_MS = 250;
const MOST_DESTINATIONS = 5_000;

export interface WaitingMessages {
  /** Returns whether too many messages wait for the destination. */
  isBehind(destinationId: string): Promise<boolean>;
}

export function openWaitingMessages({ queries }: Database): WaitingMessages {
  const known = keepRecentlyUsed<boolean>(MOST_DESTINATIONS, { ttl: FRESH_MS });
  return {
    async isBehind(destinationId) {
      const before = known.get(destinationId);
      if (before !== undefined) return before;
      const isBehind = (await countWaitingFor(queries, destinationId, MOST_WAITING)) >= MOST_WAITING;
      known.set(destinationId, isBehind);
      return isBehind;
    },
  };
}

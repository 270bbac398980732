/** Finds out whether a destination is behind, with less than one query per page. */
import { elapsedMs } from "../ground/clock.ts";
import { keepRecentlyUsed } from "../ground/recently-used.ts";
import type { Database } from "../store/database.ts";
import { countBacklog } from "../store/destination-backlog.ts";

/** Reading for a destination waits while this many messages wait for it. */
const MOST_WAITING = 200;
/**
 * A destination that works again takes new messages at once, although those that failed before wait for their next attempt,
 * perhaps for hours. This many of them stop reading, so that a destination that often fails collects no more.
 */
const MOST_RETRIES = 5_000;
const FRESH_MS = 250;
/** While a destination fails, one page at these intervals finds out whether it is back. */
const PROBE_EVERY_MS = 60_000;
const MOST_DESTINATIONS = 5_000;

export interface WaitingMessages {
  /** Returns whether too many messages wait for the destination. */
  isBehind(destinationId: string): Promise<boolean>;
}

export function openWaitingMessages(
  { queries }: Database,
  { probeEveryMs = PROBE_EVERY_MS }: { probeEveryMs?: number } = {},
): WaitingMessages {
  const known = keepRecentlyUsed<boolean>(MOST_DESTINATIONS, { ttl: FRESH_MS });
  /** When a page was last read for a destination that fails, or when it was first found to be behind. */
  const probed = keepRecentlyUsed<number>(MOST_DESTINATIONS);

  function mayProbe(destinationId: string): boolean {
    const lastMs = probed.get(destinationId);
    if (lastMs !== undefined && elapsedMs() - lastMs < probeEveryMs) return false;
    probed.set(destinationId, elapsedMs());
    return lastMs !== undefined;
  }

  async function look(destinationId: string): Promise<{ isBehind: boolean; isProbe?: true }> {
    const most = { open: MOST_WAITING, retries: MOST_RETRIES };
    const { open, retries, isFailing } = await countBacklog(queries, destinationId, most);
    if (!isFailing) {
      probed.delete(destinationId);
      return { isBehind: open >= MOST_WAITING || retries >= MOST_RETRIES };
    }
    if (open + retries < MOST_WAITING) return { isBehind: false };
    return mayProbe(destinationId) ? { isBehind: true, isProbe: true } : { isBehind: true };
  }

  return {
    async isBehind(destinationId) {
      const before = known.get(destinationId);
      if (before !== undefined) return before;
      const { isBehind, isProbe } = await look(destinationId);
      known.set(destinationId, isBehind);
      return isBehind && !isProbe;
    },
  };
}

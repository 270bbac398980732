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
/**
 * While a destination fails, one page with records finds out whether it is back: at first at this interval, then after a tenth of the
 * outage so far, so that a receiver that is gone for days collects few messages; at last at 15 times this interval.
 */
const PROBE_EVERY_MS = 60_000;
const MOST_TIMES_LONGER = 15;
const MOST_DESTINATIONS = 5_000;

export interface WaitingMessages {
  /** Returns whether too many messages wait for the destination. */
  isBehind(destinationId: string): Promise<boolean>;
}

interface Probe {
  timeMs: number;
  /** How many messages waited when the probe began; absent if none has begun. */
  waiting?: number;
}

export function openWaitingMessages(
  { queries }: Database,
  { probeEveryMs = PROBE_EVERY_MS }: { probeEveryMs?: number } = {},
): WaitingMessages {
  const known = keepRecentlyUsed<boolean>(MOST_DESTINATIONS, { ttl: FRESH_MS });
  /** The last probe of each destination that fails, or when it was first found to be behind. */
  const probes = keepRecentlyUsed<Probe>(MOST_DESTINATIONS);

  /** A probe that stored no message, because nothing was new, is no probe: another object may have something. */
  function mayProbe(destinationId: string, waiting: number, failingMs: number): boolean {
    const last = probes.get(destinationId);
    if (!last) {
      probes.set(destinationId, { timeMs: elapsedMs() });
      return false;
    }
    const isUnused = last.waiting !== undefined && waiting <= last.waiting && waiting < MOST_RETRIES;
    if (isUnused) return true;
    const everyMs = Math.min(Math.max(failingMs / 10, probeEveryMs), MOST_TIMES_LONGER * probeEveryMs);
    if (elapsedMs() - last.timeMs < everyMs) return false;
    probes.set(destinationId, { timeMs: elapsedMs(), waiting });
    return true;
  }

  async function look(destinationId: string): Promise<{ isBehind: boolean; isProbe?: true }> {
    const most = { open: MOST_WAITING, retries: MOST_RETRIES };
    const { open, retries, failingMs } = await countBacklog(queries, destinationId, most);
    if (failingMs === null) {
      probes.delete(destinationId);
      return { isBehind: open >= MOST_WAITING || retries >= MOST_RETRIES };
    }
    if (open + retries < MOST_WAITING) return { isBehind: false };
    return mayProbe(destinationId, open + retries, failingMs)
      ? { isBehind: true, isProbe: true }
      : { isBehind: true };
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

/** Finds out whether a destination is behind, with less than one query per page. */
import { elapsedMs } from "../../../ground/clock.ts";
import { keepRecentlyUsed } from "../../../ground/recently-used.ts";
import type { Database } from "../../store/database/database.ts";
import { countBacklog } from "../../store/deliveries/destination-backlog.ts";

/** Reading for a destination waits while this many messages wait for it. */
const MAX_WAITING = 200;
/**
 * A destination that works again takes new messages at once, although those that failed before wait for their next attempt,
 * perhaps for hours. This many of them stop reading, so that a destination that often fails collects no more.
 */
const MAX_RETRIES = 5_000;
const FRESH_MS = 250;
/** The most minutes between probes, see `openWaitingMessages`. */
const MAX_MINUTES = 15;
const MAX_DESTINATIONS = 5_000;

export interface WaitingMessages {
  /** Returns whether too many messages wait for the destination. */
  isBehind(destinationId: string): Promise<boolean>;
  /** Records how many messages a page stored for the destination. */
  stored(destinationId: string, messages: number): void;
}

interface Checked {
  isBehind: boolean;
  isProbe?: true;
}

interface Probe {
  timeMs: number;
  /**
   * `reading`: its page is not stored yet, and perhaps never will be. `empty`: the page had no message, because nothing was new, so
   * it was no probe: another object may have something. `sent`: its message is the answer, as is the wait before the first probe.
   */
  state: "reading" | "empty" | "sent";
}

/**
 * While a destination fails, a probe, which is one page with a message, finds out whether it is back: at first every minute, then
 * after a tenth of the outage so far, so that a receiver that is gone for days collects few messages; at last every 15 minutes.
 */
export function openWaitingMessages({ data }: Database, minuteMs: number): WaitingMessages {
  const known = keepRecentlyUsed<boolean>(MAX_DESTINATIONS, { ttl: FRESH_MS });
  /** The last probe of each destination that fails, or when it was first found to be behind. */
  const probes = keepRecentlyUsed<Probe>(MAX_DESTINATIONS);

  function mayProbe(destinationId: string, failingMs: number): boolean {
    const last = probes.get(destinationId);
    if (!last) {
      probes.set(destinationId, { timeMs: elapsedMs(), state: "sent" });
      return false;
    }
    const everyMs = Math.min(Math.max(failingMs / 10, minuteMs), MAX_MINUTES * minuteMs);
    const isDue = elapsedMs() - last.timeMs >= everyMs;
    if (last.state !== "empty" && !isDue) return false;
    probes.set(destinationId, { timeMs: isDue ? elapsedMs() : last.timeMs, state: "reading" });
    return true;
  }

  const checking = new Map<string, Promise<Checked>>();

  async function check(destinationId: string): Promise<Checked> {
    const max = { open: MAX_WAITING, retries: MAX_RETRIES };
    const { open, retries, failingMs } = await countBacklog(data, destinationId, max);
    if (failingMs === null) {
      probes.delete(destinationId);
      return { isBehind: open >= MAX_WAITING || retries >= MAX_RETRIES };
    }
    if (open + retries < MAX_WAITING) return { isBehind: false };
    return mayProbe(destinationId, failingMs) ? { isBehind: true, isProbe: true } : { isBehind: true };
  }

  return {
    async isBehind(destinationId) {
      const before = known.get(destinationId);
      if (before !== undefined) return before;
      // Many objects of one destination become due at once. Only the first of them can be the probe.
      const underWay = checking.get(destinationId);
      if (underWay) return (await underWay).isBehind;
      const checked = check(destinationId).finally(() => checking.delete(destinationId));
      checking.set(destinationId, checked);
      const { isBehind, isProbe } = await checked;
      known.set(destinationId, isBehind);
      return isBehind && !isProbe;
    },
    stored(destinationId, messages) {
      const probe = probes.get(destinationId);
      if (probe?.state === "reading") probe.state = messages > 0 ? "sent" : "empty";
    },
  };
}

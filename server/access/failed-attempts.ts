/** Slows guessing down: whoever was wrong too often has to wait, whatever they send next. */
import { LRUCache } from "lru-cache";
import { nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";

export interface FailedAttempts {
  /** Throws `too-many-requests` while `address` has to wait. */
  require(address: string): void;
  note(address: string): void;
}

const MOST_FAILURES = 10;
const WINDOW_MS = 60_000;
const MOST_ADDRESSES = 10_000;

/**
 * Ten failures a minute from one address, counted by each process. The keys have 256 random bits and are not to be
 * guessed at any speed; this is for a key that a person chose, and keeps the log readable.
 */
export function openFailedAttempts(): FailedAttempts {
  const failures = new LRUCache<string, { count: number; untilMs: number }>({ max: MOST_ADDRESSES });
  const current = (address: string) => {
    const known = failures.get(address);
    return known && known.untilMs > nowMs() ? known : undefined;
  };
  return {
    require(address) {
      const known = current(address);
      if (!known || known.count < MOST_FAILURES) return;
      throw new Problem("too-many-requests", {
        detail: "Too many wrong keys came from your address. Wait a minute, then send the right one.",
        retryAfter: new Date(known.untilMs),
      });
    },
    note(address) {
      const known = current(address);
      if (known) known.count += 1;
      else failures.set(address, { count: 1, untilMs: nowMs() + WINDOW_MS });
    },
  };
}

/** Slows guessing down: whoever was wrong too often has to wait, whatever they send next and to which process. */
import { LRUCache } from "lru-cache";
import { nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";
import type { Queries } from "../store/database.ts";
import { findFailures, noteFailure } from "../store/sign-in-failures.ts";

export interface FailedAttempts {
  /** Throws `too-many-requests` while whoever has `address` has to wait. */
  require(address: string): Promise<void>;
  note(address: string): Promise<void>;
}

const MOST_FAILURES = 10;
const WINDOW_SECONDS = 60;
const MOST_ADDRESSES = 10_000;

/**
 * Ten failures a minute from one address. The keys have 256 random bits and are not to be guessed at any speed; this is
 * for a key that a person chose, and keeps the log readable.
 */
export function openFailedAttempts(queries: Queries): FailedAttempts {
  /** Who has to wait until when: the database is not asked about them before. */
  const waiting = new LRUCache<string, Date>({ max: MOST_ADDRESSES });
  return {
    async require(address) {
      const known = waiting.get(address);
      if (known && known.getTime() > nowMs()) throw tooMany(known);
      const failures = await findFailures(queries, address);
      if (!failures || failures.count < MOST_FAILURES) return;
      waiting.set(address, failures.until);
      throw tooMany(failures.until);
    },
    note: (address) => noteFailure(queries, address, WINDOW_SECONDS),
  };
}

const tooMany = (until: Date): Problem =>
  new Problem("too-many-requests", {
    detail: "Too many wrong keys came from your address. Wait a minute, then send the right one.",
    retryAfter: until,
  });

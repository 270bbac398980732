/** Rate limits sign-ins by address after wrong keys, over all processes. */
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import { nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import type { ControlQueries } from "../store/database/sides.ts";
import { findFailures, noteFailure } from "../store/access/sign-in-failures.ts";

interface FailedAttempts {
  /** Throws `too-many-requests` while `address` is blocked. */
  require(address: string): Promise<void>;
  note(address: string): Promise<void>;
}

const MAX_FAILURES = 10;
const WINDOW_SECONDS = 60;
const MAX_ADDRESSES = 10_000;

/**
 * Allows ten failures a minute from one address. Generated keys have 256 random bits and cannot be guessed; the limit is
 * for keys that the operator chose, and keeps the log short.
 */
export function openFailedAttempts(queries: ControlQueries): FailedAttempts {
  /** Blocked addresses and until when; the database is not queried for them before. */
  const waiting = keepRecentlyUsed<Date>(MAX_ADDRESSES);
  return {
    async require(address) {
      const known = waiting.get(address);
      if (known && known.getTime() > nowMs()) throw refuseTooMany(known);
      const failures = await findFailures(queries, address);
      if (!failures || failures.count < MAX_FAILURES) return;
      waiting.set(address, failures.until);
      throw refuseTooMany(failures.until);
    },
    note: (address) => noteFailure(queries, address, WINDOW_SECONDS),
  };
}

const refuseTooMany = (until: Date): Problem =>
  new Problem("too-many-requests", {
    detail: "Too many wrong keys came from your address. Wait a minute, then send the right one.",
    retryAfter: until,
  });

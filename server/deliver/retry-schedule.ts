/** When a failed attempt is repeated. */
import type { Outcome } from "../../destination-kit/destination.ts";

/** Milliseconds until the next attempt after one that failed; undefined when that was the last. */
export type Retry = (
  failuresBefore: number,
  outcome: Pick<Outcome, "retryAfterMs" | "overloaded">,
) => number | undefined;

/** Spread, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * `gapsSeconds` lie between attempts. A receiver's `Retry-After` may stretch a gap to twice its length, and after a
 * time-out or a 429 it is `minuteMs` at least, spread as well.
 */
export function retrySchedule(
  { gapsSeconds, minuteMs }: { gapsSeconds: number[]; minuteMs: number },
  random: () => number = Math.random,
): Retry {
  return (failuresBefore, { retryAfterMs = 0, overloaded = false }) => {
    const gap = gapsSeconds[failuresBefore];
    if (gap === undefined) return undefined;
    const plannedMs = gap * 1000 * (1 - JITTER + 2 * JITTER * random());
    const askedMs = Math.min(Math.max(plannedMs, retryAfterMs), 2 * plannedMs);
    return overloaded ? Math.max(askedMs, minuteMs * (1 + JITTER * random())) : askedMs;
  };
}

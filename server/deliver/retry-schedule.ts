/** Decides when a failed attempt is retried. */
import type { Outcome } from "../../destination-kit/destination.ts";

/** Returns the milliseconds until the next attempt; undefined when the failed one was the last. */
export type Retry = (
  failuresBefore: number,
  outcome: Pick<Outcome, "retryAfterMs" | "overloaded">,
) => number | undefined;

/** Jitter, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/**
 * Returns when to retry. `gapsSeconds` are the gaps between attempts. A receiver's `Retry-After` may extend a gap to twice its
 * length; after a timeout or a 429 the gap is at least `minuteMs`, with jitter.
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

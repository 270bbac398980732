/** Token buckets: they limit how many calls an id may make per second. In memory, so each process counts its own. */
import { keepRecentlyUsed } from "./recently-used.ts";
import { nowMs } from "./clock.ts";

export interface Rate {
  perSecond: number;
  /** Calls at once after a pause. */
  burst: number;
}

const MAX_BUCKETS = 50_000;

export class TokenBuckets {
  /** The least recently used bucket is dropped. By then it is full, unless more ids than `max` call within a second. */
  readonly #buckets = keepRecentlyUsed<{ tokens: number; atMs: number }>(MAX_BUCKETS);

  /** Returns the milliseconds until the id may call; 0: now. */
  waitMs(id: string, rate: Rate): number {
    const tokens = this.#tokens(id, rate);
    return tokens >= 1 ? 0 : ((1 - tokens) / rate.perSecond) * 1_000;
  }

  /** Counts a call. */
  take(id: string, rate: Rate): void {
    this.#buckets.set(id, { tokens: this.#tokens(id, rate) - 1, atMs: nowMs() });
  }

  /** Returns the tokens of a bucket, which fills at a constant rate. */
  #tokens(id: string, { perSecond, burst }: Rate): number {
    const bucket = this.#buckets.get(id);
    if (!bucket) return burst;
    return Math.min(burst, bucket.tokens + ((nowMs() - bucket.atMs) / 1_000) * perSecond);
  }
}

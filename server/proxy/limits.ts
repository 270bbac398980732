/** Limits how many calls one connection or one project may make, where the operator configures it. Counts per process. */
import { nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import { TokenBuckets, type Rate } from "../../ground/token-buckets.ts";

/** Zero: no limit. */
export interface ProxyLimitSettings {
  connectionConcurrency: number;
  connectionPerSecond: number;
  projectConcurrency: number;
  projectPerSecond: number;
}

export interface ProxyLimits {
  /** Counts a call and returns the function that ends it. Throws a 429 Problem with `retryAfter` beyond a limit. */
  enter(target: { connectionId: string; projectId: string }): () => void;
}

/** Returns undefined when nothing is limited, so that the usual call pays nothing. */
export function openLimits(limits: ProxyLimitSettings): ProxyLimits | undefined {
  if (Object.values(limits).every((limit) => limit === 0)) return undefined;
  const connections = new CallCounter("connection", limits.connectionConcurrency, limits.connectionPerSecond);
  const projects = new CallCounter("project", limits.projectConcurrency, limits.projectPerSecond);
  return {
    enter({ connectionId, projectId }) {
      // Both are checked before either is counted, so that a refused call uses up nothing.
      projects.check(projectId);
      connections.check(connectionId);
      projects.count(projectId);
      connections.count(connectionId);
      return () => {
        projects.leave(projectId);
        connections.leave(connectionId);
      };
    },
  };
}

/** Counts calls in progress, and calls per second with a token bucket, for each id of one kind. */
class CallCounter {
  readonly #kind: string;
  readonly #concurrency: number;
  readonly #rate: Rate;
  readonly #inProgress = new Map<string, number>();
  readonly #buckets = new TokenBuckets();

  constructor(kind: string, concurrency: number, perSecond: number) {
    this.#kind = kind;
    this.#concurrency = concurrency;
    this.#rate = { perSecond, burst: Math.max(1, perSecond) };
  }

  /** Throws a 429 Problem when one more call would exceed a limit. */
  check(id: string): void {
    if (this.#concurrency > 0 && (this.#inProgress.get(id) ?? 0) >= this.#concurrency) {
      throw this.#refusal(`already has ${this.#concurrency} calls in progress, the most allowed`, 1_000);
    }
    if (this.#rate.perSecond === 0) return;
    const waitMs = this.#buckets.waitMs(id, this.#rate);
    if (waitMs > 0) throw this.#refusal(`exceeds ${this.#rate.perSecond} calls per second`, waitMs);
  }

  count(id: string): void {
    if (this.#concurrency > 0) this.#inProgress.set(id, (this.#inProgress.get(id) ?? 0) + 1);
    if (this.#rate.perSecond > 0) this.#buckets.take(id, this.#rate);
  }

  leave(id: string): void {
    const left = (this.#inProgress.get(id) ?? 1) - 1;
    if (left > 0) this.#inProgress.set(id, left);
    else this.#inProgress.delete(id);
  }

  #refusal(what: string, waitMs: number): Problem {
    return new Problem("too-many-requests", {
      detail: `This ${this.#kind} ${what}. The limit is set by the operator of this Busbar, not by the provider. Try again later.`,
      retryAfter: new Date(nowMs() + waitMs),
    });
  }
}

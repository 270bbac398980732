/** How much one connection or one project may use of the proxy, where the operator says so. */
import { LRUCache } from "lru-cache";
import { nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";

/** Zero: without limit. */
export interface ProxyLimits {
  connectionConcurrency: number;
  connectionPerSecond: number;
  projectConcurrency: number;
  projectPerSecond: number;
}

export interface Limits {
  /** Counts a call in; answers how to count it out. Throws a 429 Problem that says when to come again. */
  enter(target: { connectionId: string; projectId: string }): (() => void) | Promise<() => void>;
}

/** Those that are counted here, so that nobody has to wait. */
export interface CountingLimits extends Limits {
  enter(target: { connectionId: string; projectId: string }): () => void;
}

/** Undefined when nothing is limited, so that the usual call pays nothing. */
export function openLimits(limits: ProxyLimits): CountingLimits | undefined {
  if (Object.values(limits).every((limit) => limit === 0)) return undefined;
  const connection = new Share("connection", limits.connectionConcurrency, limits.connectionPerSecond);
  const project = new Share("project", limits.projectConcurrency, limits.projectPerSecond);
  return {
    enter({ connectionId, projectId }) {
      // Both are asked before either is counted: a refused call uses nothing up.
      project.require(projectId);
      connection.require(connectionId);
      project.count(projectId);
      connection.count(connectionId);
      return () => {
        project.leave(projectId);
        connection.leave(connectionId);
      };
    },
  };
}

const MOST_BUCKETS = 50_000;

/** Calls under way and a bucket of one second's worth of calls, for each connection or each project. */
class Share {
  readonly #what: string;
  readonly #concurrency: number;
  readonly #perSecond: number;
  readonly #underWay = new Map<string, number>();
  readonly #buckets = new LRUCache<string, { calls: number; atMs: number }>({ max: MOST_BUCKETS });

  constructor(what: string, concurrency: number, perSecond: number) {
    this.#what = what;
    this.#concurrency = concurrency;
    this.#perSecond = perSecond;
  }

  require(id: string): void {
    if (this.#concurrency > 0 && (this.#underWay.get(id) ?? 0) >= this.#concurrency) {
      throw this.#refusal(`has ${this.#concurrency} calls under way, which is all it may have`, 1_000);
    }
    const { calls } = this.#bucket(id);
    if (this.#perSecond > 0 && calls < 1) {
      const waitMs = ((1 - calls) / this.#perSecond) * 1_000;
      throw this.#refusal(`may make ${this.#perSecond} calls a second`, waitMs);
    }
  }

  count(id: string): void {
    if (this.#concurrency > 0) this.#underWay.set(id, (this.#underWay.get(id) ?? 0) + 1);
    if (this.#perSecond > 0) this.#buckets.set(id, { calls: this.#bucket(id).calls - 1, atMs: nowMs() });
  }

  leave(id: string): void {
    const left = (this.#underWay.get(id) ?? 1) - 1;
    if (left > 0) this.#underWay.set(id, left);
    else this.#underWay.delete(id);
  }

  /** What the bucket holds now: it fills evenly, up to a second's worth, and never below what one call needs. */
  #bucket(id: string): { calls: number } {
    const full = Math.max(1, this.#perSecond);
    const known = this.#buckets.get(id);
    if (!known) return { calls: full };
    return { calls: Math.min(full, known.calls + ((nowMs() - known.atMs) / 1_000) * this.#perSecond) };
  }

  #refusal(what: string, waitMs: number): Problem {
    return new Problem("too-many-requests", {
      detail: `This ${this.#what} ${what}: a limit of this Busbar, not of the provider. Come again a little later.`,
      retryAfter: new Date(nowMs() + waitMs),
    });
  }
}

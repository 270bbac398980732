/** Shares the slots for token refreshes fairly, so that a slow token endpoint does not delay other connections. */
import { computeHeadroom } from "../../jobs/fair-share.ts";
import type { RefreshQueue } from "../../store/connections/token-refreshes.ts";

export interface RefreshLimits {
  /** Refreshes that one process has under way at once. */
  max: number;
  /** Refreshes that one process has under way for one provider. */
  maxPerProvider: number;
}

export interface RefreshSlots {
  /** Runs `work` once it has a slot; rejects with `SlotGivenUp` if `isWanted` returns false by then. */
  run<Value>(queue: RefreshQueue, isWanted: () => boolean, work: () => Promise<Value>): Promise<Value>;
  /** The queues with waiting callers. */
  waiting(): RefreshQueue[];
}

export class SlotGivenUp extends Error {
  override name = "SlotGivenUp";
}

/** Share of the slots that only projects and providers without a refresh in progress may use. */
const RESERVED_SHARE = 0.2;
/** A project or provider with refreshes in progress may have this many times the slots that are still free. */
const TIMES_FREE = 2;

interface WaitingCaller {
  isWanted(): boolean;
  start(): void;
  giveUp(): void;
}

/**
 * A queue is a project's connections to one provider. Projects take turns, and so do the providers of a project.
 *
 * A project gets at most twice as many slots as are still free, both of a provider's slots and of all slots. A provider
 * gets at most twice as many of all slots as are still free. A fifth of the slots is reserved for projects and providers
 * without a refresh in progress. Therefore one project alone gets half of a provider's slots, several slow projects get
 * fewer each, and a later one finds a free slot.
 */
export function openRefreshSlots({ max, maxPerProvider }: RefreshLimits): RefreshSlots {
  /** Waiting callers by project and provider; both maps are in the order of service. */
  const waiting = new Map<string, Map<string, WaitingCaller[]>>();
  const running = new Counts();

  const mayStart = ({ projectId, provider }: RefreshQueue): boolean => {
    const [all, ofProvider] = [running.of("all"), running.of(provider)];
    return (
      isFair(ofProvider, all, max) &&
      isFair(running.of(projectId), all, max) &&
      isFair(running.of(getKey({ projectId, provider })), ofProvider, maxPerProvider)
    );
  };

  /** Returns the next waiting caller of the first queue that may start one, and moves that queue behind the others. */
  const next = (): { queue: RefreshQueue; caller: WaitingCaller } | undefined => {
    for (const [projectId, providers] of waiting) {
      for (const [provider, callers] of providers) {
        const queue = { projectId, provider };
        if (!mayStart(queue)) continue;
        const caller = callers.shift();
        waiting.delete(projectId);
        providers.delete(provider);
        if (callers.length > 0) providers.set(provider, callers);
        if (providers.size > 0) waiting.set(projectId, providers);
        if (caller) return { queue, caller };
      }
    }
    return undefined;
  };

  const startAll = (): void => {
    for (let found = next(); found; found = next()) {
      if (found.caller.isWanted()) {
        running.add(found.queue, 1);
        found.caller.start();
      } else {
        found.caller.giveUp();
      }
    }
  };

  return {
    waiting: () =>
      [...waiting].flatMap(([projectId, providers]) =>
        [...providers.keys()].map((provider) => ({ projectId, provider })),
      ),
    async run(queue, isWanted, work) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const { projectId, provider } = queue;
      const providers = waiting.get(projectId) ?? new Map<string, WaitingCaller[]>();
      const callers = providers.get(provider) ?? [];
      callers.push({ isWanted, start: resolve, giveUp: () => reject(new SlotGivenUp()) });
      waiting.set(projectId, providers.set(provider, callers));
      startAll();
      await promise;
      try {
        return await work();
      } finally {
        running.add(queue, -1);
        startAll();
      }
    },
  };
}

/** Returns whether an owner of `own` of the `taken` slots may take another one. */
const isFair = (own: number, taken: number, slots: number): boolean =>
  taken < slots &&
  (own === 0 || computeHeadroom({ own, free: slots * (1 - RESERVED_SHARE) - taken, times: TIMES_FREE }) > 0);

const getKey = ({ projectId, provider }: RefreshQueue): string => `${projectId} ${provider}`;

/** Refreshes under way, in all and by project, provider and queue. */
class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(queue: RefreshQueue, change: 1 | -1): void {
    for (const name of ["all", queue.projectId, queue.provider, getKey(queue)]) {
      const count = this.of(name) + change;
      if (count > 0) this.#counts.set(name, count);
      else this.#counts.delete(name);
    }
  }
}

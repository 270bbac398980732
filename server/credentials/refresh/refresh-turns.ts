/** Shares the places for token refreshes fairly, so that no slow token endpoint makes other customers wait. */
import type { RefreshQueue } from "../../store/token-refreshes.ts";

export interface RefreshLimits {
  /** Refreshes that one process has under way at once. */
  most: number;
  /** Of one provider. */
  mostOfProvider: number;
}

export interface RefreshTurns {
  /** Runs `work` when it is its turn; rejects with `TurnGivenUp` if `isWanted` answers false then. */
  run<Value>(queue: RefreshQueue, isWanted: () => boolean, work: () => Promise<Value>): Promise<Value>;
  /** The queues in which somebody waits. */
  waiting(): RefreshQueue[];
}

export class TurnGivenUp extends Error {
  override name = "TurnGivenUp";
}

/** These are kept free for those who have no refresh under way. */
const RESERVED_SHARE = 0.2;
/** One who has some may have so many times the places that are still free. */
const TIMES_FREE = 2;

interface Turn {
  isWanted(): boolean;
  start(): void;
  giveUp(): void;
}

/**
 * A queue is a project's connections to one provider. Projects take turns, and so do the providers of a project.
 *
 * A project has at most twice as many places as are still free, of a provider's places and of all, a provider likewise of
 * all; a fifth of the places counts as taken except for those who have none. So one project alone gets half of a
 * provider's places, several slow ones get fewer each, and one that comes later finds a free place.
 */
export function openRefreshTurns({ most, mostOfProvider }: RefreshLimits): RefreshTurns {
  /** By project, then by provider, in the order of their turns. */
  const waiting = new Map<string, Map<string, Turn[]>>();
  const running = new Counts();

  const mayStart = ({ projectId, provider }: RefreshQueue): boolean => {
    const [all, ofProvider] = [running.of("all"), running.of(provider)];
    return (
      isFair(ofProvider, all, most) &&
      isFair(running.of(projectId), all, most) &&
      isFair(running.of(keyOf({ projectId, provider })), ofProvider, mostOfProvider)
    );
  };

  /** The first queue whose turn it is; it goes to the end of the line. */
  const next = (): { queue: RefreshQueue; turn: Turn } | undefined => {
    for (const [projectId, providers] of waiting) {
      for (const [provider, turns] of providers) {
        const queue = { projectId, provider };
        if (!mayStart(queue)) continue;
        const turn = turns.shift();
        waiting.delete(projectId);
        providers.delete(provider);
        if (turns.length > 0) providers.set(provider, turns);
        if (providers.size > 0) waiting.set(projectId, providers);
        if (turn) return { queue, turn };
      }
    }
    return undefined;
  };

  const startAll = (): void => {
    for (let found = next(); found; found = next()) {
      if (found.turn.isWanted()) {
        running.add(found.queue, 1);
        found.turn.start();
      } else {
        found.turn.giveUp();
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
      const providers = waiting.get(projectId) ?? new Map<string, Turn[]>();
      const turns = providers.get(provider) ?? [];
      turns.push({ isWanted, start: resolve, giveUp: () => reject(new TurnGivenUp()) });
      waiting.set(projectId, providers.set(provider, turns));
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

/** Whether one who has `own` of the `taken` places may take another. */
const isFair = (own: number, taken: number, places: number): boolean =>
  taken < places && (own === 0 || own < TIMES_FREE * (places * (1 - RESERVED_SHARE) - taken));

const keyOf = ({ projectId, provider }: RefreshQueue): string => `${projectId} ${provider}`;

/** Refreshes under way, in all and by project, provider and queue. */
class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(queue: RefreshQueue, change: 1 | -1): void {
    for (const name of ["all", queue.projectId, queue.provider, keyOf(queue)]) {
      const count = this.of(name) + change;
      if (count > 0) this.#counts.set(name, count);
      else this.#counts.delete(name);
    }
  }
}

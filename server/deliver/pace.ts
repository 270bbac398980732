/** Keeps all processes together below so many webhooks a second per project. */
import type { Queries } from "../store/database.ts";
import { reservePaces } from "../store/deliveries.ts";

/** Resolves when a message of the project may leave. */
export type Pace = (projectId: string) => Promise<void>;

const RETRY_MS = 100;

/**
 * Moments are reserved in the database, `1 / perSecond` apart, for all messages that wait at once in one statement:
 * never more than `perSecond` leave in any second, whoever sends them. 0: no limit.
 */
export function openPace(queries: Queries, perSecond: number): Pace {
  if (perSecond === 0) return async () => {};
  const apartMs = 1000 / perSecond;
  let waiting = new Map<string, (() => void)[]>();
  let running = false;

  const run = async (): Promise<void> => {
    running = true;
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      const wanted = [...batch].map(([projectId, starts]) => ({ projectId, count: starts.length }));
      const waits = await reserve(wanted);
      for (const [projectId, starts] of batch) {
        const firstMs = waits.get(projectId) ?? 0;
        starts.forEach((start, index) => startAfter(firstMs + index * apartMs, start));
      }
    }
    running = false;
  };
  const reserve = async (wanted: { projectId: string; count: number }[]): Promise<Map<string, number>> => {
    for (;;) {
      try {
        return await reservePaces(queries, wanted, apartMs);
      } catch {
        // The database is away: nothing could be noted either, so nothing leaves.
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  };
  return (projectId) =>
    new Promise((resolve) => {
      const starts = waiting.get(projectId);
      if (starts) starts.push(resolve);
      else waiting.set(projectId, [resolve]);
      if (!running) void run();
    });
}

const startAfter = (waitMs: number, start: () => void): void => {
  if (waitMs < 1) start();
  else setTimeout(start, waitMs);
};

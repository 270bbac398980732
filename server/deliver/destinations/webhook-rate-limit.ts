/** Limits the webhooks per second of each project, over all processes together. */
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { reservePaces } from "../../store/deliveries/deliveries.ts";

export interface WebhookRateLimit {
  /** Resolves when a message of the project may be sent, and at once after `stop`. */
  take(projectId: string): Promise<void>;
  stop(): void;
}

/**
 * Reserves send times in the database, `1 / perSecond` apart, with one statement for all messages that wait: all processes
 * together never send more than `perSecond` in any second. 0 means no limit.
 */
export function openWebhookRateLimit(queries: ControlQueries, perSecond: number): WebhookRateLimit {
  if (perSecond === 0) return { take: async () => {}, stop: () => {} };
  const apartMs = 1000 / perSecond;
  const timers = new Map<NodeJS.Timeout, () => void>();
  let waiting = new Map<string, (() => void)[]>();
  let running = false;
  const stopping = new AbortController();

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
  /** While the database is away results could not be saved either, so nothing is sent. */
  const reserve = (wanted: { projectId: string; count: number }[]): Promise<Map<string, number>> =>
    retryWhileDatabaseIsDown(() => reservePaces(queries, wanted, apartMs), {
      isTemporary: () => true,
      signal: stopping.signal,
    }).catch(() => new Map());
  const startAfter = (waitMs: number, start: () => void): void => {
    if (waitMs < 1 || stopping.signal.aborted) return start();
    const timer = setTimeout(() => {
      timers.delete(timer);
      start();
    }, waitMs);
    timers.set(timer, start);
  };
  return {
    take(projectId) {
      if (stopping.signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const starts = waiting.get(projectId);
        if (starts) starts.push(resolve);
        else waiting.set(projectId, [resolve]);
        if (!running) void run();
      });
    },
    stop() {
      stopping.abort();
      for (const [timer, start] of timers) {
        clearTimeout(timer);
        start();
      }
      timers.clear();
    },
  };
}

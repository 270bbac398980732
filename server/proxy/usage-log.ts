/** Collects one line per proxied call in memory and stores them in batches, off the path of the calls. */
import type { Log } from "../ground/log.ts";
import type { Database } from "../store/database.ts";
import { insertProxyUsage, type ProxyUse } from "../store/proxy-usage.ts";

export interface UsageLog {
  add(use: ProxyUse): void;
  /** Lines dropped since the start, because the database was unavailable and the buffer was full. */
  readonly dropped: number;
  /** Stores the remaining lines, as far as the database is available. */
  close(): Promise<void>;
}

const FLUSH_MS = 1_000;
const BATCH = 2_000;
/** About 20 MB when full. */
const MOST_WAITING = 50_000;
/** Longer paths are cut off. */
const MAX_PATH_LENGTH = 1_024;

export function openUsageLog(deps: { database: Database; log: Log }): UsageLog {
  const waiting: ProxyUse[] = [];
  let dropped = 0;
  let reported = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let closed = false;

  const store = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        await insertProxyUsage(deps.database.queries, batch);
      } catch (error) {
        deps.log.warn(
          { error: String(error), waiting: waiting.length + batch.length },
          "usage lines not stored yet",
        );
        const room = MOST_WAITING - waiting.length;
        dropped += Math.max(0, batch.length - room);
        waiting.unshift(...batch.slice(0, Math.max(0, room)));
        break;
      }
    }
    if (dropped > reported) deps.log.warn({ dropped: dropped - reported }, "usage lines dropped");
    reported = dropped;
  };
  const flush = (): Promise<void> => {
    timer = undefined;
    running ??= store().finally(() => {
      running = undefined;
      if (waiting.length > 0 && !closed) timer ??= setTimeout(flush, FLUSH_MS).unref();
    });
    return running;
  };

  return {
    add(use) {
      if (waiting.length >= MOST_WAITING) {
        dropped += 1;
        return;
      }
      if (use.path.length > MAX_PATH_LENGTH) use.path = use.path.slice(0, MAX_PATH_LENGTH);
      waiting.push(use);
      timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    get dropped() {
      return dropped;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
      await store();
    },
  };
}

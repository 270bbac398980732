/** Collects rows in memory and stores them in batches, so that the requests that they describe do not wait. */
import { runOutsideWork } from "../../ground/current-work.ts";
import type { Log } from "../../ground/log.ts";

export interface Batches<Row> {
  add(row: Row): void;
  /** Rows dropped since the start, because the database was unavailable and the buffer was full. */
  readonly dropped: number;
  /** Stores the remaining rows, as far as the database is available. */
  close(): Promise<void>;
}

const FLUSH_MS = 1_000;

export function storeInBatches<Row>(options: {
  /** In the log. */
  what: string;
  log: Log;
  /** Rows of one statement, and of the buffer. */
  batch: number;
  maxWaiting: number;
  insert: (rows: Row[]) => Promise<void>;
}): Batches<Row> {
  const { what, log, batch: size, maxWaiting } = options;
  const waiting: Row[] = [];
  let dropped = 0;
  let reported = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let closed = false;

  const store = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, size);
      try {
        await options.insert(batch);
      } catch (error) {
        log.warn({ error: String(error), waiting: waiting.length + batch.length }, `${what} not stored yet`);
        const capacity = maxWaiting - waiting.length;
        dropped += Math.max(0, batch.length - capacity);
        waiting.unshift(...batch.slice(0, Math.max(0, capacity)));
        break;
      }
    }
    if (dropped > reported) log.warn({ dropped: dropped - reported }, `${what} dropped`);
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
    add(row) {
      if (waiting.length >= maxWaiting) {
        dropped += 1;
        return;
      }
      waiting.push(row);
      timer ??= runOutsideWork(() => setTimeout(flush, FLUSH_MS).unref());
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

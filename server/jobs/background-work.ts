/** Runs work on connections that no caller waits for: failures are logged, and a stop waits for it. */
import { withWorkIds, type WorkIds } from "../../ground/current-work.ts";
import type { Log } from "../../ground/log.ts";

export interface BackgroundWork {
  /** `failed` is the log message for a failure. Each line of the work has the ids. */
  run(ids: WorkIds, failed: string, work: () => Promise<unknown>): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export function openBackgroundWork(log: Log): BackgroundWork {
  const running = new Set<Promise<unknown>>();
  return {
    run(ids, failed, work) {
      const started: Promise<unknown> = withWorkIds(ids, work)
        .catch((error: unknown) => log.warn({ ...ids, error: String(error) }, failed))
        .finally(() => running.delete(started));
      running.add(started);
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

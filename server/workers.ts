/** The background work of a process with the `worker` role, started and stopped together. */
import { chores } from "./retention-rules.ts";
import { startRenewAhead } from "./calls/refresh-ahead.ts";
import { startDeliveries } from "./deliver/delivery-engine.ts";
import { startSweeper } from "./jobs/retention.ts";
import type { Opened } from "./services.ts";
import { startWriteWorker } from "./write/write-worker.ts";

export interface Workers {
  /** False when some of it has stopped although nobody asked it to. */
  readonly running: boolean;
  stop(): Promise<void>;
}

export function startWorkers(on: Opened): Workers {
  const writes = startWriteWorker({
    ...on,
    workerId: () => on.identity.id,
    dead: (ids) => on.identity.dead(ids),
    retryBaseMs: on.config.retryBaseSeconds * 1_000,
  });
  const renewals = startRenewAhead(on);
  const sweeper = startSweeper({ log: on.log, chores: chores(on) });
  const deliveries = startDeliveries({
    ...on,
    publicUrl: () => on.address.publicUrl,
    onAttempt: on.metrics?.onAttempt,
  });
  on.onWork.listener = () => writes.wake();
  return {
    get running() {
      return writes.running && deliveries.running;
    },
    stop: async () => {
      await Promise.all([writes.stop(), renewals.stop(), deliveries.stop(), sweeper.stop()]);
    },
  };
}

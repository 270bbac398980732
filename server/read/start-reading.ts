/** Starts reading: keeps read objects in line with configurations, begins scheduled reads, and executes reads. */
import { startBeginningReads, type BeginReadsServices } from "./begin-reads.ts";
import { startReadWorker, type ReadWorkerServices } from "./read-worker.ts";
import { startSyncingReads, type SyncServices } from "./sync-read-objects.ts";

type Services = ReadWorkerServices & Omit<BeginReadsServices & SyncServices, "onRuns">;

export interface Reading {
  /** False if the worker has stopped unexpectedly. */
  readonly running: boolean;
  /** To be called when there are new runs. */
  wake(): void;
  stop(): Promise<void>;
}

export function startReading(deps: Services): Reading {
  const worker = startReadWorker(deps);
  const onRuns = (): void => worker.wake();
  const syncing = startSyncingReads({ ...deps, onRuns });
  const beginning = startBeginningReads({ ...deps, onRuns });
  return {
    get running() {
      return worker.running;
    },
    wake: onRuns,
    async stop() {
      await Promise.all([syncing.stop(), beginning.stop(), worker.stop()]);
    },
  };
}

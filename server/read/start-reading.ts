/** Starts reading: keeps read objects in line with configurations, begins scheduled reads, and executes reads. */
import { startBeginningReads, startRepairingTicks, type BeginReadsServices } from "./schedule/begin-reads.ts";
import { startReadWorker, type ReadWorkerServices } from "./run/read-worker.ts";
import { startSyncingReads, type SyncServices } from "./schedule/sync-read-objects.ts";

type Services = ReadWorkerServices & BeginReadsServices & SyncServices;

interface Reading {
  /** False if the worker has stopped unexpectedly. */
  readonly running: boolean;
  stop(): Promise<void>;
}

export function startReading(deps: Services): Reading {
  const worker = startReadWorker(deps);
  deps.newRuns.wakes(worker);
  const syncing = startSyncingReads(deps);
  const beginning = startBeginningReads(deps);
  const mending = startRepairingTicks(deps);
  return {
    get running() {
      return worker.running;
    },
    async stop() {
      await Promise.all([syncing.stop(), beginning.stop(), mending.stop(), worker.stop()]);
    },
  };
}

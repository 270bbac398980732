/** Starts what subscribes: subscriptions brought in line with their configuration, and the worker that delivers events. */
import { openReadPaces } from "../read/paced-fetch.ts";
import type { Changes } from "../store/changes.ts";
import { startSyncingSubscriptions } from "./sync-subscriptions.ts";
import { startWatchingOutages } from "./watch-outages.ts";
import { startSubscriptionWorker, type SubscriptionWorkerServices } from "./subscription-worker.ts";

type Services = Omit<SubscriptionWorkerServices, "paces"> & { changes: Changes };

export interface Subscribing {
  /** False if the worker has stopped unexpectedly. */
  readonly running: boolean;
  stop(): Promise<void>;
}

export function startSubscribing(deps: Services): Subscribing {
  const worker = startSubscriptionWorker({ ...deps, paces: openReadPaces() });
  const syncing = startSyncingSubscriptions({ ...deps, onDue: () => worker.wake() });
  const outages = startWatchingOutages({ ...deps, onDue: () => worker.wake() });
  deps.changes.subscribe((change) => {
    if (change?.table === "subscriptions") worker.wake();
  });
  return {
    get running() {
      return worker.running;
    },
    async stop() {
      await Promise.all([syncing.stop(), outages.stop(), worker.stop()]);
    },
  };
}

/** Starts what subscribes: subscriptions brought in line with their configuration, the streams, what takes pushes apart, and the worker that delivers events. */
import { openAppCalls } from "../calls/app-calls.ts";
import { openHttp2Sessions } from "../egress/http2-sessions.ts";
import type { NewWork } from "../jobs/new-work.ts";
import { openReadPaces } from "../read/records/paced-fetch.ts";
import type { Changes } from "../store/database/changes.ts";
import { startSyncingSubscriptions } from "./setup/sync-subscriptions.ts";
import { startStreamWorker, type StreamWorkerServices } from "./stream/stream-worker.ts";
import { startTakingPushes } from "./receive/take-pushes.ts";
import { startSubscriptionWorker, type SubscriptionWorkerServices } from "./subscription-worker.ts";
import type { Log } from "../../ground/log.ts";
import { startRounds, type Rounds } from "../jobs/rounds.ts";
import type { Database } from "../store/database/database.ts";
import { notePushesAccepted } from "../store/subscriptions/push-watch.ts";

type Services = Omit<SubscriptionWorkerServices, "paces" | "appCalls"> &
  Omit<StreamWorkerServices, "http2" | "appCalls" | "journalRestMs"> & {
    changes: Changes;
    newPushes: NewWork;
  };

/** HubSpot advises 5 to 10 seconds between requests that find nothing. */
const JOURNAL_REST_MS = 5_000;

interface Subscribing {
  /** False if the worker has stopped unexpectedly. */
  readonly running: boolean;
  stop(): Promise<void>;
}

export function startSubscribing(deps: Services): Subscribing {
  const appCalls = openAppCalls(deps);
  const worker = startSubscriptionWorker({ ...deps, appCalls, paces: openReadPaces() });
  const syncing = startSyncingSubscriptions({ ...deps, onDue: () => worker.wake() });
  const { shard, shards } = deps.database;
  // Pushes are on the control side, and those of all shards are taken apart once.
  const inbox =
    shard === shards[0]?.shard
      ? [startWatchingOutages, startTakingPushes].map((start) =>
          start({ ...deps, onDue: () => worker.wake() }),
        )
      : [];
  const http2 = openHttp2Sessions(deps.egress);
  const journalRestMs = Math.min(JOURNAL_REST_MS, deps.pollMs);
  const streams = startStreamWorker({ ...deps, http2, appCalls, journalRestMs });
  deps.changes.subscribe((change) => {
    if (change?.table === "subscriptions") worker.wake();
  });
  return {
    get running() {
      return worker.running;
    },
    async stop() {
      await Promise.all([...inbox, syncing, worker, streams].map((one) => one.stop()));
      http2.close();
    },
  };
}

const EVERY_MS = 60_000;
/** HubSpot repeats a push up to ten times within a day, with growing pauses; the last ones may be missing. */
const LONGEST_OUTAGE_MS = 20 * 3_600_000;

/** Starts at once: an outage is noticed when the first process works again. */
const startWatchingOutages = (deps: { database: Database; log: Log; onDue(): void }): Rounds =>
  startRounds({
    what: "note that pushes are accepted",
    log: deps.log,
    everyMs: EVERY_MS,
    async round() {
      const requested = await notePushesAccepted(deps.database, LONGEST_OUTAGE_MS);
      if (requested > 0) {
        deps.log.warn({ requested }, "pushes may be lost after an outage: subscriptions are reconciled");
        deps.onDue();
      }
      return false;
    },
  });

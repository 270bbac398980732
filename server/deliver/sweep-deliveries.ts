/** Removes old events and deliveries in the background. */
import { setTimeout as wait } from "node:timers/promises";
import { nowMs } from "../ground/clock.ts";
import type { Log } from "../ground/log.ts";
import type { Database, Queries } from "../store/database.ts";
import { removeOldDeliveries, removeOldEvents, removeOldPaces } from "../store/delivery-sweep.ts";
import { firstIdOf } from "../ground/ids.ts";

const BATCH = 1_000;
/** Between batches, so that other work is not held up. */
const REST_MS = 50;
const FIRST_MS = 60_000;
const EVERY_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** Removes everything older than so many days, and the deliveries of deleted destinations. */
export async function sweepDeliveries(
  queries: Queries,
  retentionDays: number,
  stopped: () => boolean = () => false,
): Promise<void> {
  const beforeId = firstIdOf(nowMs() - retentionDays * DAY_MS);
  // Deliveries first: one without its event could not be looked up.
  for (const remove of [removeOldDeliveries, removeOldEvents]) {
    while (!stopped() && (await remove(queries, beforeId, BATCH)) === BATCH) await wait(REST_MS);
  }
  await removeOldPaces(queries);
}

/** Sweeps every ten minutes until it is stopped. */
export function startSweep(on: { database: Database; log: Log; retentionDays: number }): {
  stop(): Promise<void>;
} {
  let stopped = false;
  let sweeping: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const sweep = () => {
    sweeping = sweepDeliveries(on.database.queries, on.retentionDays, () => stopped)
      .catch((err: unknown) => on.log.warn({ err }, "old deliveries cannot be removed yet"))
      .then(() => schedule(EVERY_MS));
  };
  const schedule = (afterMs: number) => {
    if (!stopped) timer = setTimeout(sweep, afterMs).unref();
  };
  schedule(FIRST_MS);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await sweeping;
    },
  };
}

/** Releases the deliveries that this process has lost, and fails those that wait for disabled destinations. */
import type { DataQueries } from "../store/database/sides.ts";
import {
  failDisabled,
  listClaims,
  updateDeliveries,
  type DeliveryKey,
  type ReleasedDelivery,
} from "../store/deliveries/deliveries.ts";
import { releaseBatches } from "../store/deliveries/delivery-batches.ts";

/** The deliveries that this process works on. Others that are claimed under its number are lost. */
export interface HeldDeliveries {
  batchIds: string[];
  holds(key: DeliveryKey): boolean;
}

const MAX_FAILED = 1_000;

/** Call it while no statement of this process claims or routes: its deliveries would look lost. */
export async function recoverDeliveries(
  queries: DataQueries,
  workerId: number,
  held: HeldDeliveries,
): Promise<void> {
  // Done regularly, not only after errors: a statement whose connection broke may commit long afterwards.
  await releaseBatches(queries, [workerId], held.batchIds);
  const lost = (await listClaims(queries, workerId))
    .filter((key) => !held.holds(key))
    .map((key): ReleasedDelivery => ({ ...key, kind: "released" }));
  if (lost.length > 0) await updateDeliveries(queries, workerId, lost);
  await failDisabled(queries, MAX_FAILED);
}

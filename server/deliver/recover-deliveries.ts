/** Takes deliveries over from dead processes and from lost statements, and gives up what waits for disabled destinations. */
import type { ProcessIdentity } from "../jobs/process-identity.ts";
import type { Queries } from "../store/database.ts";
import {
  failDisabled,
  finishDeliveries,
  listClaimants,
  listClaims,
  releaseDeliveries,
} from "../store/deliveries.ts";
import { releaseBatches } from "../store/delivery-batches.ts";

/** What this process knows that it has; whatever else is its own in the database, it has lost sight of. */
export interface Held {
  batchIds: string[];
  has(claim: { destinationId: string; eventId: string }): boolean;
}

const MOST_FAILED = 1_000;

/** Call it where no statement of this process is under way that takes deliveries on. */
export async function recoverDeliveries(
  queries: Queries,
  identity: ProcessIdentity,
  held: Held,
): Promise<void> {
  // Not only after an error: a statement whose connection broke may commit long after.
  await releaseBatches(queries, [identity.id], held.batchIds);
  const lost = (await listClaims(queries, identity.id)).filter((claim) => !held.has(claim));
  if (lost.length > 0) {
    const due = lost.map((claim) => ({ ...claim, state: "waiting" as const, delayMs: 0 }));
    await finishDeliveries(queries, identity.id, due);
  }
  const dead = await identity.findDead(await listClaimants(queries));
  await releaseDeliveries(queries, dead);
  await failDisabled(queries, MOST_FAILED);
}

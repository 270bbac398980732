/** Delivers a sample to a destination at once, outside all queues, and returns what happened. */
import type { Egress } from "../../egress/egress.ts";
import { now } from "../../../ground/clock.ts";
import type { Config } from "../../../ground/config.ts";
import type { Log } from "../../../ground/log.ts";
import { newId } from "../../../ground/ids.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { Database } from "../../store/database/database.ts";
import type { AttemptRecord } from "../../store/deliveries/deliveries.ts";
import type { DestinationRow } from "../../store/deliveries/destinations.ts";
import { attemptDelivery } from "../attempt-delivery.ts";
import { openDestination } from "./channels.ts";
import { bringBack } from "./destination-health.ts";
import type { NewEvent } from "../../events/event-types.ts";
import { openDestinationNetwork } from "./destination-network.ts";

export interface TestServices {
  sealer: Sealer;
  egress: Egress;
  config: Config;
  database: Pick<Database, "control" | "data">;
  log: Log;
}

/** Performs one attempt, which is not recorded. If it succeeds, a destination that failed counts as working again. */
export async function testDelivery(
  deps: TestServices,
  row: DestinationRow,
  event: NewEvent,
): Promise<{
  messageId: string;
  delivered: boolean;
  attempt: AttemptRecord;
}> {
  const { egress, config, sealer, database, log } = deps;
  const timeoutMs = config.webhookTimeoutSeconds * 1000;
  const network = openDestinationNetwork({ egress, dataDir: config.dataDir, timeoutMs });
  const destination = openDestination({ sealer, network }, row);
  const message = {
    id: newId(),
    topic: event.type,
    kind: "event" as const,
    time: now(),
    data: JSON.stringify(event.data),
    projectId: row.projectId,
    destinationId: row.id,
  };
  const made = await attemptDelivery(destination, message, 0, () => undefined);
  await destination.channel.close();
  const { outcome } = made;
  const attempt = { ...made.attempt };
  delete attempt.sent;
  if (outcome.kind === "delivered" && row.failingSince && !row.disabledTime)
    await bringBack({ ...database, log }, [row.id]);
  return { messageId: message.id, delivered: outcome.kind === "delivered", attempt };
}

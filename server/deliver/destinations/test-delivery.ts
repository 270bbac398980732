/** Delivers a sample to a destination at once, outside all queues, and returns what happened. */
import type { Egress } from "../../egress/open-egress.ts";
import { now } from "../../../ground/clock.ts";
import type { Config } from "../../../ground/config.ts";
import { newId } from "../../../ground/ids.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { AttemptRecord } from "../../store/deliveries/deliveries.ts";
import type { DestinationRow } from "../../store/deliveries/destinations.ts";
import { attemptDelivery } from "../attempt-delivery.ts";
import { openDestination } from "./channels.ts";
import type { NewEvent } from "../../events/event-types.ts";
import { openDestinationNetwork } from "./destination-network.ts";

export interface TestServices {
  sealer: Sealer;
  egress: Egress;
  config: Config;
}

/** Performs one attempt, which is not recorded and does not affect the destination's health. */
export async function testDelivery(
  deps: TestServices,
  row: DestinationRow,
  event: NewEvent,
): Promise<{
  messageId: string;
  delivered: boolean;
  attempt: AttemptRecord;
}> {
  const { egress, config, sealer } = deps;
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
  return { messageId: message.id, delivered: outcome.kind === "delivered", attempt };
}

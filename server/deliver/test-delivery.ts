/** Delivers a sample to a destination at once, outside all queues, and tells what happened. */
import type { Egress } from "../egress/open-egress.ts";
import { now } from "../ground/clock.ts";
import type { Config } from "../ground/config.ts";
import { newId } from "../ground/ids.ts";
import type { Sealer } from "../ground/seal.ts";
import type { DestinationRow } from "../store/destinations.ts";
import { attemptDelivery, type DeliveryResult } from "./attempt-delivery.ts";
import { openDestination } from "./channels.ts";
import type { NewEvent } from "../events/event-types.ts";
import { openDestinationNetwork } from "./destination-network.ts";

export interface TestServices {
  sealer: Sealer;
  egress: Egress;
  config: Config;
}

/** One attempt, which is not recorded and does not count for or against the destination. */
export async function testDelivery(
  deps: TestServices,
  row: DestinationRow,
  event: NewEvent,
): Promise<{
  messageId: string;
  delivered: boolean;
  attempt: NonNullable<DeliveryResult["finished"]["attempt"]>;
}> {
  const { egress, config, sealer } = deps;
  const timeoutMs = config.webhookTimeoutSeconds * 1000;
  const world = openDestinationNetwork({ egress, dataDir: config.dataDir, timeoutMs });
  const destination = openDestination({ sealer, world }, row);
  const message = {
    id: newId(),
    topic: event.type,
    time: now(),
    data: JSON.stringify(event.data),
    projectId: row.projectId,
    destinationId: row.id,
  };
  const { finished, made } = await attemptDelivery(destination, message, 0, () => undefined);
  await destination.channel.close();
  const told = finished.attempt ?? { time: message.time.toISOString(), durationMs: 0 };
  return { messageId: message.id, delivered: made.outcome.kind === "delivered", attempt: told };
}

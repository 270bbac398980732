/** Builds rows of the inbox from events of a provider. */
import type { ProviderEvent } from "../../../connector-kit/subscribe-connector.ts";
import { now } from "../../../ground/clock.ts";
import { newId } from "../../../ground/ids.ts";
import type { ReceivedEvent } from "../../store/subscriptions/subscription-inbox.ts";
import { dedupeHash } from "./dedupe-hash.ts";

export const toReceivedEvent = (
  event: ProviderEvent,
  {
    projectId,
    provider,
    installationId,
    receivedTime,
  }: Pick<ReceivedEvent, "projectId" | "provider" | "installationId" | "receivedTime">,
): ReceivedEvent => ({
  id: newId(),
  projectId,
  provider,
  installationId,
  accountRef: event.accountRef,
  objectKey: event.objectKey,
  recordId: event.recordId,
  providerEventType: event.providerEventType,
  occurredTime: event.occurredTime ?? receivedTime ?? now(),
  dedupeKey: dedupeHash(event.dedupeKey),
  raw: event.raw,
  ...(receivedTime && { receivedTime }),
});

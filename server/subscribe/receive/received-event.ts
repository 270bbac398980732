/** Builds rows of the inbox from events of a provider. */
import type { ProviderEvent } from "../../../connector-kit/subscribe-connector.ts";
import { now } from "../../../ground/clock.ts";
import { newId } from "../../../ground/ids.ts";
import type { ReceivedEvent } from "../../store/subscriptions/subscription-inbox.ts";
import { hash } from "node:crypto";

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

/** Half of a SHA-256 tells events apart. */
const DEDUPE_BYTES = 16;

/** Shortens the key by which an event is recognised when it comes again. */
export const dedupeHash = (key: string): Buffer =>
  Buffer.from(hash("sha256", key, "hex").slice(0, 2 * DEDUPE_BYTES), "hex");

/** Builds the message of an event for a destination. */
import type { Message } from "../../../destination-kit/destination.ts";
import type { StoredEvent } from "../../store/deliveries/events.ts";
import { shrinkMessage } from "./shrink-message.ts";

/** Members that do not fit are replaced by the address that `buildUrl` returns. */
export function toMessage(
  { id, projectId, type: topic, kind, createTime: time, data }: Omit<StoredEvent, "traceparent">,
  destination: { id: string; maxMessageBytes: number | undefined },
  buildUrl: (member: string) => string,
): Message {
  const message = { id, projectId, topic, kind, time, data, destinationId: destination.id };
  return shrinkMessage(message, destination.maxMessageBytes, buildUrl);
}

/** Restores the request of an attempt, for people: what the attempt kept of it, and the message. */
import type { SentPart, SentRequest } from "../../../destination-kit/destination.ts";
import { cutExcerpt } from "../../../destination-kit/http-outcome.ts";
import { DESTINATIONS } from "../../../destinations/index.gen.ts";
import type { StoredEvent } from "../../store/deliveries/events.ts";
import { toMessage } from "./to-message.ts";

/**
 * Returns a function that restores the request of an attempt; undefined for attempts that kept nothing, as those of types
 * other than webhooks and Slack. Bodies are cut after 16 KiB. The addresses of large members were new in each attempt and
 * open without a credential, so they are shown as `…`.
 */
export function restoreRequests(
  destination: { id: string; type: string },
  event: Omit<StoredEvent, "traceparent">,
): (sent: SentPart | undefined) => SentRequest | undefined {
  const type = Object.hasOwn(DESTINATIONS, destination.type) ? DESTINATIONS[destination.type] : undefined;
  if (!type?.buildRequest) return () => undefined;
  const { buildRequest, maxMessageBytes } = type;
  const message = toMessage(event, { id: destination.id, maxMessageBytes }, () => "…");
  return (sent) => {
    if (!sent) return undefined;
    const request = buildRequest(message, sent);
    return { ...request, body: cutExcerpt(request.body) };
  };
}

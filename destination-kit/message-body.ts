/** Builds the whole text of a message, for destinations that have no other place for the type of an event. */
import type { Message } from "./destination.ts";

/** Returns JSON, made from the stored text: an event in its envelope, a data message alone. */
export const buildMessageBody = ({ kind, topic, data }: Pick<Message, "kind" | "topic" | "data">): string =>
  kind === "data" ? data : `{"notificationType":${JSON.stringify(topic)},"data":${data}}`;

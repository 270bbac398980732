/** Builds the message of an event for a destination, whose large members become addresses where it is too large. */
import type { Message } from "../../../destination-kit/destination.ts";
import type { StoredEvent } from "../../store/deliveries/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { LARGE_MEMBERS } from "../../events/notification.ts";

/** Members that do not fit are replaced by the address that `buildUrl` returns. */
export function toMessage(
  { id, projectId, type: topic, kind, createTime: time, data }: Omit<StoredEvent, "traceparent">,
  destination: { id: string; maxMessageBytes: number | undefined },
  buildUrl: (member: string) => string,
): Message {
  const message = { id, projectId, topic, kind, time, data, destinationId: destination.id };
  return shrinkMessage(message, destination.maxMessageBytes, buildUrl);
}

/** For the envelope that a destination writes around the data of an event. */
export const ENVELOPE_BYTES = 200;

/** Length of each text in a list of errors when the message does not fit: a hundred records may have long errors. */
const SHORT_TEXT = 500;

/**
 * Returns the message, with its data below `maxBytes` if replacing members and shortening errors can achieve that.
 * `buildUrl` returns the address that serves a member of the data.
 */
export function shrinkMessage(
  message: Message,
  maxBytes: number | undefined,
  buildUrl: (member: string) => string,
): Message {
  if (maxBytes === undefined || fitsLimit(message, maxBytes)) return message;
  const members: Json = JSON.parse(message.data);
  if (!isJsonObject(members)) return message;
  return message.kind === "data"
    ? { ...message, data: JSON.stringify(withResultAddress(members, buildUrl)) }
    : shrinkEvent(message, members, maxBytes, buildUrl);
}

function shrinkEvent(
  message: Message,
  whole: JsonObject,
  maxBytes: number,
  buildUrl: (member: string) => string,
): Message {
  let members = whole;
  for (const [member, urlMember] of LARGE_MEMBERS) {
    if (!(member in members)) continue;
    members = Object.fromEntries(
      Object.entries(members).map(([name, value]) =>
        name === member ? [urlMember, buildUrl(member)] : [name, value],
      ),
    );
    const smaller = { ...message, data: JSON.stringify(members) };
    if (fitsLimit(smaller, maxBytes)) return smaller;
  }
  return { ...message, data: JSON.stringify(withShortErrors(members)) };
}

/** Replaces `result` of a data message by the address that serves it. */
function withResultAddress(
  { result, resultInfo, ...members }: JsonObject,
  buildUrl: (member: string) => string,
): JsonObject {
  if (result === undefined) return { ...members, ...(resultInfo !== undefined && { resultInfo }) };
  const info = isJsonObject(resultInfo) ? resultInfo : {};
  return { ...members, resultInfo: { ...info, type: "url", downloadUrl: buildUrl("result") } };
}

const withShortErrors = (members: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) =>
      /^errors?$/.test(name) && Array.isArray(value) ? [name, value.map(shortenText)] : [name, value],
    ),
  );

const shortenText = (text: Json): Json =>
  typeof text === "string" && text.length > SHORT_TEXT
    ? `${text.slice(0, SHORT_TEXT).toWellFormed()}…`
    : text;

const fitsLimit = ({ kind, data }: Message, maxBytes: number): boolean =>
  Buffer.byteLength(data) + (kind === "event" ? ENVELOPE_BYTES : 0) <= maxBytes;

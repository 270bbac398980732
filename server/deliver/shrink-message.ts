/** Replaces large members of a message by addresses when the message is too large for its destination. */
import type { Message } from "../../destination-kit/destination.ts";
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";
import { LARGE_MEMBERS } from "../events/large-members.ts";

/** For the envelope that a destination writes around the data. */
const ENVELOPE_BYTES = 200;

/** Length of each text in a list of errors when the message does not fit: a hundred records may have long errors. */
const SHORT_TEXT = 500;

/** Returns the message, with its data below `maxBytes` if replacing members and shortening errors can achieve that. */
export function shrinkMessage(
  message: Message,
  maxBytes: number | undefined,
  urlOf: (member: string) => string,
): Message {
  if (maxBytes === undefined || fits(message.data, maxBytes)) return message;
  let members: Json = JSON.parse(message.data);
  if (!isJsonObject(members)) return message;
  for (const [member, urlMember] of LARGE_MEMBERS) {
    if (!(member in members)) continue;
    members = Object.fromEntries(
      Object.entries(members).map(([name, value]) =>
        name === member ? [urlMember, urlOf(member)] : [name, value],
      ),
    );
    const data = JSON.stringify(members);
    if (fits(data, maxBytes)) return { ...message, data };
  }
  return { ...message, data: JSON.stringify(withShortErrors(members)) };
}

const withShortErrors = (members: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) =>
      /^errors?$/.test(name) && Array.isArray(value) ? [name, value.map(short)] : [name, value],
    ),
  );

const short = (text: Json): Json =>
  typeof text === "string" && text.length > SHORT_TEXT
    ? `${text.slice(0, SHORT_TEXT).toWellFormed()}…`
    : text;

const fits = (data: string, maxBytes: number): boolean =>
  Buffer.byteLength(data) + ENVELOPE_BYTES <= maxBytes;

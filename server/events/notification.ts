/** Schemas of events as receivers get them, with URLs for members that were too large. */
import { Type, type TSchema } from "typebox";
import { described } from "../../ground/described.ts";
import { EVENT_DATA, type EventType } from "./event-types.ts";

/** Returns the schema of the body of a webhook of this type. */
export const buildNotificationSchema = (type: EventType): TSchema =>
  Type.Object({
    notificationType: Type.Literal(type, { description: "The type of the event." }),
    data: described(describeReceivedData(type), "Details of the event."),
  });

function describeReceivedData(type: EventType): TSchema {
  const { properties, title }: { properties: Record<string, TSchema>; title?: string } = EVENT_DATA[type];
  const members = { ...properties };
  for (const [member, urlMember] of LARGE_MEMBERS) {
    const schema = members[member];
    if (!schema) continue;
    members[member] = Type.Optional(schema);
    members[urlMember] = Type.Optional(
      Type.String({
        format: "uri",
        description: `Replaces \`${member}\` if that is too large: a URL that serves it for 15 minutes.`,
      }),
    );
  }
  return Type.Object(members, { title, description: "Details of the event." });
}

/** Members that may be too large for a message, each with the member that holds its URL instead. The first is replaced first, because receivers need it least. */
export const LARGE_MEMBERS = [
  ["lastConfig", "lastConfigURL"],
  ["config", "configURL"],
] as const;

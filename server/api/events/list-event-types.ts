/** GET /v1/event-types */
import { Type } from "typebox";
import { EVENT_DESCRIPTIONS, UNBUILT_EVENTS } from "../../events/event-descriptions.ts";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { sampleEvent } from "../../events/sample-event.ts";
import { endpoint } from "../../http/endpoint.ts";

const SAMPLE_PROJECT = "00000000-0000-7000-8000-000000000000";

const EventTypeInfoSchema = Type.Object(
  {
    type: Type.String({ description: "Type of the event, for example `write.async.done`." }),
    description: Type.String({ description: "What the event reports." }),
    built: Type.Boolean({ description: "False: routes may name the type, but no such event occurs yet." }),
    sample: Type.Object(
      {
        notificationType: Type.String({ description: "The type." }),
        data: Type.Record(Type.String(), Type.Unknown(), { description: "Details of the event." }),
      },
      { description: "A whole message as a webhook gets it; ids and names are made up." },
    ),
  },
  { title: "EventTypeInfo", description: "A type of events, with a sample message." },
);

export const listEventTypes = () => {
  const all = EVENT_TYPES.map((type) => ({
    type,
    description: EVENT_DESCRIPTIONS[type],
    built: !UNBUILT_EVENTS.includes(type),
    sample: { notificationType: type, data: { ...sampleEvent(type, SAMPLE_PROJECT).data } },
  }));
  return endpoint({
    operationId: "listEventTypes",
    tag: "Topics",
    summary: "List event types",
    description: "The types that routes and topics may name, each with a sample message.",
    success: { status: 200, description: "The types.", schema: Type.Array(EventTypeInfoSchema) },
    handle: async () => all,
  });
};

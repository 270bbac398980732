/** An event as the API shows it: what it is about, and where it went. */
import { Type, type Static } from "typebox";
import { timeOfId } from "../../../ground/ids.ts";
import type { Queries } from "../../store/database.ts";
import { readMembers } from "../../store/delivery-subjects.ts";
import { listDeliveriesOfEvents, type EventDelivery, type ListedEvent } from "../../store/event-pages.ts";
import { StatusSchema } from "../deliveries/delivery.ts";
import { DestinationId, TopicId } from "../members.ts";

const text = (description: string) => Type.Optional(Type.String({ description }));

export const EventSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the event." }),
    type: Type.String({ description: "Type of the event, for example `write.async.done`." }),
    time: Type.String({ format: "date-time", description: "When the event occurred." }),
    messageId: Type.String({ description: "Id of the message that receivers get (`webhook-id`)." }),
    groupRef: text("The customer that the event is about."),
    connectionId: text("Id of the connection."),
    installationId: text("Id of the installation."),
    operationId: text("Id of the operation that ended."),
    nowhere: Type.Boolean({ description: "True: the event was routed, and no destination got it." }),
    missing: Type.Optional(
      Type.Enum(["topic", "destination"], {
        description:
          "Why it went nowhere. `topic`: no route led from its type to a topic. `destination`: no topic led on.",
      }),
    ),
    deliveries: Type.Array(
      Type.Object({
        id: Type.String({ description: "Id of the delivery, which is the id of the message." }),
        destinationId: DestinationId,
        destinationName: Type.String({ description: "Name of the destination." }),
        status: StatusSchema,
      }),
      { description: "Its deliveries to destinations that exist; empty until the event is routed." },
    ),
  },
  { title: "Event", description: "What happened, and where the message about it went." },
);

export const EventWithDataSchema = Type.Object(
  {
    ...EventSchema.properties,
    data: Type.Unknown({ description: "Data of the event, as of the time of the event." }),
    topics: Type.Array(
      Type.Object({ id: TopicId, name: Type.String({ description: "Name of the topic at that time." }) }),
      {
        description:
          "Topics that the event was published under when it was routed, also those deleted since; empty until it is routed.",
      },
    ),
  },
  { title: "EventWithData", description: "An event with its data." },
);

type Shown = Static<typeof EventSchema>;

/** Adds to events where each went. */
export async function toEvents(queries: Queries, projectId: string, rows: ListedEvent[]): Promise<Shown[]> {
  const sent = rows.filter(({ missing }) => missing === null).map(({ id }) => id);
  const deliveries = Map.groupBy(
    await listDeliveriesOfEvents(queries, projectId, sent),
    ({ eventId }) => eventId,
  );
  return rows.map((row) => toEvent(row, deliveries.get(row.id) ?? []));
}

const SHOWN_MEMBERS = ["groupRef", "connectionId", "installationId", "operationId"] as const;

function toEvent({ id, type, data, missing }: ListedEvent, deliveries: EventDelivery[]): Shown {
  const members = readMembers(data);
  const shown = SHOWN_MEMBERS.flatMap((name) => {
    const value = members[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return {
    id,
    type,
    time: timeOfId(id).toISOString(),
    messageId: id,
    ...Object.fromEntries(shown),
    nowhere: missing !== null,
    ...(missing && { missing }),
    deliveries: deliveries.map(({ destinationId, destinationName, state }) => ({
      id,
      destinationId,
      destinationName,
      status: state,
    })),
  };
}

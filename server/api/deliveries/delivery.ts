/** The delivery of an event to a destination, as the API shows it. */
import { Type, type Static } from "typebox";
import type { DeliveryRow } from "../../store/delivery-lists.ts";
import { AttemptSchema } from "../destinations/delivery-attempt.ts";
import { DestinationId } from "../members.ts";

export const StatusSchema = Type.Enum(["waiting", "sending", "delivered", "failed"], {
  description:
    "`waiting` for the next attempt, `sending`, `delivered`, or `failed`: no further attempt unless it is resent.",
});

export const DeliverySchema = Type.Object(
  {
    id: Type.String({
      description: "Id of the message that receivers get, the same for all destinations.",
    }),
    destinationId: DestinationId,
    eventType: Type.String({ description: "Type of the event, for example `write.async.done`." }),
    eventTime: Type.String({ format: "date-time", description: "When the event occurred." }),
    status: StatusSchema,
    nextAttemptTime: Type.Optional(
      Type.String({ format: "date-time", description: "Time of the next attempt. Only while `waiting`." }),
    ),
    attempts: Type.Array(AttemptSchema, { description: "The latest 40 attempts, oldest first." }),
  },
  { title: "Delivery", description: "The delivery of one event to one destination." },
);

export const DeliveryWithDataSchema = Type.Object(
  {
    ...DeliverySchema.properties,
    data: Type.Unknown({ description: "Data of the event, as of the time of the event." }),
  },
  { title: "DeliveryWithData", description: "A delivery with the data of its event." },
);

export const toDelivery = (row: DeliveryRow): Static<typeof DeliverySchema> => ({
  id: row.eventId,
  destinationId: row.destinationId,
  eventType: row.type,
  eventTime: row.createTime.toISOString(),
  status: row.state,
  ...(row.state === "waiting" && { nextAttemptTime: row.dueTime.toISOString() }),
  attempts: row.attempts,
});

/** A delivery as the API shows it: an event on its way to a destination. */
import { Type, type Static } from "typebox";
import type { DeliveryRow } from "../../store/delivery-lists.ts";
import { TimeSchema } from "../times.ts";

export const AttemptSchema = Type.Object(
  {
    time: TimeSchema,
    durationMs: Type.Integer(),
    status: Type.Optional(Type.Integer({ description: "HTTP status of the answer." })),
    error: Type.Optional(Type.String({ description: "Why the attempt failed." })),
    answer: Type.Optional(Type.String({ description: "The first 16 KiB of the answer." })),
  },
  { title: "DeliveryAttempt" },
);

export const StatusSchema = Type.Enum(["waiting", "sending", "delivered", "failed"], {
  description:
    "`waiting` for its time; `sending` now; `delivered`; `failed`: no attempt follows unless it is resent.",
});

export const DeliverySchema = Type.Object(
  {
    id: Type.String({
      description: "Id of the message, the same for every destination: what receivers see.",
    }),
    destinationId: Type.String(),
    eventType: Type.String(),
    eventTime: TimeSchema,
    status: StatusSchema,
    nextAttemptTime: Type.Optional(TimeSchema),
    attempts: Type.Array(AttemptSchema, { description: "Oldest first, the latest 40." }),
  },
  { title: "Delivery" },
);

export const DeliveryWithDataSchema = Type.Object(
  {
    ...DeliverySchema.properties,
    data: Type.Unknown({ description: "What is told, as it was when it happened." }),
  },
  { title: "DeliveryWithData" },
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

/** The delivery of an event to a destination, as the API shows it. */
import { Type, type Static } from "typebox";
import { described, describeTime } from "../../../ground/described.ts";
import { DATA_MESSAGE_TYPES } from "../../events/event-descriptions.ts";
import { Problem } from "../../../ground/errors.ts";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { isUuid, readTimeOfId } from "../../../ground/ids.ts";
import type { AttemptRecord } from "../../store/deliveries/deliveries.ts";
import type { DeliveryRow, ListedDelivery } from "../../store/deliveries/delivery-pages.ts";
import { findDelivery } from "../../store/deliveries/delivery-lists.ts";
import type { DestinationRow } from "../../store/deliveries/destinations.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import {
  DELIVERY_KINDS,
  toDeliveryKind,
  type SubjectFilter,
} from "../../store/deliveries/delivery-subjects.ts";
import { findIntegration } from "../../store/integrations/integrations.ts";
import { AttemptSchema } from "../destinations/delivery-attempt.ts";
import { DestinationId, GroupRef } from "../members.ts";
import { findOfCustomer, type InShards } from "../run-in-shard.ts";

export const StatusSchema = Type.Enum(["waiting", "sending", "delivered", "failed"], {
  description:
    "`waiting` for the next attempt, `sending`, `delivered`, or `failed`: no further attempt unless it is resent.",
});

export const EventTypeFilter = Type.Optional(
  Type.Enum([...EVENT_TYPES, ...DATA_MESSAGE_TYPES], {
    description: "Only deliveries of events or data messages of this type.",
  }),
);

/** Query parameters that select deliveries by what they are about. */
export const subjectQuery = {
  groupRef: Type.Optional(GroupRef),
  integration: Type.Optional(
    Type.String({ description: "Id or name: return only deliveries about this integration." }),
  ),
  object: Type.Optional(
    Type.String({
      description: "Return only deliveries about this object, by the provider's name or your own.",
    }),
  ),
  kind: Type.Optional(
    Type.Enum([...DELIVERY_KINDS], { description: "Return only deliveries of this kind." }),
  ),
};

/** Resolves the query; undefined: the integration does not exist, so that nothing is about it. */
export async function findSubject(
  queries: SharedQueries,
  projectId: string,
  { groupRef, integration, object, kind }: SubjectQuery,
): Promise<SubjectFilter | undefined> {
  if (integration === undefined) return { groupRef, object, kind };
  const found = await findIntegration(queries, projectId, integration);
  return found && { groupRef, integrationId: found.id, object, kind };
}

type SubjectQuery = Omit<SubjectFilter, "integrationId"> & { integration?: string };

export const DeliverySchema = Type.Object(
  {
    id: Type.String({
      description: "Id of the message that receivers get, the same for all destinations.",
    }),
    destinationId: DestinationId,
    eventType: Type.String({ description: "Type of the event, for example `write.async.done`." }),
    eventTime: describeTime("When the event occurred."),
    status: StatusSchema,
    nextAttemptTime: Type.Optional(describeTime("Time of the next attempt. Only while `waiting`.")),
    attempts: Type.Array(AttemptSchema, { description: "The latest 40 attempts, oldest first." }),
    kind: Type.Enum([...DELIVERY_KINDS], {
      description:
        "What is sent: records that were `read`, changes (`subscribe`, `schema`), or a `notification`.",
    }),
    groupRef: Type.Optional(Type.String({ description: "The customer that it is about." })),
    integration: Type.Optional(Type.String({ description: "Name of the integration that it is about." })),
    object: Type.Optional(
      Type.String({ description: "The object that it is about; of messages the provider's name." }),
    ),
    records: Type.Optional(Type.Integer({ description: "Number of records in it, or of changes." })),
  },
  { title: "Delivery", description: "The delivery of one event to one destination." },
);

export const ProjectDeliverySchema = Type.Object(
  {
    ...DeliverySchema.properties,
    eventId: Type.String({ description: "Id of the event, which is the id of the message." }),
    destinationName: Type.String({ description: "Name of the destination." }),
  },
  { title: "ProjectDelivery", description: "A delivery with the names of what it belongs to." },
);

const SentRequestSchema = Type.Object(
  {
    method: Type.String({ description: "Method of the request." }),
    url: Type.String({ description: "Address that the request was sent to." }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: "Headers; values of the destination's own `headers` are replaced by `…`.",
    }),
    body: Type.String({ description: "The first 16 KiB of the body." }),
  },
  { title: "SentRequest", description: "The request of an attempt." },
);

const AttemptWithRequestSchema = Type.Object(
  {
    ...AttemptSchema.properties,
    request: Type.Optional(described(SentRequestSchema, "The request as it was sent.")),
  },
  {
    title: "DeliveryAttemptWithRequest",
    description: "One attempt, with the request as it was sent, of webhooks.",
  },
);

export const DeliveryWithDataSchema = Type.Object(
  {
    ...DeliverySchema.properties,
    attempts: Type.Array(AttemptWithRequestSchema, { description: "The latest 40 attempts, oldest first." }),
    data: Type.Unknown({ description: "Data of the event, as of the time of the event." }),
  },
  { title: "DeliveryWithData", description: "A delivery with the data of its event." },
);

/** Removes what only `getDelivery` shows. */
export function omitSent(record: AttemptRecord): Static<typeof AttemptSchema> {
  const { sent, ...attempt } = record;
  return sent ? attempt : record;
}

export const toDelivery = (row: DeliveryRow): Static<typeof DeliverySchema> => ({
  id: row.eventId,
  destinationId: row.destinationId,
  eventType: row.type,
  eventTime: readTimeOfId(row.eventId).toISOString(),
  status: row.state,
  ...(row.state === "waiting" && { nextAttemptTime: row.dueTime.toISOString() }),
  attempts: row.attempts.map(omitSent),
  kind: toDeliveryKind(row.type),
  ...row.subject,
});

export const toProjectDelivery = (row: ListedDelivery): Static<typeof ProjectDeliverySchema> => ({
  ...toDelivery(row),
  eventId: row.eventId,
  destinationName: row.destinationName,
});

/** Accepts the id of a delivery, or a place between deliveries. */
export const isDeliveryToken = (token: string): boolean =>
  token.split(".").length <= 2 && token.split(".").every(isUuid);

/** Returns a delivery and the shard that has it. Throws a 404 Problem. */
export async function getDelivered(
  deps: InShards,
  { id, name, projectId }: DestinationRow,
  deliveryId: string,
) {
  const found = await findOfCustomer(
    deps,
    projectId,
    (data) => findDelivery(data, id, deliveryId),
    ({ subject }) => subject.groupRef,
  );
  if (found) return found;
  throw new Problem("not-found", {
    detail: `\`${name}\` has no delivery \`${deliveryId}\`. Old deliveries are removed.`,
  });
}

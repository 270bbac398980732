/** GET …/installations/{installationId}/subscription-events */
import { Type, type Static } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { described, describeTime } from "../../../ground/described.ts";
import { writeIsoTime } from "../../../ground/iso-time.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import {
  listSubscriptionEvents as listRows,
  type MessageDelivery,
  type SubscriptionEventRow,
} from "../../store/subscriptions/subscription-events.ts";
import { OUTCOMES } from "../../store/subscriptions/subscription-outcomes.ts";
import { awaitPushes, LIST_WAIT_MS } from "../../subscribe/receive/await-pushes.ts";
import { StatusSchema, omitSent } from "../deliveries/delivery.ts";
import { AttemptSchema } from "../destinations/delivery-attempt.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { getIntegrationRow } from "../integration.ts";
import { DestinationId } from "../members.ts";
import { listQuery, listPage, describePage, periodQuery } from "../pages.ts";
import { SubscriptionPath } from "./subscription.ts";

const MessageDeliverySchema = Type.Object(
  {
    destinationId: DestinationId,
    destinationName: Type.String({ description: "Name of the destination." }),
    status: StatusSchema,
    nextAttemptTime: Type.Optional(describeTime("Time of the next attempt. Only while `waiting`.")),
    lastAttempt: Type.Optional(described(AttemptSchema, "The latest attempt.")),
  },
  { title: "MessageDelivery", description: "How the delivery of a message stands." },
);

const EventSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the event." }),
    objectName: Type.String({ description: "The provider's name of the object." }),
    recordId: Type.String({ description: "The provider's id of the record." }),
    providerEventType: Type.String({ description: "The provider's own word." }),
    occurredTime: describeTime("When it happened, by the provider's clock."),
    receivedTime: describeTime("When it arrived."),
    outcome: Type.Enum([...OUTCOMES], {
      description:
        "`received`: not processed yet. `queued`: it waits, because the subscription, its account or its destination does not " +
        "work. `filtered`: it was not wanted. `repeated`: the receiver has that state of the record. `in_message`: a message has " +
        "an entry for it, which the receiver has not answered. `delivered`: the receiver accepted the message (2xx). `refused`: " +
        "the receiver answered otherwise, and another attempt follows. `given_up`: no further attempt, unless it is resent.",
    }),
    reason: Type.Optional(
      Type.String({
        description: "Which rule left it out, or which event has the entry that stands for it too.",
      }),
    ),
    messageId: Type.Optional(
      Type.String({ description: "Id of the message, `webhook-id` of its deliveries." }),
    ),
    endTime: Type.Optional(describeTime("When it was processed.")),
    delivery: Type.Optional(
      described(MessageDeliverySchema, "Delivery of the message, as long as that is kept."),
    ),
  },
  { title: "SubscriptionEvent", description: "What became of an event of a provider." },
);

export const listSubscriptionEvents = (deps: { database: Database; catalog: Catalog }) =>
  projectEndpoint({
    operationId: "listSubscriptionEvents",
    tag: "Subscribe",
    summary: "List events of an installation",
    description:
      "What became of each event that a provider sent, newest first, in pages. They are kept for seven days. A page of a list " +
      "with `outcome` may be short, even empty, although there is another page: each looks at 10,000 events at most.",
    params: SubscriptionPath,
    query: Type.Object({
      recordId: Type.Optional(
        Type.String({ description: "Only events of this record, by any form of its id." }),
      ),
      objectName: Type.Optional(Type.String({ description: "Only events of this object." })),
      outcome: Type.Optional(Type.Enum([...OUTCOMES], { description: "Only events with this outcome." })),
      ...listQuery,
      ...periodQuery,
    }),
    success: { status: 200, description: "A page.", schema: describePage(EventSchema) },
    hasEntityTag: true,
    async handle({ project, params, query }) {
      const { control, data } = deps.database;
      const integration = await getIntegrationRow(control, project.id, params.integrationId);
      const row = await getInstallationRow(data, project.id, integration.id, params.installationId);
      await awaitPushes(deps, project.id, LIST_WAIT_MS);
      const { recordId, objectName, outcome } = query;
      const read = deps.catalog.of(project.id).connector(integration.provider)?.read;
      const recordIds = recordId === undefined ? undefined : (read?.listIdForms?.(recordId) ?? [recordId]);
      const of = { projectId: project.id, installationId: row.id, recordIds, objectName, outcome };
      return listPage(query, {
        list: (range) => listRows(data, { ...of, range }),
        show: toEvent,
      });
    },
  });

const toEvent = (row: SubscriptionEventRow): Static<typeof EventSchema> => ({
  id: row.id,
  objectName: row.objectName,
  recordId: row.recordId,
  providerEventType: row.providerEventType,
  occurredTime: writeIsoTime(row.occurredTime),
  receivedTime: row.receivedTime.toISOString(),
  outcome: row.outcome,
  ...(row.reason !== null && { reason: row.reason }),
  ...(row.messageId !== null && { messageId: row.messageId }),
  ...(row.endTime && { endTime: row.endTime.toISOString() }),
  ...(row.delivery && { delivery: toMessageDelivery(row.delivery) }),
});

const toMessageDelivery = (delivery: MessageDelivery): Static<typeof MessageDeliverySchema> => ({
  destinationId: delivery.destinationId,
  destinationName: delivery.destinationName,
  status: delivery.state,
  ...(delivery.state === "waiting" && { nextAttemptTime: new Date(delivery.dueTime).toISOString() }),
  ...(delivery.attempt && { lastAttempt: omitSent(delivery.attempt) }),
});

/** GET …/installations/{installationId}/subscription-events */
import { Type, type Static } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import {
  listSubscriptionEvents as listRows,
  type SubscriptionEventFilter,
  type SubscriptionEventRow,
} from "../../store/subscription-events.ts";
import { awaitPushes, LIST_WAIT_MS } from "../../subscribe/await-pushes.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { getIntegrationRow } from "../integration.ts";
import { listQuery, onePage, pageSchema, periodQuery } from "../pages.ts";
import { SubscriptionPath } from "./subscription.ts";

const time = (description: string) => Type.String({ format: "date-time", description });
/** The words and what they mean to a reader. */
const outcome = (description: string) =>
  Type.Union(
    [
      Type.Literal("waiting"),
      Type.Literal("delivered"),
      Type.Literal("coalesced"),
      Type.Literal("filtered"),
      Type.Literal("expired"),
    ],
    { description },
  );

const EventSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the event." }),
    objectName: Type.String({ description: "The provider's name of the object." }),
    recordId: Type.String({ description: "The provider's id of the record." }),
    providerEventType: Type.String({ description: "The provider's own word." }),
    occurredTime: time("When it happened, by the provider's clock."),
    receivedTime: time("When it arrived."),
    outcome: outcome(
      "`waiting`: not processed yet. `delivered`: a message has an entry for it. `coalesced`: it became one entry with " +
        "another event. `filtered`: it was not wanted. `expired`: it waited for too long.",
    ),
    reason: Type.Optional(
      Type.String({ description: "Which rule filtered it, or what it was coalesced with." }),
    ),
    messageId: Type.Optional(
      Type.String({ description: "Id of the message, `webhook-id` of its deliveries." }),
    ),
    endTime: Type.Optional(time("When it was processed.")),
  },
  { title: "SubscriptionEvent", description: "What became of an event of a provider." },
);

export const listSubscriptionEvents = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listSubscriptionEvents",
    tag: "Subscribe",
    summary: "List events of an installation",
    description:
      "What became of each event that a provider sent, newest first, in pages. They are kept for seven days.",
    params: SubscriptionPath,
    query: Type.Object({
      recordId: Type.Optional(Type.String({ description: "Only events of this record." })),
      objectName: Type.Optional(Type.String({ description: "Only events of this object." })),
      outcome: Type.Optional(outcome("Only events with this outcome.")),
      ...listQuery,
      ...periodQuery,
    }),
    success: { status: 200, description: "A page.", schema: pageSchema(EventSchema) },
    hasEntityTag: true,
    async handle({ project, params, query }) {
      const { queries } = deps.database;
      const integration = await getIntegrationRow(queries, project.id, params.integrationId);
      const row = await getInstallationRow(queries, project.id, integration.id, params.installationId);
      await awaitPushes(deps, project.id, LIST_WAIT_MS);
      const of = { projectId: project.id, installationId: row.id };
      return onePage(query, {
        list: (range) => listRows(queries, { ...of, ...filterOf(query), range }),
        show: toEvent,
      });
    },
  });

const filterOf = ({ recordId, objectName, outcome }: SubscriptionEventFilter): SubscriptionEventFilter => ({
  recordId,
  objectName,
  outcome,
});

const toEvent = (row: SubscriptionEventRow): Static<typeof EventSchema> => ({
  id: row.id,
  objectName: row.objectName,
  recordId: row.recordId,
  providerEventType: row.providerEventType,
  occurredTime: row.occurredTime.toISOString(),
  receivedTime: row.receivedTime.toISOString(),
  outcome: row.outcome ?? "waiting",
  ...(row.reason !== null && { reason: row.reason }),
  ...(row.messageId !== null && { messageId: row.messageId }),
  ...(row.endTime && { endTime: row.endTime.toISOString() }),
});

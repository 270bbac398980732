/** Events: shape and endpoints. */
import { type Static, Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { readTimeOfId } from "../../../ground/ids.ts";
import { DATA_MESSAGE_TYPES, EVENT_DESCRIPTIONS, UNBUILT_EVENTS } from "../../events/event-descriptions.ts";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { sampleEvent } from "../../events/sample-event.ts";
import { endpoint, projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import { askPresent, type AskedShards, keepOnce, listInShards } from "../../store/shards/ask-shards.ts";
import { readMembers } from "../../store/deliveries/delivery-subjects.ts";
import {
  type EventDelivery,
  findEvent,
  listDeliveriesOfEvents,
  type ListedEvent,
  listEvents as listRows,
  listTopicsOfEvent,
} from "../../store/deliveries/event-pages.ts";
import { StatusSchema } from "../deliveries/delivery.ts";
import { chooseShards, findOfCustomer, type InShards } from "../run-in-shard.ts";
import { ConnectionId, DestinationId, GroupRef, InstallationId, OperationId, TopicId } from "../members.ts";
import { listQuery, listPage, describePage, periodQuery, describeTextQuery } from "../pages.ts";
import { PROJECT } from "../paths.ts";
import { describeTime } from "../../../ground/described.ts";

export const listEventRoutes = (deps: InShards): Route[] => [
  route("GET /v1/event-types", "public", listEventTypes()),
  route(`GET ${PROJECT}/events`, "full", listEvents(deps)),
  route(`GET ${PROJECT}/events/{eventId}`, "full", getEvent(deps)),
];

const text = (description: string) => Type.Optional(Type.String({ description }));

const EventSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the event." }),
    type: Type.String({ description: "Type of the event, for example `write.async.done`." }),
    time: describeTime("When the event occurred."),
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

const EventWithDataSchema = Type.Object(
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
async function toEvents(
  shards: AskedShards<Database>,
  projectId: string,
  rows: ListedEvent[],
): Promise<Shown[]> {
  const sent = rows.filter(({ missing }) => missing === null).map(({ id }) => id);
  // They are where the event is: a shard that is away has none of these.
  const { answers } = await askPresent(shards, async (data, { shard }) => ({
    shard,
    rows: await listDeliveriesOfEvents(data, projectId, sent),
  }));
  const found = keepOnce(shards, answers, ({ eventId, destinationId }) => `${eventId} ${destinationId}`);
  const deliveries = Map.groupBy(found, ({ eventId }) => eventId);
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
    time: readTimeOfId(id).toISOString(),
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

const listEvents = (deps: InShards) =>
  projectEndpoint({
    operationId: "listEvents",
    tag: "Events",
    summary: "List events",
    description:
      "In pages, newest first, with where each went, also nowhere. Data messages (`read`, `subscribe`, `schema.watch`) are " +
      "many: they are listed with `groupRef`, `installationId`, or their `type`. Each page looks at " +
      "20,000 events at most, so with filters other than `type`, `nowhere` and the period it may be short, even empty, " +
      "although there is another page.",
    query: Type.Object({
      type: Type.Optional(
        Type.Enum([...EVENT_TYPES, ...DATA_MESSAGE_TYPES], {
          description: "Return only events or data messages of this type.",
        }),
      ),
      groupRef: Type.Optional(GroupRef),
      connectionId: Type.Optional(ConnectionId),
      installationId: Type.Optional(InstallationId),
      operationId: Type.Optional(OperationId),
      nowhere: Type.Optional(
        Type.Boolean({ description: "True: only events that went nowhere; false: only others." }),
      ),
      ...describeTextQuery("id, type, or a member of the data"),
      ...listQuery,
      ...periodQuery,
    }),
    success: { status: 200, description: "A page.", schema: describePage(EventSchema) },
    hasEntityTag: true,
    async handle({ project, query }) {
      const { type, nowhere, text: searched, groupRef, connectionId, installationId, operationId } = query;
      const members = Object.fromEntries(
        Object.entries({ groupRef, connectionId, installationId, operationId }).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      );
      const hasMessages = nowhere !== true && (groupRef ?? installationId) !== undefined;
      const types = EVENT_TYPES.filter((one) => type === undefined || type === one);
      const messageTypes = DATA_MESSAGE_TYPES.filter((one) =>
        type === undefined ? hasMessages : type === one,
      );
      const of = { projectId: project.id, types, messageTypes, members, nowhere, text: searched };
      const shards = await chooseShards(deps, project.id, query);
      const page = await listPage(query, {
        list: (range) =>
          listInShards(shards, (data) => listRows(data, { ...of, range }), {
            ...range,
            getPosition: ({ id }) => id,
          }),
        show: (row) => row,
      });
      return { ...page, results: await toEvents(shards, project.id, page.results) };
    },
  });

const getEvent = (deps: InShards) =>
  projectEndpoint({
    operationId: "getEvent",
    tag: "Events",
    summary: "Get an event",
    description: "With its data and where it went. Finds data messages too.",
    params: Type.Object({ eventId: Type.String({ description: "Id of the event." }) }),
    success: { status: 200, description: "The event.", schema: EventWithDataSchema },
    hasEntityTag: true,
    async handle({ project, params }) {
      const found = await findOfCustomer(
        deps,
        project.id,
        (data) => findEvent(data, project.id, params.eventId),
        (row) => toEvent(row, []).groupRef,
      );
      const [event] = await toEvents(
        { shards: found ? [found.shard] : [] },
        project.id,
        found ? [found.row] : [],
      );
      if (!found || !event) {
        throw new Problem("not-found", {
          detail: `There is no event \`${params.eventId}\` in this project. Old events are removed.`,
        });
      }
      const topics = await listTopicsOfEvent(found.shard.data, found.row.id);
      return { ...event, data: JSON.parse(found.row.data) as unknown, topics };
    },
  });

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

const listEventTypes = () => {
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

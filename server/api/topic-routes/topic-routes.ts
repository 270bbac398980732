/** Routes from event types to topics and from topics to destinations: shapes and endpoints. */
import { type Static, Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { lookUpMember, refuseUnknownValue } from "../../../ground/member-problem.ts";
import { EVENT_TYPES, type EventType } from "../../events/event-types.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { type Database, isUniqueViolation, transactControl } from "../../store/database/database.ts";
import {
  type EventTopicRouteRow,
  eventTopicRoutes,
  type TopicDestinationRouteRow,
  topicDestinationRoutes,
} from "../../store/deliveries/topic-routes.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationId, ProjectId, TopicId, CreateTime, toTimes, UpdateTime } from "../members.ts";
import { PROJECT } from "../paths.ts";
import { getTopicRow } from "../topics/topics.ts";

export const listTopicRouteRoutes = (deps: { database: Database }): Route[] => [
  route(`GET ${PROJECT}/notification-event-topic-routes`, "full", listEventTopicRoutes(deps)),
  route(`POST ${PROJECT}/notification-event-topic-routes`, "full", createEventTopicRoute(deps)),
  route(`DELETE ${PROJECT}/notification-event-topic-routes/{routeId}`, "full", deleteEventTopicRoute(deps)),
  route(`GET ${PROJECT}/topic-destination-routes`, "full", listTopicDestinationRoutes(deps)),
  route(`POST ${PROJECT}/topic-destination-routes`, "full", createTopicDestinationRoute(deps)),
  route(`DELETE ${PROJECT}/topic-destination-routes/{routeId}`, "full", deleteTopicDestinationRoute(deps)),
];

const EventTypeSchema = Type.Enum([...EVENT_TYPES], {
  description: "Return only routes of this event type.",
});

const EventTopicRouteSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the route." }),
    eventType: described(EventTypeSchema, "Type of the event, for example `write.async.done`."),
    topicId: TopicId,
    projectId: ProjectId,
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "EventTopicRoute", description: "Sends all events of one type to a topic." },
);

const toEventTopicRoute = (row: EventTopicRouteRow): Static<typeof EventTopicRouteSchema> => ({
  id: row.id,
  // Checked before it was stored.
  eventType: row.eventType as EventType,
  topicId: row.topicId,
  projectId: row.projectId,
  ...toTimes(row),
});

const listEventTopicRoutes = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listEventTopicRoutes",
    tag: "Topics",
    summary: "List routes from event types to topics",
    description: "All filters must match.",
    query: Type.Object({
      topicId: Type.Optional(Type.String({ description: "Return only routes of this topic." })),
      eventType: Type.Optional(EventTypeSchema),
    }),
    success: { status: 200, description: "The routes.", schema: Type.Array(EventTopicRouteSchema) },
    handle: async ({ project, query }) =>
      (await eventTopicRoutes.list(deps.database.control, project.id, query)).map(toEventTopicRoute),
  });

const createEventTopicRoute = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createEventTopicRoute",
    tag: "Topics",
    summary: "Route an event type to a topic",
    description: "Future events of the type are sent to the topic's destinations.",
    body: Type.Object({
      eventType: Type.String({ description: `One of ${EVENT_TYPES.join(", ")}.` }),
      topicId: TopicId,
    }),
    success: { status: 201, description: "The route.", schema: EventTopicRouteSchema },
    refusals: {
      404: "The project has no such topic.",
      409: "The route already exists.",
      422: "The event type is unknown.",
    },
    async handle({ project, body }) {
      const { eventType, topicId } = body;
      if (!EVENT_TYPES.some((known) => known === eventType)) {
        throw refuseUnknownValue("eventType", eventType, EVENT_TYPES);
      }
      try {
        const row = await transactControl(deps.database, async (queries) => {
          const topic = await lookUpMember("topicId", topicId, getTopicRow(queries, project.id, topicId));
          return eventTopicRoutes.insert(queries, project.id, { topicId: topic.id, eventType });
        });
        return toEventTopicRoute(row);
      } catch (error) {
        if (!isUniqueViolation(error, "event_topic_routes_topic_id_event_type_key")) throw error;
        throw new Problem("conflict", {
          detail: `\`${eventType}\` is routed to the topic \`${topicId}\` already.`,
          cause: error,
        });
      }
    },
  });

const deleteEventTopicRoute = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteEventTopicRoute",
    tag: "Topics",
    summary: "Delete a route from an event type to a topic",
    description: "Stops sending events of the type to the topic.",
    params: Type.Object({ routeId: Type.String({ description: "Id of the route." }) }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      if (await eventTopicRoutes.remove(deps.database.control, project.id, params.routeId)) return;
      throw new Problem("not-found", { detail: `There is no such route \`${params.routeId}\`.` });
    },
  });

const TopicDestinationRouteSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the route." }),
    topicId: TopicId,
    destinationId: DestinationId,
    projectId: ProjectId,
    createTime: CreateTime,
  },
  { title: "TopicDestinationRoute", description: "Sends the events of a topic to a destination." },
);

const toTopicDestinationRoute = (
  row: TopicDestinationRouteRow,
): Static<typeof TopicDestinationRouteSchema> => ({
  id: row.id,
  topicId: row.topicId,
  destinationId: row.destinationId,
  projectId: row.projectId,
  createTime: row.createTime.toISOString(),
});

const listTopicDestinationRoutes = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listTopicDestinationRoutes",
    tag: "Topics",
    summary: "List routes from topics to destinations",
    description: "All filters must match.",
    query: Type.Object({
      topicId: Type.Optional(Type.String({ description: "Return only routes of this topic." })),
      destinationId: Type.Optional(Type.String({ description: "Return only routes to this destination." })),
    }),
    success: { status: 200, description: "The routes.", schema: Type.Array(TopicDestinationRouteSchema) },
    handle: async ({ project, query }) =>
      (await topicDestinationRoutes.list(deps.database.control, project.id, query)).map(
        toTopicDestinationRoute,
      ),
  });

const createTopicDestinationRoute = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createTopicDestinationRoute",
    tag: "Topics",
    summary: "Route a topic to a destination",
    description: "A destination with routes from several topics gets each event once.",
    body: Type.Object({ topicId: TopicId, destinationId: DestinationId }),
    success: { status: 201, description: "The route.", schema: TopicDestinationRouteSchema },
    refusals: {
      404: "The project has no such topic or destination.",
      409: "The route already exists.",
    },
    async handle({ project, body }) {
      try {
        const row = await transactControl(deps.database, async (queries) => {
          const { topicId, destinationId } = body;
          const topic = await lookUpMember("topicId", topicId, getTopicRow(queries, project.id, topicId));
          const destination = await lookUpMember(
            "destinationId",
            destinationId,
            getDestinationRow(queries, project.id, destinationId),
          );
          const ends = { topicId: topic.id, destinationId: destination.id };
          return topicDestinationRoutes.insert(queries, project.id, ends);
        });
        return toTopicDestinationRoute(row);
      } catch (error) {
        if (!isUniqueViolation(error, "topic_destination_routes_topic_id_destination_id_key")) throw error;
        throw new Problem("conflict", {
          detail: `The topic \`${body.topicId}\` is routed to \`${body.destinationId}\` already.`,
          cause: error,
        });
      }
    },
  });

const deleteTopicDestinationRoute = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteTopicDestinationRoute",
    tag: "Topics",
    summary: "Delete a route from a topic to a destination",
    description:
      "Stops sending the topic's events to the destination. Deliveries that already started continue.",
    params: Type.Object({ routeId: Type.String({ description: "Id of the route." }) }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      if (await topicDestinationRoutes.remove(deps.database.control, project.id, params.routeId)) return;
      throw new Problem("not-found", { detail: `There is no such route \`${params.routeId}\`.` });
    },
  });

/** GET /v1/projects/{projectIdOrName}/notification-event-topic-routes */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { eventTopicRoutes } from "../../store/topic-routes.ts";
import { EventTopicRouteSchema, EventTypeSchema, toEventTopicRoute } from "./event-topic-route.ts";

export const listEventTopicRoutes = (deps: { database: Database }) =>
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
      (await eventTopicRoutes.list(deps.database.queries, project.id, query)).map(toEventTopicRoute),
  });

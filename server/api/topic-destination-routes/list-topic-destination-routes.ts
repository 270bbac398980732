/** GET /v1/projects/{projectIdOrName}/topic-destination-routes */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { topicDestinationRoutes } from "../../store/topic-routes.ts";
import { toTopicDestinationRoute, TopicDestinationRouteSchema } from "./topic-destination-route.ts";

export const listTopicDestinationRoutes = (deps: { database: Database }) =>
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
      (await topicDestinationRoutes.list(deps.database.queries, project.id, query)).map(
        toTopicDestinationRoute,
      ),
  });

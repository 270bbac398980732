/** DELETE /v1/projects/{projectIdOrName}/notification-event-topic-routes/{routeId} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { eventTopicRoutes } from "../../store/topic-routes.ts";

export const deleteEventTopicRoute = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteEventTopicRoute",
    tag: "Topics",
    summary: "Delete a route from an event type to a topic",
    description: "Stops sending events of the type to the topic.",
    params: Type.Object({ routeId: Type.String({ description: "Id of the route." }) }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      if (await eventTopicRoutes.remove(deps.database.queries, project.id, params.routeId)) return;
      throw new Problem("not-found", { detail: `There is no such route \`${params.routeId}\`.` });
    },
  });

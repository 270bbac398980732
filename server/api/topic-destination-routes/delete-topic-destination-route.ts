/** DELETE /v1/projects/{projectIdOrName}/topic-destination-routes/{routeId} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { topicDestinationRoutes } from "../../store/topic-routes.ts";

export const deleteTopicDestinationRoute = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteTopicDestinationRoute",
    tag: "Topics",
    summary: "Delete a route from a topic to a destination",
    description:
      "Stops sending the topic's events to the destination. Deliveries that already started continue.",
    params: Type.Object({ routeId: Type.String({ description: "Id of the route." }) }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      if (await topicDestinationRoutes.remove(deps.database.queries, project.id, params.routeId)) return;
      throw new Problem("not-found", { detail: `There is no such route \`${params.routeId}\`.` });
    },
  });

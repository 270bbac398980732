/** POST /v1/projects/{projectIdOrName}/topic-destination-routes */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { lookUpMember } from "../../../ground/member-problem.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { isUniqueViolation, transact, type Database } from "../../store/database.ts";
import { topicDestinationRoutes } from "../../store/topic-routes.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationId, TopicId } from "../members.ts";
import { getTopicRow } from "../topics/topic.ts";
import { toTopicDestinationRoute, TopicDestinationRouteSchema } from "./topic-destination-route.ts";

export const createTopicDestinationRoute = (deps: { database: Database }) =>
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
        const row = await transact(deps.database, async (queries) => {
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

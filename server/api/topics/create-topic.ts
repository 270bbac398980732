/** POST /v1/projects/{projectIdOrName}/topics */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { isUniqueViolation, transact, type Database } from "../../store/database.ts";
import { insertTopic } from "../../store/topics.ts";
import { checkName } from "../names.ts";
import { checkEventTypes, replaceTopicRoutes, TopicRoutesSchema } from "./replace-topic-routes.ts";
import { getTopicRow, topicNameTaken, TopicSchema, toTopic } from "./topic.ts";

export const createTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createTopic",
    tag: "Topics",
    summary: "Create a topic",
    description:
      "A topic connects event types with destinations. `eventTypes` and `destinationIds` create its routes in the " +
      "same transaction; routes can also be created one by one (`notification-event-topic-routes`, " +
      "`topic-destination-routes`).",
    body: Type.Object({
      name: Type.String({ description: "Letters, digits and dashes, at most 64." }),
      ...TopicRoutesSchema,
    }),
    success: { status: 201, description: "The topic.", schema: TopicSchema },
    refusals: {
      404: "The project has no such destination.",
      409: "The project has a topic of this name.",
      422: "The name is not valid: letters, digits and dashes, at most 64. Or an event type is unknown.",
    },
    async handle({ project, body }) {
      const name = checkName(body.name);
      checkEventTypes(body.eventTypes);
      try {
        return await transact(deps.database, async (queries) => {
          const { id } = await insertTopic(queries, project.id, name);
          await replaceTopicRoutes(queries, project.id, id, body);
          return toTopic(await getTopicRow(queries, project.id, id));
        });
      } catch (error) {
        throw isUniqueViolation(error, "topics_project_id_name_key") ? topicNameTaken(name, error) : error;
      }
    },
  });

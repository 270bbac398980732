/** PATCH /v1/projects/{projectIdOrName}/topics/{topicId} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { isUniqueViolation, transact, type Database } from "../../store/database.ts";
import { updateTopic as updateRow } from "../../store/topics.ts";
import { TopicId } from "../members.ts";
import { checkName } from "../names.ts";
import { checkEventTypes, replaceTopicRoutes, TopicRoutesSchema } from "./replace-topic-routes.ts";
import { getTopicRow, topicNameTaken, noTopic, TopicSchema, toTopic } from "./topic.ts";

export const updateTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "updateTopic",
    tag: "Topics",
    summary: "Update a topic",
    description:
      "Changes the name and the routes. `eventTypes` and `destinationIds` are each the whole new set; what is absent " +
      "stays as it is.",
    params: Type.Object({ topicId: TopicId }),
    body: Type.Object({
      name: Type.Optional(Type.String({ description: "Letters, digits and dashes, at most 64." })),
      ...TopicRoutesSchema,
    }),
    success: { status: 200, description: "The updated topic.", schema: TopicSchema },
    refusals: {
      404: "The project has no such topic or destination.",
      409: "The project has a topic of this name.",
      422: "The name is not valid: letters, digits and dashes, at most 64. Or an event type is unknown.",
    },
    async handle({ project, params, body }) {
      const { id } = await getTopicRow(deps.database.queries, project.id, params.topicId);
      const change = body.name === undefined ? {} : { name: checkName(body.name) };
      checkEventTypes(body.eventTypes);
      try {
        return await transact(deps.database, async (queries) => {
          if (!(await updateRow(queries, project.id, id, change))) throw noTopic(id);
          await replaceTopicRoutes(queries, project.id, id, body);
          return toTopic(await getTopicRow(queries, project.id, id));
        });
      } catch (error) {
        if (body.name === undefined || !isUniqueViolation(error, "topics_project_id_name_key")) throw error;
        throw topicNameTaken(body.name, error);
      }
    },
  });

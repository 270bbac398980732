/** PATCH /v1/projects/{projectIdOrName}/topics/{topicId} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { isUniqueViolation, type Database } from "../../store/database.ts";
import { renameTopic } from "../../store/topics.ts";
import { TopicId } from "../members.ts";
import { checkName } from "../names.ts";
import { getTopicRow, nameTaken, noTopic, TopicSchema, toTopic } from "./topic.ts";

export const updateTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "updateTopic",
    tag: "Topics",
    summary: "Rename a topic",
    description: "Changes the name; its routes stay.",
    params: Type.Object({ topicId: TopicId }),
    body: Type.Object({ name: Type.String({ description: "Letters, digits and dashes, at most 64." }) }),
    success: { status: 200, description: "The updated topic.", schema: TopicSchema },
    refusals: {
      409: "The project has a topic of this name.",
      422: "The name is not valid: letters, digits and dashes, at most 64.",
    },
    async handle({ project, params, body }) {
      const { queries } = deps.database;
      const { id } = await getTopicRow(queries, project.id, params.topicId);
      const name = checkName(body.name);
      try {
        const row = await renameTopic(queries, project.id, id, name);
        if (!row) throw noTopic(id);
        return toTopic(row);
      } catch (error) {
        throw isUniqueViolation(error, "topics_project_id_name_key") ? nameTaken(name, error) : error;
      }
    },
  });

/** POST /v1/projects/{projectIdOrName}/topics */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { isUniqueViolation, type Database } from "../../store/database.ts";
import { insertTopic } from "../../store/topics.ts";
import { checkName } from "../names.ts";
import { nameTaken, TopicSchema, toTopic } from "./topic.ts";

export const createTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createTopic",
    tag: "Topics",
    summary: "Create a topic",
    description:
      "A topic connects event types with destinations. Create a route from each event type to it " +
      "(`notification-event-topic-routes`) and from it to each destination (`topic-destination-routes`).",
    body: Type.Object({ name: Type.String({ description: "Letters, digits and dashes, at most 64." }) }),
    success: { status: 201, description: "The topic.", schema: TopicSchema },
    refusals: {
      409: "The project has a topic of this name.",
      422: "The name is not valid: letters, digits and dashes, at most 64.",
    },
    async handle({ project, body }) {
      const name = checkName(body.name);
      try {
        return toTopic(await insertTopic(deps.database.queries, project.id, name));
      } catch (error) {
        throw isUniqueViolation(error, "topics_project_id_name_key") ? nameTaken(name, error) : error;
      }
    },
  });

/** DELETE /v1/projects/{projectIdOrName}/topics/{topicId} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { removeTopic } from "../../store/topics.ts";
import { TopicId } from "../members.ts";
import { getTopicRow } from "./topic.ts";

export const deleteTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteTopic",
    tag: "Topics",
    summary: "Delete a topic",
    description: "Deletes its routes as well. Deliveries that already started continue.",
    params: Type.Object({ topicId: TopicId }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      const { id } = await getTopicRow(deps.database.queries, project.id, params.topicId);
      await removeTopic(deps.database.queries, project.id, id);
    },
  });

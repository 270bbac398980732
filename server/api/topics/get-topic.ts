/** GET /v1/projects/{projectIdOrName}/topics/{topicId} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { TopicId } from "../members.ts";
import { getTopicRow, TopicSchema, toTopic } from "./topic.ts";

export const getTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getTopic",
    tag: "Topics",
    summary: "Get a topic",
    description: "By its id.",
    params: Type.Object({ topicId: TopicId }),
    success: { status: 200, description: "The topic.", schema: TopicSchema },
    handle: async ({ project, params }) =>
      toTopic(await getTopicRow(deps.database.queries, project.id, params.topicId)),
  });

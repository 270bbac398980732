/** GET /v1/projects/{projectIdOrName}/topics */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listTopics as listRows } from "../../store/topics.ts";
import { TopicSchema, toTopic } from "./topic.ts";

export const listTopics = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listTopics",
    tag: "Topics",
    summary: "List topics",
    description: "The project's topics.",
    hasEntityTag: true,
    success: { status: 200, description: "The topics.", schema: Type.Array(TopicSchema) },
    handle: async ({ project }) => (await listRows(deps.database.queries, project.id)).map(toTopic),
  });

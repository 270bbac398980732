/** The topic as the API shows it. */
import { Type, type Static } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import type { Queries } from "../../store/database.ts";
import { findTopic, type TopicRow } from "../../store/topics.ts";
import { DestinationId, ProjectId, TopicId } from "../members.ts";
import { CreateTime, times, UpdateTime } from "../times.ts";

export const TopicSchema = Type.Object(
  {
    id: TopicId,
    name: Type.String({ description: "Name of the topic, unique in the project." }),
    projectId: ProjectId,
    eventTypes: Type.Array(Type.String(), {
      description: "Types of the events that are published under the topic: those with a route to it.",
    }),
    destinationIds: Type.Array(DestinationId, {
      description: "Ids of the destinations that get its events: those with a route from it.",
    }),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "Topic", description: "A topic connects event types with destinations." },
);

export const toTopic = (row: TopicRow): Static<typeof TopicSchema> => ({
  id: row.id,
  name: row.name,
  projectId: row.projectId,
  eventTypes: row.eventTypes,
  destinationIds: row.destinationIds,
  ...times(row),
});

export const noTopic = (id: string): Problem =>
  new Problem("not-found", { detail: `There is no topic \`${id}\` in this project.` });

export const topicNameTaken = (name: string, cause: unknown): Problem =>
  new Problem("conflict", {
    detail: `There is a topic \`${name}\` in this project already. Choose another name.`,
    cause,
  });

/** Throws a 404 Problem. */
export async function getTopicRow(queries: Queries, projectId: string, id: string): Promise<TopicRow> {
  const row = await findTopic(queries, projectId, id);
  if (row) return row;
  throw noTopic(id);
}

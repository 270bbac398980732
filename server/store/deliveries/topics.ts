/** Topics: they connect event types with destinations. */
import { sql, type RawBuilder } from "kysely";
import { isUuid, newId } from "../../../ground/ids.ts";
import type { ControlQueries, SharedQueries } from "../database/sides.ts";

export interface TopicRow {
  id: string;
  projectId: string;
  name: string;
  createTime: Date;
  updateTime: Date | null;
  /** Types with a route to the topic, in the order in which the routes were created. */
  eventTypes: string[];
  /** Destinations with a route from the topic, in the same order. */
  destinationIds: string[];
}

const selectTopics = (condition: RawBuilder<unknown>): RawBuilder<TopicRow> => sql<TopicRow>`
  select topics.*,
    array(select event_type from event_topic_routes where topic_id = topics.id order by id) as event_types,
    array(select destination_id from topic_destination_routes where topic_id = topics.id order by id) as destination_ids
  from topics where ${condition} order by id
`;

export const listTopics = async (queries: SharedQueries, projectId: string): Promise<TopicRow[]> =>
  (await selectTopics(sql`project_id = ${projectId}`).execute(queries)).rows;

export async function findTopic(
  queries: SharedQueries,
  projectId: string,
  id: string,
): Promise<TopicRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await selectTopics(sql`project_id = ${projectId} and id = ${id}`).execute(queries);
  return rows[0];
}

/** Inserts a topic. Violates `topics_project_id_name_key` if the project has one of this name. */
export const insertTopic = (
  queries: ControlQueries,
  projectId: string,
  name: string,
): Promise<{ id: string; name: string }> =>
  queries
    .insertInto("topics")
    .values({ id: newId(), projectId, name })
    .returning(["id", "name"])
    .executeTakeFirstOrThrow();

/**
 * Sets the time of the update and, if given, the name. Locks the row, so that changes of a topic happen one after the other.
 * Returns whether the topic exists.
 */
export async function updateTopic(
  queries: ControlQueries,
  projectId: string,
  id: string,
  change: { name?: string },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("topics")
    .set({ ...change, updateTime: sql`now()` })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Removes a topic with its routes, and returns whether there was one. */
export async function removeTopic(queries: ControlQueries, projectId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("topics")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

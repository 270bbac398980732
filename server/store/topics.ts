/** Topics and the routes on both sides of them: event type → topic → destination. */
import { isUuid, newId } from "../ground/ids.ts";
import type { Queries } from "./database.ts";
import { sql } from "kysely";

export interface TopicRow {
  id: string;
  projectId: string;
  name: string;
  createTime: Date;
  updateTime: Date | null;
}

export const listTopics = (queries: Queries, projectId: string): Promise<TopicRow[]> =>
  queries.selectFrom("topics").selectAll().where("projectId", "=", projectId).orderBy("id").execute();

export const findTopic = async (
  queries: Queries,
  projectId: string,
  id: string,
): Promise<TopicRow | undefined> =>
  isUuid(id)
    ? queries
        .selectFrom("topics")
        .selectAll()
        .where("projectId", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst()
    : undefined;

/** A second one of the name violates `topics_project_id_name_key`. */
export const insertTopic = (queries: Queries, projectId: string, name: string): Promise<TopicRow> =>
  queries
    .insertInto("topics")
    .values({ id: newId(), projectId, name })
    .returningAll()
    .executeTakeFirstOrThrow();

export const renameTopic = (
  queries: Queries,
  projectId: string,
  id: string,
  name: string,
): Promise<TopicRow | undefined> =>
  queries
    .updateTable("topics")
    .set({ name, updateTime: sql`now()` })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();

/** Whether a row was removed. Its routes go with it. */
export async function removeTopic(queries: Queries, projectId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("topics")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export interface EventTopicRouteRow {
  id: string;
  projectId: string;
  topicId: string;
  eventType: string;
  createTime: Date;
  updateTime: Date | null;
}

/** The filters combine. */
export async function listEventTopicRoutes(
  queries: Queries,
  projectId: string,
  filter: { topicId?: string; eventType?: string },
): Promise<EventTopicRouteRow[]> {
  if (filter.topicId !== undefined && !isUuid(filter.topicId)) return [];
  let query = queries
    .selectFrom("eventTopicRoutes")
    .selectAll()
    .where("projectId", "=", projectId)
    .orderBy("id");
  if (filter.topicId) query = query.where("topicId", "=", filter.topicId);
  if (filter.eventType) query = query.where("eventType", "=", filter.eventType);
  return query.execute();
}

/** The same route again violates `event_topic_routes_topic_id_event_type_key`. */
export const insertEventTopicRoute = (
  queries: Queries,
  route: { projectId: string; topicId: string; eventType: string },
): Promise<EventTopicRouteRow> =>
  queries
    .insertInto("eventTopicRoutes")
    .values({ id: newId(), ...route })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Whether a row was removed. */
export async function removeEventTopicRoute(
  queries: Queries,
  projectId: string,
  id: string,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { numDeletedRows } = await queries
    .deleteFrom("eventTopicRoutes")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export interface TopicDestinationRouteRow {
  id: string;
  projectId: string;
  topicId: string;
  destinationId: string;
  createTime: Date;
}

/** The filters combine. */
export async function listTopicDestinationRoutes(
  queries: Queries,
  projectId: string,
  filter: { topicId?: string; destinationId?: string },
): Promise<TopicDestinationRouteRow[]> {
  const { topicId, destinationId } = filter;
  if ([topicId, destinationId].some((id) => id !== undefined && !isUuid(id))) return [];
  let query = queries
    .selectFrom("topicDestinationRoutes")
    .selectAll()
    .where("projectId", "=", projectId)
    .orderBy("id");
  if (topicId) query = query.where("topicId", "=", topicId);
  if (destinationId) query = query.where("destinationId", "=", destinationId);
  return query.execute();
}

/** The same route again violates `topic_destination_routes_topic_id_destination_id_key`. */
export const insertTopicDestinationRoute = (
  queries: Queries,
  route: { projectId: string; topicId: string; destinationId: string },
): Promise<TopicDestinationRouteRow> =>
  queries
    .insertInto("topicDestinationRoutes")
    .values({ id: newId(), ...route })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Whether a row was removed. */
export async function removeTopicDestinationRoute(
  queries: Queries,
  projectId: string,
  id: string,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { numDeletedRows } = await queries
    .deleteFrom("topicDestinationRoutes")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

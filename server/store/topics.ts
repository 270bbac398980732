/** Topics, which connect event types with destinations. */
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

/** Violates `topics_project_id_name_key` when the project has a topic of this name. */
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

/** Returns whether a row was removed. Its routes are removed with it. */
export async function removeTopic(queries: Queries, projectId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("topics")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

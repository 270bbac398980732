/** Uploaded files that wait for deployment. An upload is announced, filled once, and removed when it expires. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";
import { removeRows } from "../database/remove-rows.ts";

export async function insertUpload(
  queries: ControlQueries,
  upload: { id: string; projectId: string; md5: string | undefined; lifeMinutes: number },
): Promise<void> {
  const { lifeMinutes, ...row } = upload;
  await queries
    .deleteFrom("uploads")
    .where("expireTime", "<", sql<Date>`now()`)
    .execute();
  await queries
    .insertInto("uploads")
    .values({ ...row, expireTime: sql`now() + make_interval(mins => ${lifeMinutes})` })
    .execute();
}

/** Finds an announced upload that has no content yet. */
export const findOpenUpload = (
  queries: ControlQueries,
  id: string,
): Promise<{ md5: string | null } | undefined> =>
  queries
    .selectFrom("uploads")
    .select("md5")
    .where("id", "=", id)
    .where("content", "is", null)
    .where("expireTime", ">", sql<Date>`now()`)
    .executeTakeFirst();

/** Stores the content of an open upload; returns whether it was open. */
export async function fillUpload(queries: ControlQueries, id: string, content: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("uploads")
    .set({ content })
    .where("id", "=", id)
    .where("content", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const findUploadContent = (
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<{ content: Buffer | null } | undefined> =>
  queries
    .selectFrom("uploads")
    .select("content")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("expireTime", ">", sql<Date>`now()`)
    .executeTakeFirst();

/** Removes up to `max` expired uploads; returns their number. */
export const removeExpiredUploads = (queries: ControlQueries, max: number): Promise<number> =>
  removeRows(queries, "uploads", sql`expire_time < now()`, max);

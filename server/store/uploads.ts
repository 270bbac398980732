/** Files that wait to be deployed: announced, then filled once, gone when they expire. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

export async function insertUpload(
  queries: Queries,
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

/** The announced upload that still waits for its bytes. */
export const findOpenUpload = (queries: Queries, id: string): Promise<{ md5: string | null } | undefined> =>
  queries
    .selectFrom("uploads")
    .select("md5")
    .where("id", "=", id)
    .where("content", "is", null)
    .where("expireTime", ">", sql<Date>`now()`)
    .executeTakeFirst();

/** Whether the upload was open and now has its bytes. */
export async function fillUpload(queries: Queries, id: string, content: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("uploads")
    .set({ content })
    .where("id", "=", id)
    .where("content", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const findUploadContent = (
  queries: Queries,
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

/** Removes uploads that can no longer be deployed; at most so many. Says how many. */
export async function removeExpiredUploads(queries: Queries, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from uploads where id in (select id from uploads where expire_time < now() limit ${most})
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

/** Single revisions of an integration, current or old. */
import { isUuid } from "../ground/ids.ts";
import type { Queries } from "./database.ts";
import type { RevisionRow } from "./integrations.ts";

export async function findRevision<Content>(
  queries: Queries,
  projectId: string,
  integrationId: string,
  id: string,
): Promise<RevisionRow<Content> | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await queries
    .selectFrom("revisions")
    .select(["id", "specVersion", "content", "createTime"])
    .where("projectId", "=", projectId)
    .where("integrationId", "=", integrationId)
    .where("id", "=", id)
    .executeTakeFirst();
  // The content was checked against the manifest's schema when the revision was stored.
  return row && { ...row, content: row.content as Content };
}

/** Enough for objects that earlier deploys left running. */
const MOST_KEPT = 50;

/** Lists the contents of the newest revisions back to the last destructive one, newest first. */
export async function listKeptRevisions<Content>(
  queries: Queries,
  projectId: string,
  integrationId: string,
): Promise<Content[]> {
  const rows = await queries
    .selectFrom("revisions")
    .select(["content", "destructive"])
    .where("projectId", "=", projectId)
    .where("integrationId", "=", integrationId)
    .orderBy("seq", "desc")
    .limit(MOST_KEPT)
    .execute();
  const last = rows.findIndex(({ destructive }) => destructive);
  return (last === -1 ? rows : rows.slice(0, last + 1)).map((row) => row.content as Content);
}

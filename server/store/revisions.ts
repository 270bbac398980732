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

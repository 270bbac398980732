/** Revisions of an integration, the newest and older ones. */
import { sql } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { ControlQueries, SharedQueries } from "../database/sides.ts";
import type { RevisionRow } from "./integrations.ts";

export async function findRevision<Content>(
  queries: SharedQueries,
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

/** Revision without its content, for lists. */
export interface RevisionEntry {
  id: string;
  /** Number within the integration, from 1. */
  number: number;
  createTime: Date;
  createdBy: string;
  /** Whether it is the newest one. */
  current: boolean;
}

const selectEntries = (queries: ControlQueries, projectId: string, integrationId: string) =>
  queries
    .with("numbered", (inner) =>
      inner
        .selectFrom("revisions")
        .select([
          "id",
          "createTime",
          "createdBy",
          "seq",
          sql<number>`(row_number() over (order by seq))::integer`.as("number"),
          sql<boolean>`row_number() over (order by seq desc) = 1`.as("current"),
        ])
        .where("projectId", "=", projectId)
        .where("integrationId", "=", integrationId),
    )
    .selectFrom("numbered")
    .select(["id", "number", "createTime", "createdBy", "current"]);

/** Lists revisions, newest first: those before the revision `before` and, with `after`, those after it. */
export function listRevisionEntries(
  queries: ControlQueries,
  place: { projectId: string; integrationId: string },
  page: { before?: string | undefined; after?: string | undefined; limit: number },
): Promise<RevisionEntry[]> {
  const { projectId, integrationId } = place;
  let query = selectEntries(queries, projectId, integrationId).orderBy("seq", "desc").limit(page.limit);
  const selectSeq = (id: string) =>
    sql<string>`(select seq from revisions where id = ${id} and integration_id = ${integrationId})`;
  if (page.before) query = query.where("seq", "<", selectSeq(page.before));
  if (page.after) query = query.where("seq", ">", selectSeq(page.after));
  return query.execute();
}

/** Finds a revision with the source that it was deployed from; null if it was not deployed from a file. */
export async function findRevisionEntry(
  queries: ControlQueries,
  place: { projectId: string; integrationId: string },
  id: string,
): Promise<(RevisionEntry & { source: string | null }) | undefined> {
  if (!isUuid(id)) return undefined;
  return selectEntries(queries, place.projectId, place.integrationId)
    .where("id", "=", id)
    .select((row) =>
      row
        .selectFrom("revisions")
        .innerJoin("manifestSources", "manifestSources.id", "revisions.sourceId")
        .select("source")
        .whereRef("revisions.id", "=", "numbered.id")
        .as("source"),
    )
    .executeTakeFirst();
}

/** Limit that suffices for objects which earlier deployments left running. */
const MAX_KEPT = 50;

/** Lists the contents of the newest revisions back to the last destructive one, newest first. */
export async function listKeptRevisions<Content>(
  queries: SharedQueries,
  projectId: string,
  integrationId: string,
): Promise<Content[]> {
  const rows = await queries
    .selectFrom("revisions")
    .select(["content", "destructive"])
    .where("projectId", "=", projectId)
    .where("integrationId", "=", integrationId)
    .orderBy("seq", "desc")
    .limit(MAX_KEPT)
    .execute();
  const last = rows.findIndex(({ destructive }) => destructive);
  return (last === -1 ? rows : rows.slice(0, last + 1)).map((row) => row.content as Content);
}

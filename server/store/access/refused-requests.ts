/** Requests that were refused although their credential and project were valid. */
import { sql } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { ControlQueries } from "../database/sides.ts";
import { containsText, limitToIdRange, type ProjectBound, type IdRange } from "../database/id-range.ts";
import { removePlannedByRows, removeRows } from "../database/remove-rows.ts";

export interface RefusedRequestRow {
  /** Id of the request. */
  id: string;
  projectId: string;
  method: string;
  path: string;
  operationId: string | null;
  status: number;
  /** Type of the Problem. */
  slug: string;
  detail: string;
  apiKeyId: string | null;
  builderId: string | null;
  /** The customer that the request named or came from, for erasing. */
  groupRef: string | null;
}

/**
 * Inserts the rows whose project still exists, in one statement. Rows arrive up to a second after the request, or later if the
 * database was away. Rows about a customer who was erased meanwhile (the audit records that) or about an account that is gone
 * are skipped. A 404 about an address that never existed is kept, unless a customer was erased meanwhile: the address may name
 * an account of that customer.
 */
export async function insertRefusedRequests(
  queries: ControlQueries,
  rows: RefusedRequestRow[],
): Promise<void> {
  await sql`
    insert into refused_requests
      (id, project_id, method, path, operation_id, status, slug, detail, api_key_id, builder_id, group_ref)
    select row.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row("id" uuid, "projectId" uuid, "method" text,
      "path" text, "operationId" text, "status" integer, "slug" text, "detail" text, "apiKeyId" uuid, "builderId" uuid, "groupRef" text)
    join projects on projects.id = row."projectId"
    where not exists (
      select from ${ERASURES_SINCE}
        and (erasure.target_id = row."groupRef" or strpos(row."detail", '\`' || erasure.target_id || '\`') > 0))
      and (${NEVER_WAS} or ${isThere("installations")} or exists (
        select from removed_installations where id = ${selectPathId("installations")}::uuid))
      and (${NEVER_WAS} or ${isThere("connections")})
    on conflict do nothing
  `.execute(queries);
}

const ERASURES_SINCE = sql`audit_events as erasure
  where erasure.project_id = row."projectId" and erasure.operation_id = 'deleteGroup' and erasure.id > row."id"`;

/** The condition that, as far as is known, the address never existed. */
const NEVER_WAS = sql`(row."status" = 404 and not exists (select from ${ERASURES_SINCE}))`;

const selectPathId = (table: "installations" | "connections") =>
  sql`substring(row."path" from ${`/${table}/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`})`;

const isThere = (table: "installations" | "connections") =>
  sql`(${selectPathId(table)} is null or exists (select from ${sql.table(table)} where id = ${selectPathId(table)}::uuid))`;

interface RefusedRequestFilter {
  projectId: string;
  /** Lowest and highest status. */
  statuses?: { from: number; to: number };
  apiKeyId?: string;
  operationId?: string;
  /** Text in the path or detail, or the request id. */
  text?: string;
}

/** Lists refused requests, newest first. */
export async function listRefusedRequests(
  queries: ControlQueries,
  { projectId, statuses, apiKeyId, operationId, text }: RefusedRequestFilter,
  range: IdRange,
): Promise<RefusedRequestRow[]> {
  if (apiKeyId !== undefined && !isUuid(apiKeyId)) return [];
  let query = queries
    .selectFrom("refusedRequests")
    .selectAll()
    .where("projectId", "=", projectId)
    .where(limitToIdRange("refused_requests.id", range))
    .orderBy("id", "desc")
    .limit(range.limit);
  if (statuses) query = query.where("status", ">=", statuses.from).where("status", "<=", statuses.to);
  if (apiKeyId !== undefined) query = query.where("apiKeyId", "=", apiKeyId);
  if (operationId !== undefined) query = query.where("operationId", "=", operationId);
  if (text !== undefined) query = query.where(containsText(["path", "detail", "operation_id", "id"], text));
  return query.execute();
}

/** Removes up to `max` rows older than an id, and returns their number. */
export const removeOldRefusedRequests = (
  queries: ControlQueries,
  beforeId: string,
  max: number,
): Promise<number> => removeRows(queries, "refused_requests", sql`id < ${beforeId} order by id`, max);

/** Removes up to `max` rows of one project, and returns their number. */
export const removeProjectRefusedRequests = (
  queries: ControlQueries,
  { projectId, id }: ProjectBound,
  max: number,
): Promise<number> =>
  removePlannedByRows(
    queries,
    "refused_requests",
    sql`project_id = ${projectId} and id < ${id} order by id`,
    max,
  );

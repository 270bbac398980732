/** Lists operations with the names of their integrations and customers, for the API. */
import { sql, type RawBuilder } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { ControlQueries, DataQueries, SharedQueries } from "../database/sides.ts";
import { containsText, limitToIdRange, type IdRange } from "../database/id-range.ts";
import type { Actor, OperationRow, OperationStatus } from "./operations.ts";
import { removeRows } from "../database/remove-rows.ts";

/** Operation with names; null if the installation was deleted so long ago that its names are forgotten. */
export interface ListedOperation extends OperationRow {
  integrationName: string | null;
  groupRef: string | null;
  groupName: string | null;
  requestId: string | null;
  actor: Actor | null;
}

interface OperationFilter {
  projectId: string;
  status?: OperationStatus;
  /** Id or name of the integration. */
  integration?: string;
  installationId?: string;
  groupRef?: string;
  object?: string;
  type?: string;
  /** Id of the actor who requested it. */
  actor?: string;
  /** Part of a name or of the result, or of the id of the operation, of a record or of the request. */
  text?: string;
}

/**
 * Maximum number of operations that one call examines; the next page continues behind them. A search with few results reads
 * many operations, because no index covers the columns that change at the end of one: such an index would make every write
 * slower.
 */
const MAX_EXAMINED = 100_000;
/** Limit for text, of which each row costs several times as much. */
const MAX_SEARCHED = 25_000;

/** Lists operations, newest first. With `continueBefore`, the page is short because the call has examined its limit. */
export async function listProjectOperations(
  queries: DataQueries,
  filter: OperationFilter,
  range: IdRange,
  maxExamined = filter.text === undefined ? MAX_EXAMINED : MAX_SEARCHED,
): Promise<{ rows: ListedOperation[]; continueBefore?: string }> {
  const places = await listPlaces(queries, filter);
  if (places) return { rows: await listOfPlaces(queries, places, filter, range) };
  const conditions = buildConditions(filter);
  const lowest =
    conditions.length > 0 ? await findLowestExamined(queries, filter, range, maxExamined) : undefined;
  if (lowest) conditions.push(sql`operations.id >= ${lowest}`);
  const page = sql`
    select ${COLUMNS} from operations
    where ${joinConditions([sql`project_id = ${filter.projectId}`, limitToIdRange("operations.id", range), ...conditions])}
    order by id desc limit ${range.limit}`;
  const rows = await joinNames(queries, page);
  return rows.length < range.limit && lowest ? { rows, continueBefore: lowest } : { rows };
}

export async function findListedOperation(
  queries: DataQueries,
  projectId: string,
  id: string,
): Promise<ListedOperation | undefined> {
  if (!isUuid(id)) return undefined;
  const one = sql`select ${COLUMNS} from operations where project_id = ${projectId} and id = ${id}`;
  const [found] = await joinNames(queries, one);
  return found;
}

/** Columns without the log, which can be long. */
const COLUMNS = sql`operations.id, project_id, integration_id, installation_id, config_id, action_type, object_name, status,
  result, metadata, create_time, update_time, request_id, actor`;

const joinConditions = (conditions: RawBuilder<unknown>[]) => sql.join(conditions, sql` and `);

async function joinNames(queries: SharedQueries, page: RawBuilder<unknown>): Promise<ListedOperation[]> {
  const { rows } = await sql<ListedOperation>`
    select page.*, coalesce(integrations.name, removed.integration_name) as integration_name, group_ref, group_name
    from (${page}) as page
    left join installations on installations.id = page.installation_id
    left join removed_installations as removed on removed.id = page.installation_id
    left join integrations on integrations.id = page.integration_id
    left join groups on groups.id = coalesce(installations.group_id, removed.group_id)
    order by page.id desc
  `.execute(queries);
  return rows;
}

/** Lists present and former installations of a customer, or the wanted one; undefined for all of the project. */
async function listPlaces(
  queries: SharedQueries,
  { projectId, groupRef, installationId }: OperationFilter,
): Promise<string[] | undefined> {
  if (installationId !== undefined && !isUuid(installationId)) return [];
  if (groupRef === undefined) return installationId === undefined ? undefined : [installationId];
  const { rows } = await sql<{ id: string }>`
    with wanted as (select id from groups where project_id = ${projectId} and group_ref = ${groupRef})
    select id from installations where group_id in (select id from wanted) and project_id = ${projectId}
    union all
    select id from removed_installations where group_id in (select id from wanted) and project_id = ${projectId}
  `.execute(queries);
  const ids = rows.map(({ id }) => id);
  return installationId === undefined ? ids : ids.filter((id) => id === installationId.toLowerCase());
}

async function listOfPlaces(
  queries: DataQueries,
  places: string[],
  filter: OperationFilter,
  range: IdRange,
): Promise<ListedOperation[]> {
  if (places.length === 0) return [];
  const conditions = [
    sql`installation_id = place.id`,
    sql`project_id = ${filter.projectId}`,
    limitToIdRange("operations.id", range),
    ...buildConditions(filter),
  ];
  return joinNames(
    queries,
    sql`
      select operations.* from unnest(${places}::uuid[]) as place(id) cross join lateral (
        select ${COLUMNS} from operations where ${joinConditions(conditions)} order by operations.id desc limit ${range.limit}
      ) as operations
      order by operations.id desc limit ${range.limit}`,
  );
}

/** Finds the last operation that a call examines; undefined if the range has no more of them. */
async function findLowestExamined(
  queries: DataQueries,
  { projectId }: OperationFilter,
  range: IdRange,
  max: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from operations where project_id = ${projectId} and ${limitToIdRange("operations.id", range)}
    order by id desc offset ${max - 1} limit 1
  `.execute(queries);
  return rows[0]?.id;
}

function buildConditions(filter: OperationFilter): RawBuilder<unknown>[] {
  const { status, object, type, integration, actor, text } = filter;
  const conditions: RawBuilder<unknown>[] = [];
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (object !== undefined) conditions.push(sql`lower(object_name) = lower(${object})`);
  if (type !== undefined) conditions.push(sql`action_type = ${type}`);
  if (actor !== undefined) conditions.push(sql`actor->>'id' = ${actor}`);
  if (integration !== undefined) conditions.push(isOfIntegration(filter.projectId, integration));
  if (text !== undefined) conditions.push(hasText(filter.projectId, text));
  return conditions;
}

/** Selects operations of an integration, of a deleted one, too. */
function isOfIntegration(projectId: string, idOrName: string): RawBuilder<unknown> {
  const byName = sql`operations.integration_id = any(array(
    select id from integrations where project_id = ${projectId} and name = ${idOrName}
    union select integration_id from removed_installations where project_id = ${projectId} and integration_name = ${idOrName}))`;
  return isUuid(idOrName) ? sql`(operations.integration_id = ${idOrName} or ${byName})` : byName;
}

function hasText(projectId: string, text: string): RawBuilder<unknown> {
  const own = containsText(
    [
      "result",
      "object_name",
      // No other text is part of a UUID, and printing two of them for each row costs a third of the search.
      ...(/^[\da-f-]+$/i.test(text) ? ["operations.id", "request_id"] : []),
      sql`metadata->>'successfulRecordIds'`,
      sql`metadata->>'failedRecordIds'`,
    ],
    text,
  );
  return sql`(${own} or installation_id in (
    select installations.id from installations
    join groups on groups.id = group_id join integrations on integrations.id = integration_id
    where installations.project_id = ${projectId} and ${containsText(["group_ref", "group_name", "name"], text)}
    union
    select removed.id from removed_installations as removed join groups on groups.id = group_id
    where removed.project_id = ${projectId} and ${containsText(["group_ref", "group_name", "integration_name"], text)}))`;
}

/** Forgets the names of up to `max` installations that were deleted before this time; returns their number. */
export const forgetRemovedInstallations = (
  queries: ControlQueries,
  before: Date,
  max: number,
): Promise<number> =>
  removeRows(queries, "removed_installations", sql`remove_time < ${before} order by remove_time`, max);

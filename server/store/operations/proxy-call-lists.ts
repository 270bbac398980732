/** Lists proxied calls of a project with the names of their integrations and customers, for the API. */
import { sql, type RawBuilder } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { DataQueries } from "../database/sides.ts";
import { containsText, type IdRange } from "../database/id-range.ts";
import type { ProxyUsageRow } from "./proxy-usage.ts";

/** Call with names; null if the installation was deleted so long ago that its names are forgotten. */
export interface ListedProxyCall extends ProxyUsageRow {
  integrationName: string | null;
  groupRef: string | null;
}

export interface ProxyCallFilter {
  projectId: string;
  /** Lowest and highest status. */
  statuses?: { from: number; to: number };
  method?: string;
  /** Part of the path. */
  path?: string;
  groupRef?: string;
  /** Id or name of the integration. */
  integration?: string;
  installationId?: string;
  refusedBy?: "busbar" | "provider";
}

/** Status of calls whose caller closed the connection before the answer: they were not refused. */
const CALLER_LEFT = 499;

/** Whether the provider refused a call. */
const BY_PROVIDER = sql<boolean>`(status >= 400 and status <> ${sql.lit(CALLER_LEFT)} and not by_busbar)`;

/** Calls that one statement reads for filters without an index; fewer for a text, which costs more per row. */
const MAX_EXAMINED = 100_000;
const MAX_SEARCHED = 25_000;

/** Where a page begins: behind this call; without an id behind this time, or with it. */
export type CallPlace = { time: Date; id: string } | { time: Date; includesTime: boolean };

interface CallRange extends Omit<IdRange, "before" | "after"> {
  before?: CallPlace;
  /**
   * Only calls that were stored after the one with this id, because a long call is stored after others that began later; or that began
   * after this time.
   */
  after?: { id: string } | { time: Date };
}

/**
 * Lists calls, newest first. `stop` is set if the page is short because the query reached its limit: it is the last call examined.
 */
export async function listProjectProxyCalls(
  queries: DataQueries,
  filter: ProxyCallFilter,
  range: CallRange,
  maxExamined = filter.path === undefined ? MAX_EXAMINED : MAX_SEARCHED,
): Promise<{ rows: ListedProxyCall[]; stop?: { time: Date; id: string } }> {
  const inRange = filterRange(filter.projectId, range);
  const filters = buildFilters(filter);
  // The calls of one customer have an index of their own, and there are few calls after a known one.
  const isServed = [filter.groupRef, filter.installationId, range.after].some((value) => value !== undefined);
  const isSearch = filters.length > 0 && !isServed;
  const { rows } = await sql<ListedProxyCall>`
    select page.*, coalesce(integrations.name, removed.integration_name) as integration_name, group_ref
    from (
      select * from ${isSearch ? selectNewest(inRange, maxExamined) : sql`proxy_usage`}
      where ${sql.join(isSearch ? filters : [...inRange, ...filters], sql` and `)}
      order by time desc, id desc limit ${range.limit}) as page
    left join installations on installations.id = page.installation_id
    left join removed_installations as removed on removed.id = page.installation_id
    left join integrations on integrations.id = coalesce(installations.integration_id, removed.integration_id)
    left join groups on groups.id = coalesce(installations.group_id, removed.group_id)
    order by page.time desc, page.id desc
  `.execute(queries);
  const lowest =
    isSearch && rows.length < range.limit
      ? await findLowestExamined(queries, inRange, maxExamined)
      : undefined;
  return { rows, ...(lowest && { stop: lowest }) };
}

/** Finds when a call began. */
export async function findProxyCallTime(
  queries: DataQueries,
  projectId: string,
  id: string,
): Promise<Date | undefined> {
  const { rows } = await sql<{ time: Date }>`
    select time from proxy_usage where project_id = ${projectId} and id = ${id}::bigint
  `.execute(queries);
  return rows[0]?.time;
}

/** Selects the newest calls. Without this limit, the planner may read the calls of all times for a filter with few results. */
const selectNewest = (inRange: RawBuilder<unknown>[], max: number) => sql`(
  select * from proxy_usage where ${sql.join(inRange, sql` and `)}
  order by time desc, id desc limit ${max}) as examined`;

/** Finds the last call that is examined; undefined if the range has no more of them. */
async function findLowestExamined(
  queries: DataQueries,
  inRange: RawBuilder<unknown>[],
  max: number,
): Promise<{ id: string; time: Date } | undefined> {
  const { rows } = await sql<{ id: string; time: Date }>`
    select id, time from proxy_usage where ${sql.join(inRange, sql` and `)}
    order by time desc, id desc offset ${max - 1} limit 1
  `.execute(queries);
  return rows[0];
}

function filterRange(projectId: string, range: CallRange): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [sql`project_id = ${projectId}`];
  const { since, until, after, before } = range;
  if (since) conditions.push(sql`time >= ${since}`);
  if (until) conditions.push(sql`time < ${until}`);
  if (after) conditions.push("id" in after ? sql`id > ${after.id}::bigint` : sql`time > ${after.time}`);
  if (before && "id" in before)
    conditions.push(sql`(time, id) < (${before.time}::timestamptz, ${before.id}::bigint)`);
  else if (before)
    conditions.push(before.includesTime ? sql`time <= ${before.time}` : sql`time < ${before.time}`);
  return conditions;
}

function buildFilters(filter: ProxyCallFilter): RawBuilder<unknown>[] {
  const { statuses, method, path, refusedBy, installationId } = filter;
  const conditions: RawBuilder<unknown>[] = [];
  if (statuses) conditions.push(sql`status between ${statuses.from} and ${statuses.to}`);
  if (method !== undefined) conditions.push(sql`method = ${method.toUpperCase()}`);
  if (path !== undefined) conditions.push(containsText(["path"], path));
  if (refusedBy === "busbar") conditions.push(sql`by_busbar`);
  if (refusedBy === "provider") conditions.push(BY_PROVIDER);
  if (installationId !== undefined)
    conditions.push(isUuid(installationId) ? sql`installation_id = ${installationId}` : sql`false`);
  if (filter.groupRef !== undefined || filter.integration !== undefined)
    conditions.push(sql`installation_id = any(array(${selectInstallations(filter)}))`);
  return conditions;
}

/** Selects installations, deleted ones included. */
function selectInstallations({ projectId, groupRef, integration }: ProxyCallFilter): RawBuilder<unknown> {
  const wanted: RawBuilder<unknown>[] = [sql`places.project_id = ${projectId}`];
  if (groupRef !== undefined) wanted.push(sql`groups.group_ref = ${groupRef}`);
  if (integration !== undefined) {
    const isNamed = sql`coalesce(integrations.name, integration_name) = ${integration}`;
    wanted.push(isUuid(integration) ? sql`(places.integration_id = ${integration} or ${isNamed})` : isNamed);
  }
  return sql`
    select places.id
    from (
      select id, project_id, integration_id, null as integration_name, group_id from installations
      union all select id, project_id, integration_id, integration_name, group_id from removed_installations) as places
    left join integrations on integrations.id = places.integration_id
    left join groups on groups.id = places.group_id
    where ${sql.join(wanted, sql` and `)}`;
}

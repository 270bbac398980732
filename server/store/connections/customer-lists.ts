/** Lists a project's customers, connections and installations in pages, for the API. */
import { sql, type RawBuilder } from "kysely";
import { listConnectionsById, type ConnectionRow, type ConnectionStatus } from "./connections.ts";
import { isOfGroup } from "../access/customers.ts";
import type { DataQueries, SharedQueries } from "../database/sides.ts";
import { IS_OWN_GROUP, IS_OWN_INSTALLATION } from "../database/own-customers.ts";
import { containsText, limitToIdRange, type IdRange } from "../database/id-range.ts";
import {
  GROUP_REASONS,
  INSTALLATION_IS_UNHEALTHY,
  type HealthReason,
} from "../integrations/installation-health.ts";
import { listInstallationsById, type InstallationRow } from "../integrations/installations.ts";

type HealthStatus = "healthy" | "unhealthy";

export interface GroupRow {
  id: string;
  projectId: string;
  groupRef: string;
  groupName: string;
  createTime: Date;
  updateTime: Date | null;
  connectionCount: number;
  installationCount: number;
  /** Null for a group without connections; unknown while its shard is away. */
  healthStatus: HealthStatus | "unknown" | null;
  /** Times are texts, because they come as JSON. */
  healthReasons: (Omit<HealthReason, "since"> & { since: string })[] | null;
  /** Newest operation. */
  lastOperationId: string | null;
}

export interface GroupFilter {
  projectId: string;
  /** Restricts the list to one group. */
  groupRef?: string;
  text?: string;
  healthStatus?: HealthStatus;
  /** Only customers of this database, which has their rows. */
  isOwn?: boolean;
}

/** Page of groups in the order of their references. */
export interface GroupRange {
  /** Only groups whose reference sorts after this one. */
  behindRef?: string;
  /** Only groups that were created after this one. */
  newerThanRef?: string;
  limit: number;
}

const GROUP_IS_UNHEALTHY = sql`exists (select from ${GROUP_REASONS} as reason)`;
const GROUP_IS_CONNECTED = sql`exists (select from connections where connections.group_id = groups.id)`;

/** In the order of code points, whatever the database's own: the libraries that define the order of a language change it. */
const IN_ORDER = sql`group_ref collate "C"`;

/** Lists groups in the order of their references. */
export async function listGroups(
  queries: DataQueries,
  filter: GroupFilter,
  range: GroupRange,
): Promise<GroupRow[]> {
  const { healthStatus } = filter;
  const conditions = listConditions(filter, range);
  if (filter.isOwn) conditions.push(IS_OWN_GROUP);
  if (healthStatus === "unhealthy") conditions.push(GROUP_IS_UNHEALTHY);
  if (healthStatus === "healthy") conditions.push(sql`(${GROUP_IS_CONNECTED} and not ${GROUP_IS_UNHEALTHY})`);
  const { rows } = await sql<GroupRow>`
    select groups.*, connection_count, installation_count, last_operation_id,
      health_reasons, case when health_reasons is not null then 'unhealthy' when connection_count > 0 then 'healthy' end as health_status
    from (select * from groups where ${joinConditions(conditions)} order by ${IN_ORDER} limit ${range.limit}) as groups
    cross join lateral (
      select count(*)::integer as connection_count from connections where connections.group_id = groups.id) as connected
    cross join lateral (
      select count(*)::integer as installation_count, max(newest.id::text)::uuid as last_operation_id
      from installations left join lateral (
        select operations.id from operations where operations.installation_id = installations.id
        order by operations.id desc limit 1) as newest on true
      where installations.group_id = groups.id) as installed
    cross join lateral (
      select json_agg(reason order by since, type, name) as health_reasons from ${GROUP_REASONS} as reason) as health
    order by ${IN_ORDER}
  `.execute(queries);
  return rows;
}

/** Lists groups of other shards than these, null for the main one. Their health is not known. */
export async function listGroupsElsewhere(
  queries: SharedQueries,
  filter: Omit<GroupFilter, "healthStatus" | "isOwn">,
  range: GroupRange,
  { shards }: { shards: (string | null)[] },
): Promise<GroupRow[]> {
  const conditions = [
    ...listConditions(filter, range),
    sql`coalesce(shard, '') <> all(${shards.map((shard) => shard ?? "")}::text[])`,
  ];
  const { rows } = await sql<GroupRow>`
    select groups.*, connection_count, installation_count, null as last_operation_id, null as health_reasons,
      case when connection_count > 0 then 'unknown' end as health_status
    from (select * from groups where ${joinConditions(conditions)} order by ${IN_ORDER} limit ${range.limit}) as groups
    cross join lateral (
      select count(*)::integer as connection_count from connections where connections.group_id = groups.id) as connected
    cross join lateral (
      select count(*)::integer as installation_count from installations where installations.group_id = groups.id) as installed
    order by ${IN_ORDER}
  `.execute(queries);
  return rows;
}

function listConditions(
  { projectId, groupRef, text }: GroupFilter,
  range: GroupRange,
): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [sql`project_id = ${projectId}`];
  if (groupRef !== undefined) conditions.push(sql`group_ref = ${groupRef}`);
  if (range.behindRef !== undefined) conditions.push(sql`${IN_ORDER} > ${range.behindRef}`);
  if (range.newerThanRef !== undefined) {
    const known = sql`select id from groups where project_id = ${projectId} and group_ref = ${range.newerThanRef}`;
    conditions.push(sql`id > (${known})`);
  }
  if (text !== undefined) conditions.push(containsText(["group_ref", "group_name"], text));
  return conditions;
}

interface ConnectionFilter {
  projectId: string;
  status?: ConnectionStatus;
  provider?: string;
  groupRef?: string;
  text?: string;
}

/** Lists connections, newest first. */
export async function listConnectionPage(
  queries: SharedQueries,
  filter: ConnectionFilter,
  range: IdRange,
): Promise<ConnectionRow[]> {
  const { projectId, status, provider, groupRef, text } = filter;
  const conditions: RawBuilder<unknown>[] = [
    sql`connections.project_id = ${projectId}`,
    limitToIdRange("connections.id", range),
  ];
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (provider !== undefined) conditions.push(sql`provider = ${provider}`);
  if (groupRef !== undefined) conditions.push(isOfGroup("connections", projectId, groupRef));
  const names = ["group_ref", "group_name", "consumer_ref", "consumer_name", "provider"];
  const own = ["connections.id", "provider_workspace_ref"];
  if (text !== undefined) conditions.push(containsText([...names, ...own], text));
  const { rows } = await sql<{ id: string }>`
    select connections.id from connections
    join groups on groups.id = connections.group_id join consumers on consumers.id = connections.consumer_id
    where ${joinConditions(conditions)} order by connections.id desc limit ${range.limit}
  `.execute(queries);
  const ids = rows.map(({ id }) => id);
  const found = await listConnectionsById(queries, projectId, ids);
  return ids.flatMap((id) => found.get(id) ?? []);
}

interface InstallationFilter {
  projectId: string;
  /** Id or name of the integration. */
  integration?: string;
  provider?: string;
  groupRef?: string;
  healthStatus?: HealthStatus;
  text?: string;
  /** Only rows of customers of this database. */
  isOwn?: boolean;
}

/** Lists installations, newest first, with the names of their integrations. */
export async function listInstallationPage<C>(
  queries: DataQueries,
  filter: InstallationFilter,
  range: IdRange,
): Promise<(InstallationRow<C> & { integrationName: string })[]> {
  const { projectId, integration, provider, groupRef, healthStatus, text } = filter;
  const conditions: RawBuilder<unknown>[] = [
    sql`installations.project_id = ${projectId}`,
    limitToIdRange("installations.id", range),
  ];
  if (integration !== undefined)
    conditions.push(
      sql`(integrations.name = ${integration} or integrations.id::text = lower(${integration}))`,
    );
  if (provider !== undefined) conditions.push(sql`integrations.provider = ${provider}`);
  if (groupRef !== undefined) conditions.push(isOfGroup("installations", projectId, groupRef));
  if (healthStatus === "unhealthy") conditions.push(INSTALLATION_IS_UNHEALTHY);
  if (healthStatus === "healthy") conditions.push(sql`not ${INSTALLATION_IS_UNHEALTHY}`);
  if (filter.isOwn) conditions.push(IS_OWN_INSTALLATION);
  const names = ["group_ref", "group_name", "integrations.name", "integrations.provider"];
  if (text !== undefined) conditions.push(containsText([...names, "installations.id"], text));
  const { rows } = await sql<{ id: string; name: string }>`
    select installations.id, integrations.name from installations
    join groups on groups.id = installations.group_id
    join integrations on integrations.id = installations.integration_id
    join connections on connections.id = installations.connection_id
    where ${joinConditions(conditions)} order by installations.id desc limit ${range.limit}
  `.execute(queries);
  const found = await listInstallationsById<C>(
    queries,
    projectId,
    rows.map(({ id }) => id),
  );
  return rows.flatMap(({ id, name }) => {
    const row = found.get(id);
    return row ? [{ ...row, integrationName: name }] : [];
  });
}

const joinConditions = (conditions: RawBuilder<unknown>[]) => sql.join(conditions, sql` and `);

/** Lists the health of installations and of connected groups, by id and by reference. */
export async function listHealth(
  queries: DataQueries,
  {
    projectId,
    installationIds,
    groupRefs,
  }: { projectId: string; installationIds: string[]; groupRefs: string[] },
): Promise<{ key: string; isUnhealthy: boolean }[]> {
  if (installationIds.length + groupRefs.length === 0) return [];
  const { rows } = await sql<{ key: string; isUnhealthy: boolean }>`
    select 'installation ' || id as key, ${INSTALLATION_IS_UNHEALTHY} as is_unhealthy
    from installations where project_id = ${projectId} and id = any(${installationIds}::uuid[])
    union all
    select 'group ' || group_ref, ${GROUP_IS_UNHEALTHY}
    from groups where project_id = ${projectId} and group_ref = any(${groupRefs}::text[]) and ${GROUP_IS_CONNECTED}
  `.execute(queries);
  return rows;
}

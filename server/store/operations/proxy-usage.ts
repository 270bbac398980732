/** Usage lines, one for each proxied call. */
import { sql, type RawBuilder } from "kysely";
import { IS_OWN_GROUP } from "../database/own-customers.ts";
import type { DataQueries } from "../database/sides.ts";
import { removeHistory } from "../maintenance/history-ranges.ts";
import type { ProjectBound } from "../database/id-range.ts";
import { countAffectedRows } from "../database/database.ts";

export interface ProxyUse {
  /** Start of the call, in milliseconds since the epoch. */
  timeMs: number;
  projectId: string;
  installationId: string;
  /** Shard of the customer, which the line is stored in; absent or null for the main one. */
  shard?: string | null | undefined;
  /** How often a shard has passed the line on to another one. */
  passes?: number;
  method: string;
  /** Path without the query. */
  path: string;
  /** Status that the caller received. */
  status: number;
  durationMs: number;
  bytesUp: number;
  bytesDown: number;
  /** API key of the caller; absent for calls of people. */
  apiKeyId?: string;
  /** Value of the header `X-Request-Id` in the answer; absent if the call is Busbar's own. */
  requestId?: string;
  /** Whether Busbar refused the call, rather than the provider. */
  byBusbar?: boolean;
}

/** A line whose customer is in another shard, as far as the asked one knows. */
type ElsewhereUse = ProxyUse & { shard: string | null; passes: number };

/**
 * Inserts the lines in one statement, except those of installations that were erased with their group. Returns those of customers
 * who are in another shard; with `isPassedOn` none, for the copy of their places may be late. Each column is sent as one text, which costs the proxy's process least; no value can contain a line
 * break. The array of a single empty text is empty, hence the `coalesce`.
 */
export async function insertProxyUsage(
  queries: DataQueries,
  uses: ProxyUse[],
  { isPassedOn = false } = {},
): Promise<ElsewhereUse[]> {
  const column = (read: (use: ProxyUse) => string | number) => {
    const values = uses.map(read).join("\n");
    return sql`string_to_array(${values}, chr(10))`;
  };
  const { rows } = await sql<{
    installationId: string;
    shard: string | null;
  }>`/* prepare insert-proxy-usage */
    with line as materialized (
      select * from unnest(
        ${column(({ timeMs }) => Math.round(timeMs))}, ${column(({ projectId }) => projectId)},
        ${column(({ installationId }) => installationId)}::uuid[], ${column(({ method }) => method)},
        ${column(({ path }) => path)}, ${column(({ status }) => status)},
        ${column(({ durationMs }) => durationMs)}, ${column(({ bytesUp }) => bytesUp)},
        ${column(({ bytesDown }) => bytesDown)},
        ${column(({ apiKeyId = "" }) => apiKeyId)}, ${column(({ requestId = "" }) => requestId)},
        ${column(({ byBusbar }) => (byBusbar ? 1 : 0))}
      ) as line(time_ms, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down,
        api_key_id, request_id, by_busbar)
    ), place as materialized (
      select used.installation_id, groups.shard, ${IS_OWN_GROUP} as is_own
      from (select distinct installation_id from line) as used cross join lateral (
        select group_id from installations where id = used.installation_id
        union all select group_id from removed_installations where id = used.installation_id limit 1
      ) as owner join groups on groups.id = owner.group_id
    ), stored as (
      insert into proxy_usage
        (time, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down,
          api_key_id, request_id, by_busbar)
      select to_timestamp(time_ms::double precision / 1000), project_id::uuid, installation_id, method, path,
        status::integer, duration_ms::integer, bytes_up::bigint, bytes_down::bigint,
        nullif(api_key_id, '')::uuid, coalesce(request_id, ''), by_busbar = '1'
      from line join place using (installation_id) where is_own or ${isPassedOn}
    ) select installation_id, shard from place where not is_own
  `.execute(queries);
  const places = new Map(rows.map(({ installationId, shard }) => [installationId, shard]));
  return uses.flatMap((use) => {
    const shard = places.get(use.installationId);
    return shard === undefined || isPassedOn ? [] : { ...use, shard, passes: (use.passes ?? 0) + 1 };
  });
}

export interface ProxyUsageRow extends Omit<ProxyUse, "timeMs" | "bytesUp" | "bytesDown" | "apiKeyId"> {
  id: string;
  apiKeyId: string | null;
  /** Empty for calls by Busbar itself. */
  requestId: string;
  time: Date;
  bytesUp: string;
  bytesDown: string;
}

/** Lists lines, last stored first; `before` is the id of the last line on the previous page. */
export function listProxyUsage(
  queries: DataQueries,
  page: { projectId: string; installationId: string; before?: string; limit: number },
): Promise<ProxyUsageRow[]> {
  let query = queries
    .selectFrom("proxyUsage")
    .selectAll()
    .where("projectId", "=", page.projectId)
    .where("installationId", "=", page.installationId)
    .orderBy("id", "desc")
    .limit(page.limit);
  if (page.before) query = query.where("id", "<", page.before);
  return query.execute();
}

/** Removes up to `max` lines from before `time` that are not dropped with their day's partition; returns their number. */
export const removeProxyUsageBefore = (queries: DataQueries, time: Date, max: number): Promise<number> =>
  removeHistory(queries, { history: "proxy_usage", before: time, max }, (span, most) =>
    // Lines are stored almost in the order of their times, so the lowest ids show whether there are old ones.
    removeLines(
      queries,
      sql`
      select id, time from (
        select id, time from proxy_usage where time >= ${span.from}::timestamptz and time < ${span.until}::timestamptz
        order by id limit ${most}) as oldest
      where time < ${time}`,
    ),
  );

/** Lists the projects that have lines, by a look at the index for each. */
export async function listProjectsWithUsage(queries: DataQueries): Promise<string[]> {
  const next = (after: RawBuilder<unknown>) =>
    sql`(select project_id from proxy_usage ${after} order by project_id limit 1)`;
  const { rows } = await sql<{ id: string }>`
    with recursive found as (
      select ${next(sql``)} as id
      union all
      select ${next(sql`where project_id > found.id`)} from found where id is not null
    ) select id from found where id is not null
  `.execute(queries);
  return rows.map(({ id }) => id);
}

/** Removes up to `max` lines of one project, and returns their number. */
export const removeProjectProxyUsage = (
  queries: DataQueries,
  { projectId, time }: ProjectBound,
  max: number,
): Promise<number> =>
  removeLines(
    queries,
    sql`
    select id, time from proxy_usage where project_id = ${projectId} and time < ${time} order by time limit ${max}`,
  );

/**
 * Removes the lines whose `id` and `time` a statement selects, and returns their number. It uses two statements: with the times
 * in the second one, the planner skips the other days, and looks up few ids instead of reading all lines for a join.
 */
export async function removeLines(queries: DataQueries, selection: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ ids: string[] | null; first: string; last: string }>`
    select array_agg(id::text) as ids, min(time)::text as first, max(time)::text as last from (${selection}) as old
  `.execute(queries);
  const [old] = rows;
  if (!old?.ids) return 0;
  const result = await sql`
    delete from proxy_usage
    where id = any(${old.ids}::bigint[]) and time between ${old.first}::timestamptz and ${old.last}::timestamptz
  `.execute(queries);
  return countAffectedRows(result);
}

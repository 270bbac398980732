/** Counts operations, deliveries and proxied calls by period and by one dimension, from the rows that the lists show. */
import { sql, type RawBuilder } from "kysely";
import { firstIdOf } from "../ground/ids.ts";
import type { Queries } from "./database.ts";

export type Counted = "operations" | "deliveries" | "proxyCalls";
export type Dimension = "integration" | "group" | "object" | "type" | "destination" | "status";

export interface ActivityRow {
  /** Number of the bucket, from 1; null: all together. */
  bucket: number | null;
  /** Null without a dimension, for rows without a value, and for the values beyond the most frequent ones. */
  key: string | null;
  count: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

interface Question {
  projectId: string;
  by?: Dimension;
  /** Beginnings of the buckets, and the end of the last one. */
  bounds: Date[];
}

/** Values of a dimension that are counted apart. */
const MOST_KEYS = 50;

/** The dimensions of each kind of row: an expression over the rows that `SOURCES` selects. */
const KEYS: Record<Counted, Partial<Record<Dimension, RawBuilder<unknown>>>> = {
  operations: {
    integration: sql`integration_id::text`,
    group: sql`(${groupOf()})`,
    object: sql`object_name`,
    type: sql`action_type`,
    status: sql`status`,
  },
  deliveries: {
    destination: sql`destination_id::text`,
    type: sql`(select type from events where events.id = event_id)`,
    status: sql`state`,
  },
  proxyCalls: {
    integration: sql`(${integrationOf()})`,
    group: sql`(${groupOf()})`,
    status: sql`status::text`,
  },
};

export const dimensionsOf = (of: Counted): Dimension[] => Object.keys(KEYS[of]) as Dimension[];

/** Returns the counts by bucket and key, and by key alone. One statement reads each row of the period once. */
export async function countActivity(
  queries: Queries,
  of: Counted,
  question: Question,
): Promise<ActivityRow[]> {
  const key = question.by ? (KEYS[of][question.by] ?? sql`null::text`) : sql`null::text`;
  const { rows } = await sql<ActivityRow>`
    with counted as materialized (${SOURCES[of](question, key)}),
    frequent as (select key from counted where key is not null group by key order by count(*) desc, key limit ${MOST_KEYS})
    select case when grouping(bucket) = 0 then bucket end as bucket, frequent.key,
      count(*)::integer as count, (count(*) filter (where failed))::integer as failed,
      percentile_cont(0.5) within group (order by ms) as p50_ms,
      percentile_cont(0.95) within group (order by ms) as p95_ms
    from counted left join frequent using (key)
    group by grouping sets ((bucket, frequent.key), (frequent.key))
    order by count desc, key
  `.execute(queries);
  return rows;
}

type Source = (question: Question, key: RawBuilder<unknown>) => RawBuilder<unknown>;

/** Each row once, in the bucket of its beginning: of its id, where the list takes the time from the id. */
const SOURCES: Record<Counted, Source> = {
  operations: ({ projectId, bounds }, key) => sql`
    select width_bucket(id, ${ids(bounds)}) as bucket, ${key} as key, status = 'failure' as failed,
      case when status <> 'in_progress' then 1000 * extract(epoch from update_time - create_time)::double precision end as ms
    from operations where project_id = ${projectId} and ${within(sql`id`, bounds)}`,
  deliveries: ({ projectId, bounds }, key) => sql`
    select width_bucket(event_id, ${ids(bounds)}) as bucket, ${key} as key, state = 'failed' as failed,
      null::double precision as ms
    from destinations cross join lateral (
      select destination_id, event_id, state from deliveries
      where destination_id = destinations.id and ${within(sql`event_id`, bounds)}
      union all
      select destination_id, event_id, state from first_deliveries
      where destination_id = destinations.id and ${within(sql`event_id`, bounds)}) as sent
    where destinations.project_id = ${projectId}`,
  proxyCalls: ({ projectId, bounds }, key) => sql`
    select width_bucket(time, array[${sql.join(bounds)}]::timestamptz[]) as bucket, ${key} as key, status >= 400 as failed,
      duration_ms::double precision as ms
    from proxy_usage
    where project_id = ${projectId} and time >= ${bounds[0]} and time < ${bounds.at(-1)}`,
};

const ids = (bounds: Date[]) =>
  sql`array[${sql.join(bounds.map((bound) => firstIdOf(bound.getTime())))}]::uuid[]`;

const within = (id: RawBuilder<unknown>, bounds: Date[]) =>
  sql`${id} >= ${firstIdOf(bounds[0]?.getTime() ?? 0)}::uuid and ${id} < ${firstIdOf(bounds.at(-1)?.getTime() ?? 0)}::uuid`;

function groupOf(): RawBuilder<unknown> {
  return sql`select group_ref from groups where groups.id = (
    select group_id from installations where installations.id = installation_id
    union all select group_id from removed_installations where removed_installations.id = installation_id limit 1)`;
}

function integrationOf(): RawBuilder<unknown> {
  return sql`select integration_id::text from installations where installations.id = installation_id
    union all select integration_id::text from removed_installations where removed_installations.id = installation_id
    limit 1`;
}

/** Counts operations, deliveries, attempts, records and proxied calls by period and by one dimension, from the stored rows. */
import { sql, type RawBuilder } from "kysely";
import { buildFirstId, readTimeOfId } from "../../../ground/ids.ts";
import { ENTRY_BYTES } from "../../../ground/pack-seen.ts";
import type { DataQueries } from "../database/sides.ts";

export type Counted = "operations" | "deliveries" | "attempts" | "records" | "proxyCalls";
type Dimension = "integration" | "group" | "object" | "type" | "destination" | "status";

export interface ActivityRow {
  /** Number of the bucket, from 1; null for all buckets together. */
  bucket: number | null;
  /** Null without a dimension, for rows without a value, and for all values beyond the most frequent ones. */
  key: string | null;
  count: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface Activity {
  rows: ActivityRow[];
  /** Start of the counted part of the period; undefined if all of it was counted. */
  countedSince?: Date;
}

export interface Question {
  projectId: string;
  by?: Dimension;
  /** Restricts the count to rows with this value of the dimension. */
  key?: string;
  /** Beginnings of the buckets, and the end of the last one. */
  bounds: Date[];
}

/** Number of a dimension's values that are counted separately. */
export const MAX_KEYS = 50;

/** Limit of the rows that one call counts, so that it takes a second or two however many rows a period has. */
const MAX_COUNTED = 500_000;

/** Dimensions of each kind of row, as expressions over the rows that `SOURCES` selects. */
const KEYS: Record<Counted, Partial<Record<Dimension, RawBuilder<unknown>>>> = {
  operations: {
    integration: sql`integration_id::text`,
    group: sql`group_ref`,
    object: sql`object_name`,
    type: sql`action_type`,
    status: sql`status`,
  },
  deliveries: {
    destination: sql`destination_id::text`,
    type: sql`(select type from events where events.id = event_id)`,
    status: sql`state`,
  },
  attempts: {
    destination: sql`destinations.id::text`,
    status: sql`coalesce(attempt.status::text, 'none')`,
  },
  records: {
    integration: sql`installations.integration_id::text`,
    group: sql`group_ref`,
    object: sql`object_name`,
    type: sql`case when operation_id is null then 'subscribe' else 'read' end`,
  },
  proxyCalls: {
    integration: sql`coalesce(installations.integration_id, removed.integration_id)::text`,
    group: sql`group_ref`,
    status: sql`status::text`,
  },
};

export const listDimensions = (of: Counted): Dimension[] => Object.keys(KEYS[of]) as Dimension[];

/**
 * Returns the counts by bucket and key, and by key alone. One statement reads each row once and counts rows of the same
 * duration together, so that it need not sort all of them for the percentiles.
 */
export async function countActivity(
  queries: DataQueries,
  of: Counted,
  question: Question,
  maxCounted = MAX_COUNTED,
): Promise<Activity> {
  const countedSince = await findOldestCounted(queries, of, question, maxCounted);
  const { rows } = await sql<ActivityRow>`
    ${buildByMs(of, question, countedSince, MAX_KEYS)}, by_rank as (
      select *,
        sum(count) over (partition by is_total, bucket, key order by ms) as up_to_ms,
        sum(count) filter (where ms is not null) over (partition by is_total, bucket, key) as timed
      from by_ms
    )
    select bucket, key, sum(count)::integer as count, sum(failed)::integer as failed,
      min(ms) filter (where up_to_ms >= 0.5 * timed) as p50_ms,
      min(ms) filter (where up_to_ms >= 0.95 * timed) as p95_ms
    from by_rank group by is_total, bucket, key order by count desc, key
  `.execute(queries);
  return { rows, ...(countedSince && { countedSince }) };
}

/** Counts of rows of the same bucket, key and duration. */
export interface DurationRow {
  /** Null for all buckets together. */
  bucket: number | null;
  key: string | null;
  ms: number | null;
  count: number;
  failed: number;
}

/** Returns what `countActivity` computes its rows from, for the counts of several databases. */
export async function countDurations(
  queries: DataQueries,
  of: Counted,
  question: Question,
  { countedSince, maxKeys }: { countedSince: Date | undefined; maxKeys: number },
): Promise<DurationRow[]> {
  const { rows } = await sql<DurationRow>`
    ${buildByMs(of, question, countedSince, maxKeys)}
    select bucket, key, ms::double precision as ms, count, failed from by_ms
  `.execute(queries);
  return rows;
}

/** Builds the tables of a statement that count rows by bucket, key and duration. */
const buildByMs = (of: Counted, question: Question, countedSince: Date | undefined, maxKeys: number) => sql`
    with counted as materialized (
      select bucket, key, ms, sum(count)::integer as count, sum(failed)::integer as failed
      from (${SOURCES[of](question, choosePeriod(question, countedSince))}) as rows
      group by bucket, key, ms
    ), frequent as (
      select key from counted where key is not null group by key order by sum(count) desc, key limit ${maxKeys}
    ), by_ms as (
      select grouping(bucket) as is_total, bucket, frequent.key, ms, sum(count)::integer as count, sum(failed)::integer as failed
      from (select bucket, key, ${TWO_DIGITS} as ms, count, failed from counted) as rounded left join frequent using (key)
      group by grouping sets ((bucket, frequent.key, ms), (frequent.key, ms))
    )`;

/** Duration with two significant digits, which has few different values. */
const TWO_DIGITS = sql`case when ms < 100 then ms
  else round(ms / power(10, floor(log(ms)) - 1)) * power(10, floor(log(ms)) - 1) end`;

interface Period {
  fromTime: Date;
  untilTime: Date;
  fromId: string;
  untilId: string;
}

function choosePeriod({ bounds }: Question, countedSince: Date | undefined): Period {
  const untilTime = bounds.at(-1) ?? new Date(0);
  const fromTime = countedSince ?? bounds[0] ?? untilTime;
  return {
    fromTime,
    untilTime,
    fromId: buildFirstId(fromTime.getTime()),
    untilId: buildFirstId(untilTime.getTime()),
  };
}

/** Returns the time of the last row within the limit, by index alone; undefined if the period has no more rows. */
export async function findOldestCounted(
  queries: DataQueries,
  of: Counted,
  question: Question,
  max = MAX_COUNTED,
): Promise<Date | undefined> {
  const { projectId } = question;
  const { fromTime, untilTime, fromId, untilId } = choosePeriod(question, undefined);
  const oldest = {
    operations: sql`
      select id from operations
      where project_id = ${projectId} and id >= ${fromId}::uuid and id < ${untilId}::uuid
      order by id desc offset ${max} limit 1`,
    deliveries: sql`
      select found.id from (
        select id, ${max} / count(*) over () as most from destinations where project_id = ${projectId}
      ) as owner cross join lateral (
        select event_id as id from deliveries
        where destination_id = owner.id and event_id >= ${fromId}::uuid and event_id < ${untilId}::uuid
        order by event_id desc offset owner.most limit 1
      ) as found
      order by id desc limit 1`,
    attempts: sql`
      select found.id from (
        select id, ${max} / count(*) over () as most from destinations where project_id = ${projectId}
      ) as owner cross join lateral (
        select event_id as id from deliveries
        where destination_id = owner.id and event_id >= ${fromId}::uuid and event_id < ${untilId}::uuid
        order by event_id desc offset owner.most / ${ATTEMPTS_EACH} limit 1
      ) as found
      order by id desc limit 1`,
    // One row contains the records of a whole message, so there are few rows.
    records: sql`select null::uuid as id where false`,
    proxyCalls: sql`
      select time from proxy_usage
      where project_id = ${projectId} and time >= ${fromTime} and time < ${untilTime}
      order by time desc offset ${max} limit 1`,
  };
  const { rows } = await sql<{ id?: string; time?: Date }>`${oldest[of]}`.execute(queries);
  const [found] = rows;
  // The next millisecond: other rows of this millisecond may be beyond the limit.
  const timeMs = found && (found.id === undefined ? found.time : readTimeOfId(found.id))?.getTime();
  return timeMs === undefined ? undefined : new Date(timeMs + 1);
}

/** Attempts per delivery, for the limit: most deliveries need one, those of an outage eight. */
const ATTEMPTS_EACH = 2;

/** Period in which an event is attempted: up to 34 hours with the default delays. */
const RETRIED_MS = 36 * 60 * 60_000;

type Source = (question: Question, period: Period) => RawBuilder<unknown>;

/** Selects each row once, in the bucket of its beginning: the time of its id, where the list has the time of the id, too. */
const SOURCES: Record<Counted, Source> = {
  operations: ({ projectId, by, key, bounds }, { fromId, untilId }) => sql`
    select width_bucket(operations.id, ${toIdArray(bounds)}) as bucket, ${buildKey("operations", by)} as key,
      case when status <> 'in_progress' then
        round(1000 * date_part('epoch', operations.update_time - operations.create_time)) end as ms,
      1 as count, (status = 'failure')::integer as failed
    from operations ${by === "group" ? joinCustomers("operations") : sql``}
    where operations.project_id = ${projectId} and operations.id >= ${fromId}::uuid and operations.id < ${untilId}::uuid
      ${restrictToKey("operations", by, key)}`,
  deliveries: ({ projectId, by, key, bounds }, period) => sql`
    select width_bucket(event_id, ${toIdArray(bounds)}) as bucket, ${buildKey("deliveries", by)} as key,
      null::double precision as ms, count, failed
    from destinations cross join lateral (${by === "status" ? selectSentWithState(period) : selectSentByIndex(period)}) as sent
    where project_id = ${projectId} ${restrictToKey("deliveries", by, key)}`,
  // A queue that accepted the message answers without a status. Attempts count in their own bucket, so that an outage shows where it was, whatever became of the delivery.
  attempts: ({ projectId, by, key, bounds }, { fromTime, untilTime, untilId }) => sql`
    select width_bucket(attempt.time, ${toTimeArray(bounds)}) as bucket, ${buildKey("attempts", by)} as key,
      attempt."durationMs" as ms, 1 as count, coalesce(attempt.error is not null or attempt.status not between 200 and 299, false)::integer as failed
    from destinations cross join lateral (
      select attempts from deliveries where destination_id = destinations.id and event_id < ${untilId}::uuid
        and event_id >= ${buildFirstId(Math.max(0, fromTime.getTime() - RETRIED_MS))}::uuid
    ) as sent cross join lateral jsonb_to_recordset(sent.attempts)
      as attempt (time timestamptz, "durationMs" double precision, status integer, error text)
    where project_id = ${projectId} and attempt.time >= ${fromTime} and attempt.time < ${untilTime} ${restrictToKey("attempts", by, key)}`,
  records: ({ projectId, by, key, bounds }, { fromId, untilId }) => sql`
    select width_bucket(seen_records.id, ${toIdArray(bounds)}) as bucket, ${buildKey("records", by)} as key,
      null::double precision as ms, octet_length(entries) / ${ENTRY_BYTES} as count, 0 as failed
    from installations join seen_records on installation_id = installations.id ${
      by === "group"
        ? sql`
      join groups on groups.id = installations.group_id`
        : sql``
    }
    where installations.project_id = ${projectId} and is_message
      and seen_records.id >= ${fromId}::uuid and seen_records.id < ${untilId}::uuid ${restrictToKey("records", by, key)}`,
  proxyCalls: ({ projectId, by, key, bounds }, { fromTime, untilTime }) => sql`
    select width_bucket(time, ${toTimeArray(bounds)}) as bucket, ${buildKey("proxyCalls", by)} as key,
      duration_ms::double precision as ms, 1 as count, (status >= 400)::integer as failed
    from proxy_usage ${by === "group" || by === "integration" ? joinCustomers("proxy_usage") : sql``}
    where proxy_usage.project_id = ${projectId} and time >= ${fromTime} and time < ${untilTime}
      ${restrictToKey("proxyCalls", by, key)}`,
};

const isOfDestination = ({ fromId, untilId }: Period) =>
  sql`destination_id = destinations.id and event_id >= ${fromId}::uuid and event_id < ${untilId}::uuid`;

/** Selects deliveries from indexes alone: that of all deliveries, and that of the failed ones. */
const selectSentByIndex = (period: Period) => sql`
  select destination_id, event_id, 1 as count, 0 as failed from deliveries where ${isOfDestination(period)}
  union all
  select destination_id, event_id, 1, 0 from first_deliveries where ${isOfDestination(period)}
  union all
  select destination_id, event_id, 0, 1 from deliveries where state = 'failed' and ${isOfDestination(period)}`;

const selectSentWithState = (period: Period) => sql`
  select event_id, state, 1 as count, (state = 'failed')::integer as failed from deliveries where ${isOfDestination(period)}
  union all
  select event_id, state, 1, 0 from first_deliveries where ${isOfDestination(period)}`;

const buildKey = (of: Counted, by: Dimension | undefined) => (by && KEYS[of][by]) ?? sql`null::text`;

const restrictToKey = (of: Counted, by: Dimension | undefined, key: string | undefined) =>
  key === undefined ? sql`` : sql`and ${buildKey(of, by)} = ${key}`;

const toTimeArray = (bounds: Date[]) => sql`array[${sql.join(bounds)}]::timestamptz[]`;

const toIdArray = (bounds: Date[]) =>
  sql`array[${sql.join(bounds.map((bound) => buildFirstId(bound.getTime())))}]::uuid[]`;

/** Joins the customers of all rows at once, also for deleted installations. */
const joinCustomers = (table: string) => sql`
  left join installations on installations.id = ${sql.ref(table)}.installation_id
  left join removed_installations as removed on removed.id = ${sql.ref(table)}.installation_id
  left join groups on groups.id = coalesce(installations.group_id, removed.group_id)`;

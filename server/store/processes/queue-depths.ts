/** Counts waiting work in the database, for metrics. */
import { sql, type RawBuilder } from "kysely";
import type { Database } from "../database/database.ts";
import type { ControlQueries, DataQueries } from "../database/sides.ts";
import { askPresent } from "../shards/ask-shards.ts";
import { ACCEPTED_TIME } from "../operations/accepted-time.ts";

export interface QueueDepths {
  writes: number;
  /** Seconds for which a write has been due and waits for its turn, or was accepted and has failed since; of the oldest one. */
  writesSeconds: number;
  deliveries: number;
  closedGates: number;
  /** Unfinished reads. */
  reads: number;
  /** Seconds since the oldest cursor of an object that is read by schedule. */
  readLagSeconds: number;
  /** Streams of events that are being read. */
  openStreams: number;
  /** Seconds since the last message of the stream that is silent for longest: its stored position is that old. */
  streamSilenceSeconds: number;
  /** Waiting events of active subscriptions, and the age of the oldest one. */
  waitingEvents: number;
  waitingEventsSeconds: number;
  /** Pushes that wait to be taken apart, and the age of the oldest one. */
  waitingPushes: number;
  waitingPushesSeconds: number;
  /** Pushes that could not be taken apart. */
  pushesSetAside: number;
  /** Entries of the outbox that are not carried over, and the age of the oldest. */
  waitingChanges: number;
  waitingChangesSeconds: number;
  /** Seconds since the oldest time until which changes are known, by source of subscriptions. */
  positionAges: Record<string, number>;
  /** Number of installations that were reported as unhealthy, by type of reason; types without one are absent. */
  unhealthy: Partial<Record<string, number>>;
}

/** Limit of counting: more would be too many in any case, and counting them would take long. */
const MAX_COUNTED = 100_000;

/** Counts open deliveries, except those of deleted destinations, which retention removes. */
const selectOpenIn = (deliveries: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select 1 from (select destination_id from ${deliveries}) as open
  join destinations on destinations.id = open.destination_id limit ${MAX_COUNTED}
`;

/** Ages of positions. Webhooks have none: the provider repeats what was not accepted. */
const POSITION_AGES = sql`
  select source, extract(epoch from now() - min(known_time))::double precision as seconds
  from (
    select subscriptions.source,
      case subscriptions.source when 'polling' then polled_until else heard_time end as known_time
    from subscriptions join installations on installations.id = subscriptions.installation_id
      join connections on connections.id = installations.connection_id
      left join event_streams on event_streams.id =
        case subscriptions.source when 'journal' then journal_app_id else connections.id end
    where subscriptions.state = 'active' and subscriptions.source <> 'webhook' and connections.status <> 'bad_credentials'
  ) as known
  where known_time is not null group by source`;

/**
 * The write that waits longest. One that has never failed waits since it was due, because it may be collected with others or wait
 * for a gate; one that has failed, since it was accepted: each attempt moves its due time.
 */
const WRITES_SECONDS = sql`(
  select coalesce(extract(epoch from now() - least(
    (select due_time from writes where claimed_by is null and due_time <= now() order by due_time, seq limit 1),
    (select min(${ACCEPTED_TIME}) from (select operation_id from writes where attempts > 0 limit ${MAX_COUNTED}) as tried)
  )), 0)::double precision)`;

/** Counts what the watcher of health reported last: to compute it here would cost too much for every scrape. */
const UNHEALTHY = sql`
  select split_part(reason, ' ', 1) as type, count(distinct installation_id)::int as installations
  from (select installation_id, unnest(reasons) as reason from reported_health limit ${MAX_COUNTED}) as reported group by type`;

/** Returns the depths of all shards together, without those that are away. */
export async function readQueueDepths({
  control,
  shards,
}: {
  control: Database["control"];
  shards: readonly Pick<Database, "shard" | "data">[];
}): Promise<QueueDepths> {
  const [{ answers }, controlDepths] = await Promise.all([
    askPresent({ shards }, readDataDepths),
    readControlDepths(control),
  ]);
  return { ...answers.reduce(addDepths), ...controlDepths };
}

type DataDepths = Omit<QueueDepths, keyof ControlDepths>;

/** Adds numbers, and takes the longer time. */
const addDepths = (one: DataDepths, other: DataDepths): DataDepths => ({
  writes: one.writes + other.writes,
  writesSeconds: Math.max(one.writesSeconds, other.writesSeconds),
  deliveries: one.deliveries + other.deliveries,
  closedGates: one.closedGates + other.closedGates,
  reads: one.reads + other.reads,
  readLagSeconds: Math.max(one.readLagSeconds, other.readLagSeconds),
  openStreams: one.openStreams + other.openStreams,
  streamSilenceSeconds: Math.max(one.streamSilenceSeconds, other.streamSilenceSeconds),
  waitingEvents: one.waitingEvents + other.waitingEvents,
  waitingEventsSeconds: Math.max(one.waitingEventsSeconds, other.waitingEventsSeconds),
  positionAges: join(one.positionAges, other.positionAges, Math.max),
  unhealthy: join(one.unhealthy, other.unhealthy, (count, more) => count + more),
});

function join(
  one: Partial<Record<string, number>>,
  other: Partial<Record<string, number>>,
  put: (value: number, another: number) => number,
): Record<string, number> {
  const joined: Record<string, number> = {};
  for (const [name, value = 0] of [...Object.entries(one), ...Object.entries(other)])
    joined[name] = Object.hasOwn(joined, name) ? put(joined[name] ?? 0, value) : value;
  return joined;
}

type ControlDepths = Pick<
  QueueDepths,
  "waitingPushes" | "waitingPushesSeconds" | "pushesSetAside" | "waitingChanges" | "waitingChangesSeconds"
>;

async function readControlDepths(queries: ControlQueries): Promise<ControlDepths> {
  const { rows } = await sql<ControlDepths>`
    select waiting_pushes, waiting_pushes_seconds, pushes_set_aside, waiting_changes, waiting_changes_seconds
    from (
      select count(*) filter (where fault is null)::int as waiting_pushes, count(fault)::int as pushes_set_aside,
        coalesce(extract(epoch from now() - min(received_time) filter (where fault is null)), 0)::double precision
          as waiting_pushes_seconds
      from (select received_time, fault from received_pushes limit ${MAX_COUNTED}) as oldest
    ) as pushes, (
      select count(*)::int as waiting_changes,
        coalesce(extract(epoch from now() - min(create_time)), 0)::double precision as waiting_changes_seconds
      from (select create_time from outbox order by position limit ${MAX_COUNTED}) as oldest
    ) as changes
  `.execute(queries);
  const [depths] = rows;
  if (!depths) throw new Error("a count without group by has one row");
  return depths;
}

async function readDataDepths(queries: DataQueries): Promise<DataDepths> {
  const { rows } = await sql<DataDepths>`
    select
      (select count(*)::int from (select 1 from writes limit ${MAX_COUNTED}) as w) as writes,
      ${WRITES_SECONDS} as writes_seconds,
      (select count(*)::int from (
        (${selectOpenIn(sql`deliveries where state = 'waiting'`)})
        union all (${selectOpenIn(sql`deliveries where state = 'sending'`)})
        union all (${selectOpenIn(sql`first_deliveries`)})) as d) as deliveries,
      (select count(*)::int
        from (select 1 from connection_gates where closed_until > now() limit ${MAX_COUNTED}) as g) as closed_gates,
      (select count(*)::int from (select 1 from read_runs limit ${MAX_COUNTED}) as r) as reads,
      (select coalesce(extract(epoch from now() - min(cursor_time)), 0)::double precision from read_objects
        where schedule is not null and pause is null and installation_id not in (
          select installations.id from installations join connections on connections.id = installations.connection_id
          where connections.status = 'bad_credentials')) as read_lag_seconds,
      (select count(*)::int from event_streams where state = 'open' and claimed_by is not null) as open_streams,
      (select coalesce(extract(epoch from now() - min(heard_time)), 0)::double precision from event_streams
        where connection_id is null
          or connection_id not in (select id from connections where status = 'bad_credentials')) as stream_silence_seconds,
      waiting.count as waiting_events, waiting.seconds as waiting_events_seconds,
      (select coalesce(jsonb_object_agg(source, seconds), '{}') from (${POSITION_AGES}) as ages) as position_ages,
      (select coalesce(jsonb_object_agg(type, installations), '{}') from (${UNHEALTHY}) as counted) as unhealthy
    from (
      select count(*)::int, coalesce(extract(epoch from now() - min(received_time)), 0)::double precision as seconds
      from (
        select received_time from subscription_events join subscriptions using (installation_id, object_name)
        where outcome is null and state = 'active' limit ${MAX_COUNTED}) as events
    ) as waiting
  `.execute(queries);
  const [backlog] = rows;
  if (!backlog) throw new Error("a select without from has one row");
  return backlog;
}

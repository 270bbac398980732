/** Counts what waits in the database, for metrics. */
import { sql, type RawBuilder } from "kysely";
import type { Queries } from "./database.ts";

export interface QueueDepths {
  writes: number;
  deliveries: number;
  closedGates: number;
  /** Reads that are not over. */
  reads: number;
  /** Seconds since the oldest time up to which changes of an object were read by schedule. */
  readLagSeconds: number;
  /** Streams of events that a process reads. */
  openStreams: number;
  /** Seconds since the stream that is silent for longest sent something: as old is its stored position. */
  streamSilenceSeconds: number;
}

/** Counting stops here: more is too many, and counting them would take long. */
const MOST_COUNTED = 100_000;

/** Counts no deliveries of deleted destinations, which retention removes. */
const openIn = (deliveries: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select 1 from (select destination_id from ${deliveries}) as open
  join destinations on destinations.id = open.destination_id limit ${MOST_COUNTED}
`;

export async function readQueueDepths(queries: Queries): Promise<QueueDepths> {
  const { rows } = await sql<QueueDepths>`
    select
      (select count(*)::int from (select 1 from writes limit ${MOST_COUNTED}) as w) as writes,
      (select count(*)::int from (
        (${openIn(sql`deliveries where state = 'waiting'`)})
        union all (${openIn(sql`deliveries where state = 'sending'`)})
        union all (${openIn(sql`first_deliveries`)})) as d) as deliveries,
      (select count(*)::int
        from (select 1 from connection_gates where closed_until > now() limit ${MOST_COUNTED}) as g) as closed_gates,
      (select count(*)::int from (select 1 from read_runs limit ${MOST_COUNTED}) as r) as reads,
      (select coalesce(extract(epoch from now() - min(cursor_time)), 0)::double precision from read_objects
        where schedule is not null and pause is null and installation_id not in (
          select installations.id from installations join connections on connections.id = installations.connection_id
          where connections.status = 'bad_credentials')) as read_lag_seconds,
      (select count(*)::int from event_streams where state = 'open' and claimed_by is not null) as open_streams,
      (select coalesce(extract(epoch from now() - min(heard_time)), 0)::double precision from event_streams
        where connection_id not in (select id from connections where status = 'bad_credentials')) as stream_silence_seconds
  `.execute(queries);
  const [backlog] = rows;
  if (!backlog) throw new Error("a select without from has one row");
  return backlog;
}

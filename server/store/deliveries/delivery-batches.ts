/** Deliveries on their first attempt. They are created from events, and stored in batches instead of a row each. */
import { sql, type RawBuilder } from "kysely";
import { isUniqueViolation } from "../database/database.ts";
import type { DataQueries } from "../database/sides.ts";
import { EVENT_KIND, type StoredEvent } from "./events.ts";

/** Delivery that routing has created. */
export interface RoutedDelivery {
  destinationId: string;
  eventId: string;
  /** Version of the destination. */
  version: number;
  failingSince: Date | null;
  disabled: boolean;
}

/** Result of one routing statement. */
export interface Routed {
  /** The number of events, including those without a route. */
  events: number;
  /** Whether the statement left events because of its limits. */
  mayBeMore: boolean;
  deliveries: RoutedDelivery[];
  /** The events of the deliveries. */
  stored: Map<string, StoredEvent>;
}

interface RoutedTotals {
  events: number;
  seen: number;
}

type RoutedRow = RoutedDelivery &
  RoutedTotals & {
    projectId: string;
    type: string;
    kind: StoredEvent["kind"];
    createTime: Date;
    traceparent: string | null;
    /** Null for events in `Routing.known`. For other events one row has it: events may be large and have many destinations. */
    data: string | null;
  };

/** Batch and limits of one routing statement. */
interface Routing {
  batchId: string;
  workerId: number;
  maxEvents: number;
  /** Limit of data in total; the first event is routed whatever its size. */
  maxBytes: number;
  /** Data of events that this process has in memory, by id: the statement does not read it. */
  known: ReadonlyMap<string, string>;
}

/**
 * Routes the oldest unrouted events in one statement: data messages to their destination, other events by topics, which are
 * recorded. The worker's batch with this id holds the deliveries until it is removed; without deliveries there is no batch. For
 * an event without a delivery, the statement records whether a topic or a destination was missing.
 */
export async function routeEvents(queries: DataQueries, routing: Routing): Promise<Routed> {
  const { rows } = await routeStatement(routing)
    .execute(queries)
    .catch((error: unknown) => {
      // No event is routed twice. If one were, all behind it would wait for ever without this.
      if (!isUniqueViolation(error)) throw error;
      return routeStatement(routing, sql`on conflict do nothing`).execute(queries);
    });
  const deliveries = rows.filter((row): row is RoutedRow => row.eventId !== null);
  const { events = 0, seen = 0 } = rows[0] ?? {};
  const mayBeMore = seen >= routing.maxEvents || events < seen;
  return { events, mayBeMore, deliveries, stored: toStoredEvents(deliveries, routing.known) };
}

export const routeStatement = (
  { batchId, workerId, maxEvents, maxBytes, known }: Routing,
  onKnownTopic?: RawBuilder<unknown>,
) => sql<
  RoutedRow | (RoutedTotals & { eventId: null })
>`${onKnownTopic ? sql`` : sql`/* prepare route-events */`}
    with oldest as (
      select event_id, size_bytes from unrouted_events order by event_id limit ${maxEvents} for update skip locked
    ), fitting as (
      select event_id
      from (select event_id, sum(size_bytes) over (order by event_id) - size_bytes as before_bytes from oldest) as summed
      where before_bytes < ${maxBytes}::bigint
    ), picked as (
      -- By an array: for a join, the statistics of a queue that was empty when it was analysed make the planner compare all
      -- events with each other.
      delete from unrouted_events where event_id = any(array(select event_id from fitting))
      returning unrouted_events.event_id, unrouted_events.destination_id
    ), reached as (
      -- By an array too: so the events, whose ids are neighbours, are read without a search from the root of the index for each.
      select events.id as event_id, events.project_id, events.type, ${EVENT_KIND} as kind, data, events.create_time,
        events.traceparent, topics.id as topic_id, topics.name as topic_name,
        coalesce(events.destination_id, last.destination_id) as destination_id
      from events
      left join event_topic_routes step on events.destination_id is null
        and step.project_id = events.project_id and step.event_type = events.type
      left join topics on topics.id = step.topic_id
      left join topic_destination_routes last on last.topic_id = step.topic_id
      where events.id = any(array(select event_id from picked))
    ), published as (
      insert into event_topics (event_id, topic_id, topic_name)
      select distinct event_id, topic_id, topic_name from reached where topic_id is not null
      ${onKnownTopic ?? sql``}
    ), routed as (
      select distinct on (event_id, destinations.id)
        event_id, destinations.id as destination_id, reached.project_id, reached.type, kind, data, reached.create_time,
        traceparent, version, failing_since, disabled_time is not null as disabled
      from reached
      -- "Is not distinct" keeps the planner from an index by project, where it would compare each event with all destinations.
      join destinations on destinations.id = reached.destination_id
        and destinations.project_id is not distinct from reached.project_id
      -- The event of its own disabling is not sent to a destination.
      where reached.type <> 'destination.webhook.disabled' or data ->> 'destinationId' <> destinations.id::text
    ), lost as (
      insert into events_nowhere (project_id, event_id, missing)
      select project_id, id, case when exists (
        select from event_topic_routes step where step.project_id = events.project_id and step.event_type = events.type
      ) then 'destination' else 'topic' end
      from events
      where id = any(array(select event_id from picked except select event_id from routed)) and destination_id is null
      on conflict do nothing
    ), batch as (
      insert into delivery_batches (id, worker_id, destination_ids, event_ids)
      select ${batchId}::uuid, ${workerId}::integer, array_agg(destination_id), array_agg(event_id)
      from routed having count(*) > 0
    ), numbered as (
      select routed.*, row_number() over (partition by event_id order by destination_id) as nth from routed
    )
    select (select count(*)::integer from picked) as events, (select count(*)::integer from oldest) as seen, event_id,
      destination_id, version, failing_since, disabled, project_id, type, kind, create_time, traceparent,
      case when nth = 1 and event_id <> all(${[...known.keys()]}::uuid[]) then data::text end as data
    from (select) as one left join numbered on true
  `;

function toStoredEvents(rows: RoutedRow[], known: Routing["known"]): Map<string, StoredEvent> {
  const stored = new Map<string, StoredEvent>();
  for (const { eventId: id, projectId, type, kind, createTime, traceparent, ...row } of rows) {
    const data = row.data ?? known.get(id);
    if (data !== undefined) stored.set(id, { id, projectId, type, kind, data, createTime, traceparent });
  }
  return stored;
}

/** Releases the deliveries in the batches of these workers, except for the kept batches; they are due at once. */
export async function releaseBatches(
  queries: DataQueries,
  workerIds: number[],
  kept: string[],
): Promise<void> {
  await sql`
    with given_back as (
      delete from delivery_batches
      where worker_id = any(${workerIds}::integer[]) and id <> all(${kept}::uuid[])
      returning destination_ids, event_ids
    )
    insert into deliveries (destination_id, event_id, state, due_time)
    select pair.destination_id, pair.event_id, 'waiting', now()
    from given_back, unnest(destination_ids, event_ids) as pair (destination_id, event_id)
    -- Results that were saved earlier stay.
    on conflict do nothing
  `.execute(queries);
}

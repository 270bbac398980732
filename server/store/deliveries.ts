/**
 * Deliveries: one event on its way to one destination. Several processes work on them at once.
 *
 *   (event) ──route──► sending ───────────────► delivered      taken by the process that routed it, if it has room
 *      │                  ▲ │ └──last attempt──► failed
 *      ├────route────► waiting ◄── failed attempt: due after the next gap of the schedule
 *      │                  │
 *      └─(disabled)──► failed ◄── its destination was disabled
 *
 * `sending` names the worker that has the row (`claimed_by`). When that worker's lock in PostgreSQL is gone, its
 * process is gone, and its rows go back to `waiting`: what was sent but not yet noted is sent again. Resending puts
 * `delivered` and `failed` back to `waiting`. Where a destination is deleted its rows are nobody's until they are swept.
 */
import { sql } from "kysely";
import type { Queries } from "./database.ts";
import type { StoredEvent } from "./events.ts";

export type DeliveryState = "waiting" | "sending" | "delivered" | "failed";

/** A delivery that this worker has, with what it must know of the destination to keep what it remembers current. */
export interface ClaimedDelivery {
  destinationId: string;
  eventId: string;
  failures: number;
  version: number;
  failingSince: Date | null;
}

/** How much a worker takes on. */
export interface Claim {
  workerId: number;
  /** In all. */
  room: number;
  /** Per destination that is not in `lanes`: working ones and failing ones. */
  depth: number;
  failingDepth: number;
  /** Destinations that the worker is busy with and how many more of each it takes. */
  lanes: { id: string; free: number }[];
}

/** What one statement routed. */
export interface Routed {
  /** How many events, and how many deliveries were made of them. */
  events: number;
  made: number;
  claimed: ClaimedDelivery[];
  /** The events of what was claimed. */
  stored: Map<string, StoredEvent>;
}

type RoutedRow = Omit<ClaimedDelivery, "eventId"> & {
  events: number;
  made: number;
  eventId: string | null;
  projectId: string;
  type: string;
  /** On one row of each event only. */
  data: string | null;
  createTime: Date;
};

/**
 * Makes the deliveries of events that have none yet, oldest first, in one statement, and claims what the worker has
 * room for.
 */
export async function routeEvents(queries: Queries, claim: Claim & { mostEvents: number }): Promise<Routed> {
  const { rows } = await sql<RoutedRow>`
    with picked as (
      select id, project_id, type, data, create_time from events
      where routed_time is null order by id limit ${claim.mostEvents} for update skip locked
    ), marked as (
      update events set routed_time = now() from picked where events.id = picked.id
    ), aims as (
      select distinct on (destinations.id, picked.id)
        destinations.id as destination_id, picked.id as event_id, version, failing_since,
        disabled_time is not null as disabled
      from picked
      join event_topic_routes step on step.project_id = picked.project_id and step.event_type = picked.type
      join topic_destination_routes using (topic_id)
      join destinations on destinations.id = destination_id
      -- Nobody is told of their own disabling.
      where picked.type <> 'destination.webhook.disabled' or picked.data ->> 'destinationId' <> destinations.id::text
    ), placed as (
      select aims.*,
        not disabled
          and row_number() over (partition by destination_id order by event_id)
            <= coalesce(free, case when failing_since is null then ${claim.depth}::integer else ${claim.failingDepth}::integer end)
          and row_number() over (order by event_id) <= ${claim.room} as taken
      from aims left join ${lanesOf(claim)} on lane.id = destination_id
    ), made as (
      insert into deliveries (destination_id, event_id, state, due_time, claimed_by, attempts)
      select destination_id, event_id,
        case when disabled then 'failed' when taken then 'sending' else 'waiting' end,
        now(),
        case when taken then ${claim.workerId}::integer end,
        case when disabled then ${notAttempted()} else '[]' end
      from placed
      on conflict do nothing
      returning destination_id, event_id, state
    ), sent as (
      select placed.*, row_number() over (partition by placed.event_id) as nth
      from made join placed using (destination_id, event_id)
      where state = 'sending'
    )
    select (select count(*)::integer from picked) as events, (select count(*)::integer from made) as made,
      sent.destination_id, sent.event_id, 0 as failures, version, failing_since,
      project_id, type, case when nth = 1 then data::text end as data, create_time
    from (select) as one left join (sent join picked on picked.id = sent.event_id) on true
  `.execute(queries);
  const found = rows.filter((row): row is RoutedRow & { eventId: string } => row.eventId !== null);
  const { events = 0, made = 0 } = rows[0] ?? {};
  return { events, made, claimed: found, stored: storedEvents(found) };
}

function storedEvents(rows: (RoutedRow & { eventId: string })[]): Map<string, StoredEvent> {
  const stored = new Map<string, StoredEvent>();
  for (const { eventId: id, projectId, type, data, createTime } of rows) {
    if (data !== null) stored.set(id, { id, projectId, type, data, createTime });
  }
  return stored;
}

const lanesOf = ({ lanes }: Claim) =>
  sql`unnest(${lanes.map(({ id }) => id)}::uuid[], ${lanes.map(({ free }) => free)}::integer[]) as lane (id, free)`;

/** What stands in the place of an attempt when a destination is disabled; its time as those of attempts are. */
const notAttempted = () => sql`
  jsonb_build_array(jsonb_build_object(
    'time', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'durationMs', 0, 'error', 'not attempted: the destination is disabled'
  ))
`;

/** Claims deliveries that are due, a few of every destination, beginning with another destination each time. */
export async function claimDeliveries(queries: Queries, claim: Claim): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with ready as (
      select due.*, version, failing_since
      from (
        select destinations.id, version, failing_since,
          coalesce(free, case when failing_since is null then ${claim.depth}::integer else ${claim.failingDepth}::integer end)::integer as free
        from destinations left join ${lanesOf(claim)} on lane.id = destinations.id
        where disabled_time is null and coalesce(free, 1) > 0
        order by random()
      ) as open
      cross join lateral (
        select destination_id, event_id from deliveries
        where destination_id = open.id and state = 'waiting' and due_time <= now()
        order by due_time limit open.free for update skip locked
      ) as due
      limit ${claim.room}
    )
    update deliveries set state = 'sending', claimed_by = ${claim.workerId}::integer
    from ready
    where deliveries.destination_id = ready.destination_id and deliveries.event_id = ready.event_id
    returning deliveries.destination_id, deliveries.event_id, failures, version, failing_since
  `.execute(queries);
  return rows;
}

/** How an attempt ended. Without `attempt` none was made: the delivery is given back. */
export interface FinishedAttempt {
  destinationId: string;
  eventId: string;
  state: "waiting" | "delivered" | "failed";
  /** Until the next attempt. */
  delayMs: number;
  attempt?: { time: string; durationMs: number; status?: number; error?: string; answer?: string };
}

const MOST_ATTEMPTS = 40;

/** Notes how attempts ended, in one statement. What the worker does not have any more stays as it is. */
export async function finishDeliveries(
  queries: Queries,
  workerId: number,
  finished: FinishedAttempt[],
): Promise<void> {
  const column = <Name extends keyof FinishedAttempt>(name: Name) => finished.map((row) => row[name]);
  const attempts = finished.map(({ attempt }) => (attempt ? JSON.stringify(attempt) : null));
  await sql`
    update deliveries set
      state = ended.state,
      claimed_by = null,
      due_time = now() + make_interval(secs => ended.delay_ms / 1000),
      failures = failures + case when ended.state = 'delivered' or ended.attempt is null then 0 else 1 end,
      attempts = case when jsonb_array_length(attempts) < ${MOST_ATTEMPTS} then attempts else attempts - 0 end
        || coalesce(ended.attempt::jsonb, '[]')
    from unnest(
      ${column("destinationId")}::uuid[], ${column("eventId")}::uuid[], ${column("state")}::text[],
      ${column("delayMs")}::double precision[], ${attempts}::text[]
    ) as ended (destination_id, event_id, state, delay_ms, attempt)
    where deliveries.destination_id = ended.destination_id and deliveries.event_id = ended.event_id
      and deliveries.state = 'sending' and claimed_by = ${workerId}
  `.execute(queries);
}

/** Workers that have claimed something. */
export async function listClaimants(queries: Queries): Promise<number[]> {
  const { rows } = await sql<{ workerId: number }>`
    select distinct claimed_by as worker_id from deliveries where state = 'sending'
  `.execute(queries);
  return rows.map((row) => row.workerId);
}

/** What this worker has, as the database knows it. */
export async function listClaims(
  queries: Queries,
  workerId: number,
): Promise<{ destinationId: string; eventId: string }[]> {
  const { rows } = await sql<{ destinationId: string; eventId: string }>`
    select destination_id, event_id from deliveries where state = 'sending' and claimed_by = ${workerId}
  `.execute(queries);
  return rows;
}

/** Gives back what these workers had; it is due at once. */
export async function releaseDeliveries(queries: Queries, workerIds: number[]): Promise<void> {
  if (workerIds.length === 0) return;
  await sql`
    update deliveries set state = 'waiting', claimed_by = null, due_time = now()
    where state = 'sending' and claimed_by = any(${workerIds}::integer[])
  `.execute(queries);
}

/** Gives up what waits for disabled destinations, a batch at a time; how many it were. */
export async function failDisabled(queries: Queries, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update deliveries set state = 'failed', attempts = attempts || ${notAttempted()}
    from (
      select waiting.destination_id, waiting.event_id
      from destinations
      join deliveries waiting on waiting.destination_id = destinations.id and waiting.state = 'waiting'
      where disabled_time is not null
      limit ${most} for update of waiting skip locked
    ) as stuck
    where deliveries.destination_id = stuck.destination_id and deliveries.event_id = stuck.event_id
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Reserves moments at which webhooks of a project may leave, so many milliseconds apart over all processes.
 * The answer says after how many milliseconds the first may.
 */
export async function reservePaces(
  queries: Queries,
  wanted: { projectId: string; count: number }[],
  apartMs: number,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ projectId: string; waitMs: number }>`
    insert into webhook_paces as pace (project_id, next_time)
    select project_id, now() + make_interval(secs => count * ${apartMs}::double precision / 1000)
    from unnest(${wanted.map((one) => one.projectId)}::uuid[], ${wanted.map((one) => one.count)}::integer[])
      as wanted (project_id, count)
    order by project_id
    on conflict (project_id) do update
      set next_time = greatest(pace.next_time, clock_timestamp()) + (excluded.next_time - now())
    returning project_id, extract(epoch from next_time - clock_timestamp())::double precision * 1000 as wait_ms
  `.execute(queries);
  const counts = new Map(wanted.map((one) => [one.projectId, one.count]));
  return new Map(
    rows.map(({ projectId, waitMs }) => [projectId, waitMs - (counts.get(projectId) ?? 0) * apartMs]),
  );
}

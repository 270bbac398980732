/**
 * Deliveries: one event on its way to one destination. Several processes work on them at once.
 *
 *   (event) ──route──► first attempt ─────────► delivered      a batch of the worker that routed it has it: no row yet
 *                         │     │ └────────────► failed        the last attempt, or its destination is disabled
 *               no room   ▼     ▼ failed attempt
 *                      waiting ◄───┐                            due after the next gap of the schedule
 *                         └─claim─► sending ──► delivered, failed
 *
 * A delivery has its row from the first thing there is to say of it. `sending` names the worker that has the row
 * (`claimed_by`), a batch names the one that has its pairs (`delivery-batches.ts`). When that worker's lock in
 * PostgreSQL is gone, its process is gone, and what it had goes back to `waiting`: what was sent but not yet noted is
 * sent again. Resending puts `delivered` and `failed` back to `waiting`. Where a destination is deleted its rows are
 * nobody's until they are swept.
 */
import { sql } from "kysely";
import { now } from "../ground/clock.ts";
import type { Queries } from "./database.ts";
import { releaseBatches } from "./delivery-batches.ts";
import { toStoredJson } from "./stored-json.ts";

export type DeliveryState = "waiting" | "sending" | "delivered" | "failed";

/** A delivery that this worker has, with what it must know of the destination to keep what it remembers current. */
export interface ClaimedDelivery {
  destinationId: string;
  eventId: string;
  failures: number;
  version: number;
  failingSince: Date | null;
  /** Where this is the first attempt: what has it in place of a row. */
  batchId?: string;
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

const lanesOf = ({ lanes }: Claim) =>
  sql`unnest(${lanes.map(({ id }) => id)}::uuid[], ${lanes.map(({ free }) => free)}::integer[]) as lane (id, free)`;

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

/** What stands in the place of an attempt when a destination is disabled. */
export const notAttempted = (): FinishedAttempt["attempt"] => ({
  time: now().toISOString(),
  durationMs: 0,
  error: "not attempted: the destination is disabled",
});

const MOST_ATTEMPTS = 40;

/**
 * Notes how attempts ended, in one statement, each delivery at most once; and that these batches are over. What the
 * worker does not have any more stays as it is.
 */
export async function finishDeliveries(
  queries: Queries,
  workerId: number,
  finished: FinishedAttempt[],
  overBatchIds: string[] = [],
): Promise<void> {
  const column = <Name extends keyof FinishedAttempt>(name: Name) => finished.map((row) => row[name]);
  const attempts = finished.map(({ attempt }) => (attempt ? toStoredJson(attempt) : null));
  await sql`
    with over as (
      delete from delivery_batches where id = any(${overBatchIds}::uuid[])
    )
    insert into deliveries (destination_id, event_id, state, due_time, failures, attempts)
    select destination_id, event_id, state,
      now() + make_interval(secs => delay_ms / 1000),
      case when state = 'delivered' or attempt is null then 0 else 1 end,
      case when attempt is null then '[]' else jsonb_build_array(attempt::jsonb) end
    from unnest(
      ${column("destinationId")}::uuid[], ${column("eventId")}::uuid[], ${column("state")}::text[],
      ${column("delayMs")}::double precision[], ${attempts}::text[]
    ) as ended (destination_id, event_id, state, delay_ms, attempt)
    on conflict (destination_id, event_id) do update set
      state = excluded.state,
      claimed_by = null,
      due_time = excluded.due_time,
      failures = deliveries.failures + excluded.failures,
      attempts = case when jsonb_array_length(deliveries.attempts) < ${MOST_ATTEMPTS}
        then deliveries.attempts else deliveries.attempts - 0 end || excluded.attempts
    where deliveries.state = 'sending' and deliveries.claimed_by = ${workerId}
  `.execute(queries);
}

/** Workers that have something. Hops along the index, which has few of them. */
export async function listClaimants(queries: Queries): Promise<number[]> {
  const { rows } = await sql<{ workerId: number }>`
    with recursive workers as (
      select min(claimed_by) as id from deliveries where state = 'sending'
      union all
      select (select min(claimed_by) from deliveries where state = 'sending' and claimed_by > workers.id)
      from workers where workers.id is not null
    )
    select id as worker_id from workers where id is not null
    union select worker_id from delivery_batches
  `.execute(queries);
  return rows.map((row) => row.workerId);
}

/** The rows that this worker has. */
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
  await releaseBatches(queries, workerIds, []);
  await sql`
    update deliveries set state = 'waiting', claimed_by = null, due_time = now()
    where state = 'sending' and claimed_by = any(${workerIds}::integer[])
  `.execute(queries);
}

/** Gives up what waits for disabled destinations, a batch at a time; how many it were. */
export async function failDisabled(queries: Queries, most: number): Promise<number> {
  const attempt = JSON.stringify(notAttempted());
  const { numAffectedRows } = await sql`
    update deliveries set state = 'failed', attempts = attempts || ${attempt}::jsonb
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

/**
 * Deliveries: one event on its way to one destination. Several processes work on them at once.
 *
 *   (event) ──route──► first attempt ─────────► delivered      held by a batch of the worker that routed it: no row yet
 *                         │     │ └────────────► failed        the last attempt, or its destination is disabled
 *           no capacity   ▼     ▼ failed attempt
 *                      waiting ◄───┐                            due after the next gap of the schedule
 *                         └─claim─► sending ──► delivered, failed
 *
 * A delivery gets its row with the result of its first attempt, or when a lane has no capacity for it. A row in `sending`
 * names its worker (`claimed_by`); a batch names the worker of its deliveries (`delivery-batches.ts`). When a worker is
 * dead (`jobs/process-identity.ts`), its deliveries go back to `waiting`: those that were sent but not saved are sent
 * again. Resending puts `delivered` and `failed` back to `waiting`. The rows of a deleted destination are ignored until
 * they are removed.
 */
import { sql, type RawBuilder } from "kysely";
import { now } from "../../../ground/clock.ts";
import type { ControlQueries, DataQueries } from "../database/sides.ts";
import { releaseBatches } from "./delivery-batches.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { countAffectedRows, isUniqueViolation } from "../database/database.ts";

export type DeliveryState = "waiting" | "sending" | "delivered" | "failed";

/** Delivery that this worker has claimed, with version and health of its destination. */
export interface ClaimedDelivery extends DeliveryKey {
  failures: number;
  version: number;
  failingSince: Date | null;
  /** Set on the first attempt: the batch that holds the delivery instead of a row. */
  batchId?: string;
}

/** Limits of a worker's claim. */
interface ClaimLimits {
  workerId: number;
  /** Limit in total. */
  capacity: number;
  /** Limits per destination that is not in `lanes`, for working and for failing ones. */
  depth: number;
  failingDepth: number;
  /** Destinations that the worker is busy with, and how many more deliveries it claims for each. */
  lanes: { id: string; free: number }[];
  /** Projects of which the worker claims nothing more. */
  fullProjects: string[];
}

const listLanes = ({ lanes }: ClaimLimits) =>
  sql`unnest(${lanes.map(({ id }) => id)}::uuid[], ${lanes.map(({ free }) => free)}::integer[]) as lane (id, free)`;

/** Claims due deliveries, a few for each destination, starting with a random destination. */
export async function claimDeliveries(queries: DataQueries, claim: ClaimLimits): Promise<ClaimedDelivery[]> {
  const { rows } = await buildClaimStatement(claim).execute(queries);
  return rows;
}

/** Builds the statement. It skips along the index of waiting deliveries, so that destinations without any cost nothing. */
export const buildClaimStatement = (claim: ClaimLimits) => sql<ClaimedDelivery>`/* prepare claim-deliveries */
    with recursive first as (
      (
        select destination_id, due_time from deliveries
        where state = 'waiting' order by destination_id, due_time limit 1
      )
      union all
      select next.destination_id, next.due_time
      from first cross join lateral (
        select destination_id, due_time from deliveries
        where state = 'waiting' and destination_id > first.destination_id
        order by destination_id, due_time limit 1
      ) as next
    ), ready as (
      select due.*, version, failing_since
      from (
        select destinations.id, version, failing_since,
          coalesce(free, case when failing_since is null then ${claim.depth}::integer else ${claim.failingDepth}::integer end)::integer as free
        from first
        join destinations on destinations.id = first.destination_id
        left join ${listLanes(claim)} on lane.id = destinations.id
        where first.due_time <= now() and disabled_time is null and coalesce(free, 1) > 0
          and project_id <> all(${claim.fullProjects}::uuid[])
        order by random()
      ) as open
      cross join lateral (
        select destination_id, event_id from deliveries
        where destination_id = open.id and state = 'waiting' and due_time <= now()
        order by due_time limit open.free for update skip locked
      ) as due
      limit ${claim.capacity}
    )
    update deliveries set state = 'sending', claimed_by = ${claim.workerId}::integer
    from ready
    where deliveries.destination_id = ready.destination_id and deliveries.event_id = ready.event_id
    returning deliveries.destination_id, deliveries.event_id, failures, version, failing_since
  `;

/** Key of a delivery: no event goes to a destination twice. */
export interface DeliveryKey {
  destinationId: string;
  eventId: string;
}

/** Attempt as the row records it. */
export interface AttemptRecord {
  time: string;
  durationMs: number;
  status?: number;
  error?: string;
  answer?: string;
  /** Parts of the request that the destination's type records. */
  sent?: { url: string; headers: Record<string, string> };
}

/** Delivery after an attempt: it has ended, or is due again after `retryInMs`. */
export interface AttemptedDelivery extends DeliveryKey {
  kind: "attempted";
  state: "waiting" | "delivered" | "failed";
  retryInMs: number;
  attempt: AttemptRecord;
  /** Whether it was delivered and may be a message with changes, whose events are counted as delivered. */
  acceptsChanges?: boolean;
}

/** Delivery that a worker returns without an attempt: it is due again at once, for any worker. */
export interface ReleasedDelivery extends DeliveryKey {
  kind: "released";
}

/** Delivery that failed without an attempt, because its destination is disabled. */
export interface SkippedDelivery extends DeliveryKey {
  kind: "skipped";
}

type DeliveryUpdate = AttemptedDelivery | ReleasedDelivery | SkippedDelivery;

/** Builds the record of a skipped delivery, in place of an attempt's. */
const buildSkippedRecord = (): AttemptRecord => ({
  time: now().toISOString(),
  durationMs: 0,
  error: "not attempted: the destination is disabled",
});

const MAX_ATTEMPTS = 40;

/**
 * Inserts the results of first attempts, each at most once, and removes batches that are finished, in one statement. Results of a batch
 * that this worker no longer has are not stored. Changes that were accepted for the first time are counted. Nothing conflicts, unless the
 * answer of an earlier statement was lost, and rows without a conflict to handle cost PostgreSQL a sixth less.
 */
export async function insertDeliveries(
  queries: DataQueries,
  workerId: number,
  updates: (DeliveryUpdate & { batchId?: string | undefined })[],
  overBatchIds: string[],
): Promise<void> {
  const batchIds = [...new Set(updates.map(({ batchId = "" }) => batchId))];
  const places = new Map(batchIds.map((id, index) => [id, index + 1]));
  const isHeld = sql`where batch = any(array(
    select place from unnest(${batchIds}::uuid[]) with ordinality as mine (id, place) join delivery_batches using (id)
    where worker_id = ${workerId}))`;
  const batches = updates.map(({ batchId = "" }) => places.get(batchId) ?? 0);
  try {
    const plain = sql`/* prepare insert-deliveries */ ${buildResults(updates, batches, overBatchIds)} ${isHeld}`;
    await plain.execute(queries);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await sql`${buildResults(updates, batches, overBatchIds)} ${isHeld} on conflict do nothing`.execute(
      queries,
    );
  }
}

/**
 * Updates claimed deliveries of this worker, each at most once, in one statement. Deliveries that the worker no longer has stay as
 * they are. Changes that were accepted for the first time are counted.
 */
export async function updateDeliveries(
  queries: DataQueries,
  workerId: number,
  updates: DeliveryUpdate[],
): Promise<void> {
  const batches = updates.map(() => 0);
  await sql`/* prepare update-deliveries */ ${buildResults(updates, batches, [])}
    on conflict (destination_id, event_id) do update set
      state = excluded.state,
      claimed_by = null,
      due_time = excluded.due_time,
      failures = deliveries.failures + excluded.failures,
      attempts = case when jsonb_array_length(deliveries.attempts) < ${MAX_ATTEMPTS}
        then deliveries.attempts else deliveries.attempts - 0 end || excluded.attempts
    where deliveries.state = 'sending' and deliveries.claimed_by = ${workerId}
  `.execute(queries);
}

/** Returns the statement that inserts results as rows, without its end. */
function buildResults(
  updates: DeliveryUpdate[],
  batches: number[],
  overBatchIds: string[],
): RawBuilder<unknown> {
  const rows = updates.map(toRow);
  const column = (name: keyof Omit<UpdateRow, "attempts">) => writeBareArray(rows.map((row) => row[name]));
  const changes = updates.filter((update) => update.kind === "attempted" && update.acceptsChanges);
  return sql`
    with over as (
      delete from delivery_batches where id = any(${overBatchIds}::uuid[])
    ), accepted as (
      delete from undelivered_changes
      where message_id = any(${changes.map(({ eventId }) => eventId)}::uuid[])
      returning installation_id, object_name, events
    ), locked as materialized (
      -- Locks rows in the same order as other statements.
      select id, installation_id, object_name from subscriptions
      where (installation_id, object_name) in (select installation_id, object_name from accepted)
      order by id for no key update
    ), counted as (
      update subscriptions set delivered = delivered + sums.events
      from (select id, sum(events) as events from accepted join locked using (installation_id, object_name) group by id) as sums
      where subscriptions.id = sums.id
    )
    insert into deliveries (destination_id, event_id, state, due_time, failures, attempts)
    select destination_id, event_id, state,
      now() + make_interval(secs => retry_in_ms / 1000), failures, attempts::jsonb
    from unnest(
      ${column("destinationId")}::uuid[], ${column("eventId")}::uuid[], ${column("state")}::text[],
      ${column("retryInMs")}::double precision[], ${column("failures")}::integer[],
      -- As lines: JSON has no line breaks, and in an array each of its quotes would be escaped.
      string_to_array(${rows.map(({ attempts }) => attempts).join("\n")}, E'\\n'), ${writeBareArray(batches)}::integer[]
    ) as updated (destination_id, event_id, state, retry_in_ms, failures, attempts, batch)`;
}

interface UpdateRow extends DeliveryKey {
  state: "waiting" | "delivered" | "failed";
  retryInMs: number;
  /** Added to the earlier failures. */
  failures: number;
  /** JSON array on one line, appended to the earlier attempts. */
  attempts: string;
}

/** Writes an array whose members need no quotes, as PostgreSQL reads it. The client would quote and escape each member. */
const writeBareArray = (members: (string | number)[]): string => `{${members.join(",")}}`;

function toRow(update: DeliveryUpdate): UpdateRow {
  const { destinationId, eventId } = update;
  const row = { destinationId, eventId, retryInMs: 0, failures: 0, attempts: "[]" };
  switch (update.kind) {
    case "released":
      return { ...row, state: "waiting" };
    case "skipped":
      return { ...row, state: "failed", attempts: toStoredJson([buildSkippedRecord()]) };
    case "attempted": {
      const { state, retryInMs, attempt } = update;
      return {
        ...row,
        state,
        retryInMs,
        failures: state === "delivered" ? 0 : 1,
        attempts: toStoredJson([attempt]),
      };
    }
  }
}

/** Lists the workers that have deliveries. Skips along the index, which contains few workers. */
export async function listDeliveryClaimers(queries: DataQueries): Promise<number[]> {
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

/** Lists the rows that this worker has claimed. */
export async function listClaims(queries: DataQueries, workerId: number): Promise<DeliveryKey[]> {
  const { rows } = await sql<DeliveryKey>`
    select destination_id, event_id from deliveries where state = 'sending' and claimed_by = ${workerId}
  `.execute(queries);
  return rows;
}

/** Releases everything that these workers had; it is due at once. */
export async function releaseDeliveries(queries: DataQueries, workerIds: number[]): Promise<void> {
  if (workerIds.length === 0) return;
  await releaseBatches(queries, workerIds, []);
  await sql`
    update deliveries set state = 'waiting', claimed_by = null, due_time = now()
    where state = 'sending' and claimed_by = any(${workerIds}::integer[])
  `.execute(queries);
}

/** Fails up to `max` deliveries that wait for disabled destinations; returns their number. */
export async function failDisabled(queries: DataQueries, max: number): Promise<number> {
  const attempt = JSON.stringify(buildSkippedRecord());
  const result = await sql`
    update deliveries set state = 'failed', attempts = attempts || ${attempt}::jsonb
    from (
      select waiting.destination_id, waiting.event_id
      from destinations
      join deliveries waiting on waiting.destination_id = destinations.id and waiting.state = 'waiting'
      where disabled_time is not null
      limit ${max} for update of waiting skip locked
    ) as stuck
    where deliveries.destination_id = stuck.destination_id and deliveries.event_id = stuck.event_id
  `.execute(queries);
  return countAffectedRows(result);
}

/**
 * Reserves times at which webhooks of projects may be sent, `apartMs` apart over all processes. Returns for each project the
 * milliseconds until its first time.
 */
export async function reservePaces(
  queries: ControlQueries,
  wanted: { projectId: string; count: number }[],
  apartMs: number,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ projectId: string; waitMs: number }>`/* prepare reserve-paces */
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

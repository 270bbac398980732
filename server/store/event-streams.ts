/**
 * Streams of events that Busbar opens at providers, one for a connection. A stream is in one of these states:
 *
 *     closed   not opened yet, or broken; it is opened at `retry_time`
 *     open     a process reads it
 *     failed   the provider refuses it for a reason that a person must remove
 *
 * The process that reads a stream has claimed it; the position is stored in the transaction that stores the events.
 */
import { sql, type RawBuilder } from "kysely";
import type { Queries } from "./database.ts";
import { reconcileFrom } from "./subscription-walks.ts";

export type EventStreamState = "closed" | "open" | "failed";

export interface EventStreamRow {
  connectionId: string;
  projectId: string;
  provider: string;
  ref: string;
  topic: string;
  accountRef: string;
  position: Buffer | null;
  startTime: Date | null;
  heardTime: Date | null;
  state: EventStreamState;
  reason: string | null;
  attempts: number;
}

const COLUMNS = sql`event_streams.connection_id, event_streams.project_id, event_streams.provider, event_streams.ref,
  event_streams.topic, event_streams.account_ref, event_streams.position, event_streams.start_time,
  event_streams.heard_time, event_streams.state, event_streams.reason, event_streams.attempts`;

/** Objects that installations of the connection subscribe to by its stream, but for one that goes. */
const wantedWithout = (installationId: string | null) => sql`array(
  select distinct subscriptions.object_key from subscriptions
  join installations on installations.id = subscriptions.installation_id
  where installations.connection_id = event_streams.connection_id and subscriptions.source = 'pubsub'
    and subscriptions.state <> 'disabled' and subscriptions.object_key is not null
    and installations.id is distinct from ${installationId}::uuid)`;
const WANTED = wantedWithout(null);

/**
 * Until when a subscription knows all changes if the stream reported everything until a time, or null: a transaction that
 * takes long commits with the time at which it began.
 */
const knownUntil = (time: RawBuilder<unknown>) =>
  sql`case when ${time} is not null then greatest(subscriptions.create_time, ${time} - interval '5 minutes') end`;

export async function findEventStream(
  queries: Queries,
  connectionId: string,
): Promise<EventStreamRow | undefined> {
  const { rows } = await sql<EventStreamRow>`
    select ${COLUMNS} from event_streams where connection_id = ${connectionId}
  `.execute(queries);
  return rows[0];
}

export type SelectedObject = Pick<
  EventStreamRow,
  "connectionId" | "projectId" | "provider" | "ref" | "topic"
> & {
  accountRef: string;
  objectKey: string;
};

/** Stores that an object was selected. Another account or topic begins a new stream. Returns the stream. */
export async function putEventStream(queries: Queries, one: SelectedObject): Promise<EventStreamRow> {
  const { connectionId, projectId, provider, ref, topic, accountRef, objectKey } = one;
  const isSame = sql`known.topic = excluded.topic and known.account_ref = excluded.account_ref`;
  await sql`
    insert into event_streams as known (connection_id, project_id, provider, ref, topic, account_ref, selected)
    values (${connectionId}, ${projectId}, ${provider}, ${ref}, ${topic}, ${accountRef}, array[${objectKey}::text])
    on conflict (connection_id) do update set
      ref = excluded.ref, topic = excluded.topic, account_ref = excluded.account_ref,
      selected = case when ${isSame} then array(select distinct unnest(known.selected || excluded.selected))
        else excluded.selected end,
      position = case when ${isSame} then known.position end,
      start_time = case when ${isSame} then known.start_time end,
      heard_time = case when ${isSame} then known.heard_time end,
      state = case when ${isSame} then known.state else 'closed' end,
      retry_time = case when ${isSame} then known.retry_time end
  `.execute(queries);
  await sql`select pg_notify('busbar_changes', '{"table":"event_streams","id":""}')`.execute(queries);
  const row = await findEventStream(queries, connectionId);
  if (!row) throw new Error(`the stream of connection ${connectionId} vanished`);
  return row;
}

/** Claims streams that are due and not read by any process. */
export async function claimEventStreams(
  queries: Queries,
  workerId: number,
  most: number,
): Promise<EventStreamRow[]> {
  const { rows } = await sql<EventStreamRow>`
    update event_streams set claimed_by = ${workerId}::integer where connection_id in (
      select connection_id from event_streams
      where claimed_by is null and (retry_time is null or retry_time <= now())
      order by retry_time nulls first limit ${most} for update skip locked)
    returning ${COLUMNS}
  `.execute(queries);
  return rows;
}

export interface HeldStream extends Pick<
  EventStreamRow,
  "connectionId" | "projectId" | "provider" | "ref" | "topic" | "accountRef"
> {
  wanted: string[];
  selected: string[];
}

/** Lists the streams that a process has claimed, with what is wanted of each. */
export async function listHeldStreams(queries: Queries, workerId: number): Promise<HeldStream[]> {
  const { rows } = await sql<HeldStream>`
    select connection_id, project_id, provider, ref, topic, account_ref, selected, ${WANTED} as wanted
    from event_streams where claimed_by = ${workerId}
  `.execute(queries);
  return rows;
}

/** Returns the stream of an installation's connection, with what is wanted of it when the installation is gone. */
export async function findStreamWithout(
  queries: Queries,
  installationId: string,
): Promise<HeldStream | undefined> {
  const { rows } = await sql<HeldStream>`
    select event_streams.connection_id, event_streams.project_id, provider, ref, topic, account_ref, selected,
      ${wantedWithout(installationId)} as wanted
    from event_streams join installations on installations.connection_id = event_streams.connection_id
    where installations.id = ${installationId}
  `.execute(queries);
  return rows[0];
}

/**
 * Has subscriptions set up again whose object was deselected after it had been selected: it was switched off and on again
 * within seconds. What changed meanwhile is found by reading.
 */
export async function selectAgain(queries: Queries, connectionId: string): Promise<void> {
  await sql`
    update subscriptions set state = 'pending', due_time = now(), retry_time = null,
      polled_until = coalesce(polled_until, ${knownUntil(sql`now()`)})
    from installations, event_streams
    where event_streams.connection_id = ${connectionId} and installations.connection_id = event_streams.connection_id
      and subscriptions.installation_id = installations.id and source = 'pubsub'
      and subscriptions.state in ('active', 'degraded') and object_key <> all(selected)
  `.execute(queries);
}

/** Stores that objects are not selected any more. Without any left that is wanted, the stream is removed. */
export async function dropSelected(queries: Queries, connectionId: string, dropped: string[]): Promise<void> {
  await sql`
    update event_streams set selected = array(select unnest(selected) except select unnest(${dropped}::text[]))
    where connection_id = ${connectionId}
  `.execute(queries);
  await sql`
    delete from event_streams where connection_id = ${connectionId} and selected = '{}' and ${WANTED} = '{}'
  `.execute(queries);
}

/** Stores that a claimed stream is open, and makes the subscriptions due that wait for it. */
export async function openEventStream(
  queries: Queries,
  { connectionId, workerId }: { connectionId: string; workerId: number },
): Promise<void> {
  await sql`
    with mine as (
      update event_streams set state = 'open', reason = null, start_time = coalesce(start_time, now()),
        heard_time = coalesce(heard_time, now())
      where connection_id = ${connectionId} and claimed_by = ${workerId}
      returning connection_id
    ), due as (
      update subscriptions set due_time = now(), retry_time = null
      from installations, mine
      where installations.id = subscriptions.installation_id and installations.connection_id = mine.connection_id
        and source = 'pubsub' and subscriptions.state in ('pending', 'failed')
      returning subscriptions.id
    )
    select pg_notify('busbar_changes', '{"table":"subscriptions","id":""}')::text where exists (select from due)
  `.execute(queries);
}

/**
 * Stores the position behind the events that this transaction stores. Returns false if this process does not have the
 * stream any more: then nothing may be stored.
 */
export async function moveEventStream(
  queries: Queries,
  { connectionId, workerId, position }: { connectionId: string; workerId: number; position: Buffer },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update event_streams set heard_time = now(),
      position = case when ${position.length} = 0 then position else ${position}::bytea end
    where connection_id = ${connectionId} and claimed_by = ${workerId}
  `.execute(queries);
  return numAffectedRows === 1n;
}

/** Forgets a position that the provider does not have any more; the stream begins with what the provider has kept. */
export async function forgetPosition(
  queries: Queries,
  { connectionId, workerId }: { connectionId: string; workerId: number },
): Promise<void> {
  await sql`
    update event_streams set position = null where connection_id = ${connectionId} and claimed_by = ${workerId}
  `.execute(queries);
}

export interface ReleasedStream {
  connectionId: string;
  workerId: number;
  state: EventStreamState;
  reason: string | null;
  retryTime: Date | null;
  attempts: number;
  /**
   * Whether its subscriptions are set up again, which selects the objects again, or reports why that is not possible. What
   * changes until then is found by reading.
   */
  setUpAgain: boolean;
}

/** Gives a claimed stream back. */
export async function releaseEventStream(queries: Queries, one: ReleasedStream): Promise<void> {
  const { connectionId, workerId, state, reason, retryTime, attempts, setUpAgain } = one;
  await sql`
    with mine as (
      update event_streams set claimed_by = null, state = ${state}, reason = ${reason}, retry_time = ${retryTime},
        attempts = ${attempts}
      where connection_id = ${connectionId} and claimed_by = ${workerId}
      returning connection_id, heard_time
    ), due as (
      update subscriptions set state = 'pending', due_time = now(), retry_time = null,
        polled_until = case when subscriptions.state = 'pending' then polled_until
          else coalesce(polled_until, ${knownUntil(sql`mine.heard_time`)}) end
      from installations, mine
      where ${setUpAgain} and installations.id = subscriptions.installation_id
        and installations.connection_id = mine.connection_id and source = 'pubsub'
        and subscriptions.state in ('pending', 'active', 'degraded')
      returning subscriptions.id
    )
    select pg_notify('busbar_changes', '{"table":"subscriptions","id":""}')::text where exists (select from due)
  `.execute(queries);
}

/** Requests a reconciliation of the subscriptions of a stream; without a key, of all of them. */
export async function reconcileStream(
  queries: Queries,
  {
    connectionId,
    objectKey,
    since,
    reason,
  }: { connectionId: string; objectKey: string | undefined; since: Date; reason: string },
): Promise<void> {
  await sql`
    with requested as (
      update subscriptions set due_time = now(), ${reconcileFrom(since, reason)}
      from installations
      where installations.id = subscriptions.installation_id and installations.connection_id = ${connectionId}
        and source = 'pubsub' and subscriptions.state <> 'disabled'
        and (${objectKey ?? null}::text is null or object_key = ${objectKey ?? null}::text)
      returning subscriptions.id
    )
    select pg_notify('busbar_changes', '{"table":"subscriptions","id":""}')::text where exists (select from requested)
  `.execute(queries);
}

/** Gives back all streams of a process but those `held`; a dead one holds none. They are due at once. */
export async function recoverEventStreams(
  queries: Queries,
  workerId: number,
  held: string[] = [],
): Promise<void> {
  await sql`
    update event_streams set claimed_by = null, retry_time = null
    where claimed_by = ${workerId} and connection_id <> all(${held}::uuid[])
  `.execute(queries);
}

/** Lists the processes that have claimed streams. */
export async function listStreamClaimers(queries: Queries): Promise<number[]> {
  const { rows } = await sql<{ worker: number }>`
    select distinct claimed_by as worker from event_streams where claimed_by is not null
  `.execute(queries);
  return rows.map((row) => row.worker);
}

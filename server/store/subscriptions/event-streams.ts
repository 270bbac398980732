/**
 * Streams of events that Busbar opens at providers: one for a connection, or the journal of a provider app with the changes of
 * all accounts. A stream is in one of these states:
 *
 *     closed   not opened yet, or broken; it is opened at `retry_time`
 *     open     a process reads it
 *     failed   the provider refuses it for a reason that a person must remove
 *
 * The process that reads a stream has claimed it; the position is stored in the transaction that stores the events.
 */
import { sql, type RawBuilder } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import { buildWakeColumn } from "../database/wake-ups.ts";
import { reconcileFrom } from "./subscription-scans.ts";

type EventStreamState = "closed" | "open" | "failed";

export interface EventStreamRow {
  /** Id of the connection or of the provider app. */
  id: string;
  connectionId: string | null;
  /** Set if the stream is a journal. */
  providerAppId: string | null;
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

const COLUMNS = sql`event_streams.id, event_streams.connection_id, event_streams.provider_app_id, event_streams.project_id, event_streams.provider, event_streams.ref,
  event_streams.topic, event_streams.account_ref, event_streams.position, event_streams.start_time,
  event_streams.heard_time, event_streams.state, event_streams.reason, event_streams.attempts`;

/** Builds the key of an account's object in a journal, among selected and wanted objects. */
export const toJournalKey = (accountRef: string, objectKey: string): string => `${accountRef} ${objectKey}`;
export function readJournalKey(key: string): { accountRef: string; objectKey: string } {
  const [accountRef = "", objectKey = ""] = key.split(" ");
  return { accountRef, objectKey };
}
export const SELECTED_KEY = sql`case source when 'journal' then account_ref || ' ' || object_key else object_key end`;

/** Selects the objects that installations subscribe to by the stream, except for an installation that is removed. */
const selectWantedWithout = (installationId: string | null) => sql`array(
  select object_key from subscriptions
  join installations on installations.id = subscriptions.installation_id
  where installations.connection_id = event_streams.connection_id and source = 'pubsub'
    and subscriptions.state <> 'disabled' and object_key is not null
    and installations.id is distinct from ${installationId}::uuid
  union
  select ${SELECTED_KEY} from subscriptions
  where journal_app_id = event_streams.provider_app_id and source = 'journal'
    and state <> 'disabled' and object_key is not null and account_ref is not null)`;
const WANTED = selectWantedWithout(null);

/** Ids of the subscriptions of the streams in a table `mine`. */
const OF_MINE = sql`
  select subscriptions.id from mine join installations on installations.connection_id = mine.connection_id
    join subscriptions on subscriptions.installation_id = installations.id and source = 'pubsub'
  union all
  select subscriptions.id from mine join subscriptions on journal_app_id = mine.provider_app_id and source = 'journal'`;

/**
 * Builds the time until which a subscription knows all changes if the stream reported everything until `time`; null without a
 * time. It is earlier by the duration of a long transaction, which commits with the time of its beginning.
 */
const buildKnownUntil = (time: RawBuilder<unknown>) =>
  sql`case when ${time} is not null then greatest(subscriptions.create_time, ${time} - interval '5 minutes') end`;

export async function findEventStream(queries: DataQueries, id: string): Promise<EventStreamRow | undefined> {
  const { rows } = await sql<EventStreamRow>`
    select ${COLUMNS} from event_streams where id = ${id}
  `.execute(queries);
  return rows[0];
}

type PutStream = Pick<EventStreamRow, "projectId" | "provider" | "ref" | "topic" | "accountRef"> &
  (
    | { connectionId: string; providerAppId?: undefined }
    | { providerAppId: string; connectionId?: undefined }
  ) & {
    /** Objects that were selected now; earlier ones stay selected. */
    selected: string[];
  };

/** Stores that objects were selected, and returns the stream. Another account or topic begins a new stream. */
export async function putEventStream(queries: DataQueries, one: PutStream): Promise<EventStreamRow> {
  const { connectionId, providerAppId, projectId, provider, ref, topic, accountRef, selected } = one;
  const id = one.connectionId === undefined ? one.providerAppId : one.connectionId;
  const isSame = sql`known.topic = excluded.topic and known.account_ref = excluded.account_ref`;
  await sql`
    insert into event_streams as known
      (connection_id, provider_app_id, project_id, provider, ref, topic, account_ref, selected)
    values (${connectionId ?? null}, ${providerAppId ?? null}, ${projectId}, ${provider}, ${ref}, ${topic}, ${accountRef},
      ${selected}::text[])
    on conflict (id) do update set
      ref = excluded.ref, topic = excluded.topic, account_ref = excluded.account_ref,
      selected = case when ${isSame} then array(select distinct unnest(known.selected || excluded.selected))
        else excluded.selected end,
      position = case when ${isSame} then known.position end,
      start_time = case when ${isSame} then known.start_time end,
      heard_time = case when ${isSame} then known.heard_time end,
      state = case when ${isSame} then known.state else 'closed' end,
      retry_time = case when ${isSame} then known.retry_time end
  `.execute(queries);
  await sql`select ${buildWakeColumn("event_streams")}`.execute(queries);
  const row = await findEventStream(queries, id);
  if (!row) throw new Error(`the stream ${id} vanished`);
  return row;
}

/** Claims due streams that no process reads. */
export async function claimEventStreams(
  queries: DataQueries,
  workerId: number,
  max: number,
): Promise<EventStreamRow[]> {
  const { rows } = await sql<EventStreamRow>`
    update event_streams set claimed_by = ${workerId}::integer where id in (
      select id from event_streams
      where claimed_by is null and (retry_time is null or retry_time <= now())
      order by retry_time nulls first limit ${max} for update skip locked)
    returning ${COLUMNS}
  `.execute(queries);
  return rows;
}

export interface HeldStream extends Pick<
  EventStreamRow,
  "id" | "connectionId" | "providerAppId" | "projectId" | "provider" | "ref" | "topic" | "accountRef"
> {
  wanted: string[];
  selected: string[];
}

/** Lists the streams that a process has claimed, each with the wanted objects. */
export async function listHeldStreams(queries: DataQueries, workerId: number): Promise<HeldStream[]> {
  const { rows } = await sql<HeldStream>`
    select id, connection_id, provider_app_id, project_id, provider, ref, topic, account_ref, selected, ${WANTED} as wanted
    from event_streams where claimed_by = ${workerId}
  `.execute(queries);
  return rows;
}

/** Finds the stream of an installation's connection, with the objects that are wanted without the installation. */
export async function findStreamWithout(
  queries: DataQueries,
  installationId: string,
): Promise<HeldStream | undefined> {
  const { rows } = await sql<HeldStream>`
    select event_streams.id, event_streams.connection_id, provider_app_id, event_streams.project_id, provider, ref, topic,
      account_ref, selected,
      ${selectWantedWithout(installationId)} as wanted
    from event_streams join installations on installations.connection_id = event_streams.connection_id
    where installations.id = ${installationId}
  `.execute(queries);
  return rows[0];
}

/**
 * Makes subscriptions set up again whose object was deselected after it had been selected: it was switched off and on again
 * within seconds. A reconciliation finds the changes meanwhile.
 */
export async function selectAgain(queries: DataQueries, id: string): Promise<void> {
  await sql`
    with mine as (select connection_id, provider_app_id, selected from event_streams where id = ${id})
    update subscriptions set state = 'pending', due_time = now(), retry_time = null,
      polled_until = coalesce(polled_until, ${buildKnownUntil(sql`now()`)})
    from mine
    where subscriptions.id in (${OF_MINE}) and subscriptions.state in ('active', 'degraded') and ${SELECTED_KEY} <> all(selected)
  `.execute(queries);
}

/** Stores that objects are no longer selected. If none of the others is wanted, the stream is removed. */
export async function dropSelected(queries: DataQueries, id: string, dropped: string[]): Promise<void> {
  await sql`
    update event_streams set selected = array(select unnest(selected) except select unnest(${dropped}::text[]))
    where id = ${id}
  `.execute(queries);
  await sql`
    delete from event_streams where id = ${id} and selected = '{}' and ${WANTED} = '{}'
  `.execute(queries);
}

/** Stores that a claimed stream is open, and makes its waiting subscriptions due. */
export async function openEventStream(
  queries: DataQueries,
  { id, workerId }: { id: string; workerId: number },
): Promise<void> {
  await sql`
    with mine as (
      update event_streams set state = 'open', reason = null, start_time = coalesce(start_time, now()),
        heard_time = coalesce(heard_time, now())
      where id = ${id} and claimed_by = ${workerId}
      returning connection_id, provider_app_id
    ), due as (
      update subscriptions set due_time = now(), retry_time = null
      where id in (${OF_MINE}) and state in ('pending', 'failed')
      returning id
    )
    select ${buildWakeColumn("subscriptions", sql`exists (select from due)`)}
  `.execute(queries);
}

/**
 * Stores the position behind the events of this transaction. Returns false if this process no longer has the stream: then
 * nothing may be stored.
 */
export async function moveEventStream(
  queries: DataQueries,
  { id, workerId, position }: { id: string; workerId: number; position: Buffer },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update event_streams set heard_time = now(),
      position = case when ${position.length} = 0 then position else ${position}::bytea end
    where id = ${id} and claimed_by = ${workerId}
  `.execute(queries);
  return numAffectedRows === 1n;
}

/** Returns whether this process still has the stream. No other process can claim it before this transaction ends. */
export async function lockEventStream(
  queries: DataQueries,
  { id, workerId }: { id: string; workerId: number },
): Promise<boolean> {
  const { rows } = await sql`
    select from event_streams where id = ${id} and claimed_by = ${workerId} for no key update
  `.execute(queries);
  return rows.length === 1;
}

/** Removes a position that the provider no longer has; the stream begins with the oldest changes that it still has. */
export async function forgetPosition(
  queries: DataQueries,
  { id, workerId }: { id: string; workerId: number },
): Promise<void> {
  await sql`
    update event_streams set position = null where id = ${id} and claimed_by = ${workerId}
  `.execute(queries);
}

/** Resets the failures of a stream that no process reads: it is opened at once. */
export async function retryEventStream(queries: DataQueries, id: string): Promise<void> {
  await sql`
    update event_streams set state = 'closed', reason = null, attempts = 0, retry_time = null
    where id = ${id} and claimed_by is null and state <> 'open'
  `.execute(queries);
}

export interface ReleasedStream {
  id: string;
  workerId: number;
  state: EventStreamState;
  reason: string | null;
  retryTime: Date | null;
  attempts: number;
  /**
   * Whether its subscriptions are set up again. The set-up selects the objects again, or reports why that is not possible. A
   * reconciliation finds the changes until then.
   */
  setUpAgain: boolean;
}

/** Releases a claimed stream. */
export async function releaseEventStream(queries: DataQueries, one: ReleasedStream): Promise<void> {
  const { id, workerId, state, reason, retryTime, attempts, setUpAgain } = one;
  await sql`
    with mine as (
      update event_streams set claimed_by = null, state = ${state}, reason = ${reason}, retry_time = ${retryTime},
        attempts = ${attempts}
      where id = ${id} and claimed_by = ${workerId}
      returning connection_id, provider_app_id, heard_time
    ), due as (
      update subscriptions set state = 'pending', due_time = now(), retry_time = null,
        polled_until = case when subscriptions.state = 'pending' then polled_until
          else coalesce(polled_until, ${buildKnownUntil(sql`mine.heard_time`)}) end
      from mine
      where ${setUpAgain} and subscriptions.id in (${OF_MINE}) and subscriptions.state in ('pending', 'active', 'degraded')
      returning subscriptions.id
    )
    select ${buildWakeColumn("subscriptions", sql`exists (select from due)`)}
  `.execute(queries);
}

/** Requests a reconciliation of a stream's subscriptions; without a key, of all of them. */
export async function reconcileStream(
  queries: DataQueries,
  {
    id,
    objectKey,
    since,
    reason,
  }: { id: string; objectKey: string | undefined; since: Date; reason: string },
): Promise<void> {
  await sql`
    with mine as (
      select connection_id, provider_app_id from event_streams where id = ${id}
    ), requested as (
      update subscriptions set due_time = now(), ${reconcileFrom(since, reason)}
      where id in (${OF_MINE}) and state <> 'disabled'
        and (${objectKey ?? null}::text is null or object_key = ${objectKey ?? null}::text)
      returning id
    )
    select ${buildWakeColumn("subscriptions", sql`exists (select from requested)`)}
  `.execute(queries);
}

/** Releases all streams of a process except for `held`; a dead process holds none. They are due at once. */
export async function recoverEventStreams(
  queries: DataQueries,
  workerId: number,
  held: string[] = [],
): Promise<void> {
  await sql`
    update event_streams set claimed_by = null, retry_time = null
    where claimed_by = ${workerId} and id <> all(${held}::uuid[])
  `.execute(queries);
}

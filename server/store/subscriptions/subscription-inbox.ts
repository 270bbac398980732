/** Stores pushed and streamed events once for each installation that subscribes to them. */
import { sql, type RawBuilder } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import { buildWakeColumn } from "../database/wake-ups.ts";

export interface ReceivedEvent {
  id: string;
  projectId: string;
  provider: string;
  /** The only installation that gets the event; null for every installation of the account. */
  installationId: string | null;
  accountRef: string;
  objectKey: string;
  recordId: string;
  providerEventType: string;
  occurredTime: Date;
  dedupeKey: Buffer;
  raw: string;
  /** Time at which its push arrived; undefined means now. */
  receivedTime?: Date;
}

export interface StoredEvents {
  stored: number;
  duplicates: number;
  /** Events to which no installation subscribes. */
  unmatched: number;
}

/**
 * Columns that match events and subscriptions. Events of a stream belong to its connection; pushed events, and those of a
 * journal, to an account.
 */
const BY_ACCOUNT = sql`project_id, provider, account_ref, object_key`;
const BY_CONNECTION = sql`project_id, provider, object_key`;

export type EventTarget = Pick<ReceivedEvent, "projectId" | "provider" | "accountRef" | "objectKey">;

/** The only subscriptions that get events: those of a connection's installations, or those that read a journal. */
export type Recipients =
  | { connectionId: string; journalAppId?: undefined }
  | { journalAppId: string; connectionId?: undefined };

/** Selects the columns to match. Events of a connection's stream belong to it, whatever account they name. */
const matchEvents = (recipients: Recipients | undefined) =>
  recipients?.connectionId === undefined ? BY_ACCOUNT : BY_CONNECTION;

function isRecipient(recipients: Recipients | undefined): RawBuilder<unknown> {
  if (recipients === undefined) return sql`true`;
  return recipients.connectionId === undefined
    ? sql`source = 'journal' and journal_app_id = ${recipients.journalAppId}`
    : sql`installation_id in (select id from installations where connection_id = ${recipients.connectionId})`;
}

/** Counts the subscriptions that get events of these objects; objects without any are absent. */
export async function countRecipients(
  queries: DataQueries,
  targets: EventTarget[],
  recipients?: Recipients,
): Promise<(EventTarget & { count: number })[]> {
  const column = (name: keyof EventTarget) => targets.map((target) => target[name]);
  const { rows } = await sql<EventTarget & { count: number }>`
    select target.project_id, target.provider, target.account_ref, target.object_key, count(*)::integer as count
    from unnest(${column("projectId")}::uuid[], ${column("provider")}::text[], ${column("accountRef")}::text[],
      ${column("objectKey")}::text[]) as target (project_id, provider, account_ref, object_key)
    join subscriptions using (${matchEvents(recipients)})
    where ${isRecipient(recipients)}
    group by 1, 2, 3, 4
  `.execute(queries);
  return rows;
}

/**
 * Stores events in one statement, and makes their subscriptions due after the window. With a connection as recipient, only its
 * installations get them: another connection to the account may have a user with fewer permissions. Without recipients, every
 * installation of the account gets them. An event that an installation has already is a duplicate. The rows of the
 * subscriptions are locked in one order, so that two processes cannot deadlock.
 */
export async function storeReceivedEvents(
  queries: DataQueries,
  events: ReceivedEvent[],
  windowMs: number,
  recipients?: Recipients,
): Promise<StoredEvents> {
  const match = matchEvents(recipients);
  const column = <Name extends keyof ReceivedEvent>(name: Name) => events.map((event) => event[name]);
  const { rows } = await sql<StoredEvents>`
    with input as materialized (
      select * from unnest(
        ${column("id")}::uuid[], ${column("projectId")}::uuid[], ${column("provider")}::text[], ${column("installationId")}::uuid[],
        ${column("accountRef")}::text[], ${column("objectKey")}::text[], ${column("recordId")}::text[],
        ${column("providerEventType")}::text[], ${column("occurredTime")}::timestamptz[],
        ${column("dedupeKey")}::bytea[], ${column("raw")}::text[],
        ${events.map(({ receivedTime }) => receivedTime ?? null)}::timestamptz[]
      ) with ordinality as event (id, project_id, provider, only_installation, account_ref, object_key, record_id,
        provider_event_type, occurred_time, dedupe_key, raw, push_time, position)
    ), target as materialized (
      select project_id, provider, account_ref, object_key, installation_id, object_name from subscriptions
      where (${match}) in (select distinct ${match} from input) and ${isRecipient(recipients)}
      order by id
      for no key update
    ), matched as materialized (
      select input.*, installation_id, object_name
      from input join target using (${match})
      where only_installation is null or only_installation = installation_id
    ), stored as (
      insert into subscription_events
        (id, installation_id, object_name, record_id, provider_event_type, occurred_time, dedupe_key, raw, received_time)
      select id, installation_id, object_name, record_id, provider_event_type, occurred_time, dedupe_key, raw,
        coalesce(push_time, now())
      from matched order by position
      on conflict (installation_id, dedupe_key) do nothing
      returning installation_id, object_name, received_time
    ), counted as (
      -- Without a join of both, whose plan would scan all events once for each.
      select installation_id, object_name, sum(arrived) as arrived, sum(new) as new,
        min(received_time) filter (where new = 1) as oldest_time from (
        select installation_id, object_name, 1 as arrived, 0 as new, coalesce(push_time, now()) as received_time from matched
        union all select installation_id, object_name, 0, 1, received_time from stored
      ) events group by 1, 2
    ), due as (
      update subscriptions set received = received + new, duplicates = duplicates + arrived - new,
        last_event_time = now(),
        due_time = case when new = 0 then due_time
          else least(due_time, oldest_time + ${windowMs} * interval '1 millisecond') end
      from counted where subscriptions.installation_id = counted.installation_id
        and subscriptions.object_name = counted.object_name
    )
    select (select count(*)::integer from stored) as stored,
      (select count(*)::integer from matched) - (select count(*)::integer from stored) as duplicates,
      -- "not in" would scan all matched rows once for each event.
      (select count(*)::integer from input
        where not exists (select from matched where matched.position = input.position)) as unmatched,
      ${buildWakeColumn("subscriptions", sql`exists (select from stored)`)}
  `.execute(queries);
  const { stored = 0, duplicates = 0, unmatched = 0 } = rows[0] ?? {};
  return { stored, duplicates, unmatched };
}

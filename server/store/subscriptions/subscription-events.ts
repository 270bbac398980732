/** Events of subscriptions: waiting ones, and the outcomes of the others. */
import { sql, type RawBuilder } from "kysely";
import { buildFirstId } from "../../../ground/ids.ts";
import type { DataQueries } from "../database/sides.ts";
import type { AttemptRecord, DeliveryState } from "../deliveries/deliveries.ts";
import { buildEventInserts, WAKES_DELIVERERS, type EventRow } from "../deliveries/events.ts";
import { limitToIdRange, type ProjectBound, type IdRange } from "../database/id-range.ts";
import { buildDatedFields } from "../integrations/installation-health.ts";
import type { SeenRow } from "../reads/seen-records.ts";
import { toStorableJson } from "../database/stored-json.ts";
import { isHeldBy, type SubscriptionClaim } from "./subscription-claim.ts";
import { OUTCOME, OUTCOME_JOINS, listStoredOutcomes, type Outcome } from "./subscription-outcomes.ts";
import { RECOVERED } from "./subscriptions.ts";
import { reconcileFrom } from "./subscription-scans.ts";
import { removeRows } from "../database/remove-rows.ts";

export interface WaitingEvent {
  id: string;
  recordId: string;
  occurredTime: Date;
  providerEventType: string;
  /** Type of a change that a scan found; null if the provider reported the event. */
  foundType: "create" | "update" | "delete" | null;
  raw: string;
}

interface OfObject {
  installationId: string;
  objectName: string;
}

/** Lists the oldest waiting events of an object, of records whose first waiting event arrived at least the window ago. */
export async function listReadyEvents(
  queries: DataQueries,
  { installationId, objectName }: OfObject,
  { windowMs, max }: { windowMs: number; max: number },
): Promise<WaitingEvent[]> {
  const { rows } = await sql<WaitingEvent>`
    select id, record_id, occurred_time, provider_event_type, found_type, raw from (
      select *, min(received_time) over (partition by record_id) as first_time from (
        select * from subscription_events
        where installation_id = ${installationId} and object_name = ${objectName} and outcome is null
        order by subscription_events.id limit ${max}
      ) oldest
    ) waiting
    where first_time <= now() - ${windowMs} * interval '1 millisecond'
    order by waiting.id
  `.execute(queries);
  return rows;
}

/** Maximum difference of clocks: ids are created when events are stored, by a clock that may be behind the provider's. */
const CLOCKS_DIFFER_MS = 5 * 60_000;
const MAX_DELIVERED = 2_000;

/** Lists the newest of the reported events of some records that were delivered and occurred in a period. */
export async function listDeliveredEvents(
  queries: DataQueries,
  {
    installationId,
    objectName,
    recordIds,
    from,
    until,
  }: OfObject & { recordIds: string[]; from: Date; until: Date },
): Promise<Pick<WaitingEvent, "id" | "occurredTime" | "raw">[]> {
  return queries
    .selectFrom("subscriptionEvents")
    .select(["id", "occurredTime", "raw"])
    .where("installationId", "=", installationId)
    .where("objectName", "=", objectName)
    .where("recordId", "=", sql<string>`any(${recordIds}::text[])`)
    .where("id", ">=", buildFirstId(from.getTime() - CLOCKS_DIFFER_MS))
    .where("occurredTime", ">=", from)
    .where("occurredTime", "<=", until)
    .where("outcome", "in", ["delivered", "coalesced"])
    .where("foundType", "is", null)
    .orderBy("id", "desc")
    .limit(MAX_DELIVERED)
    .execute();
}

/**
 * Stored outcome of a processed event. `delivered`: an entry of a message shows it; `coalesced`: another event's entry
 * represents it, too. The state of the message's delivery is not part of it (`subscription-outcomes.ts`).
 */
type EventOutcome = "delivered" | "coalesced" | "filtered" | "repeated" | "expired";

export interface EndedEvent {
  id: string;
  outcome: EventOutcome;
  reason: string | null;
  /** Id of the event in `messages` that reports it. */
  messageId: string | null;
  /** Fingerprint of the delivered record, or `GONE`. */
  deliveredHash: Buffer | null;
}

/** Stored instead of a fingerprint where the deletion of the record was delivered. */
export const GONE = Buffer.alloc(16);

export interface SubscriptionCommit extends SubscriptionClaim {
  installationId: string;
  /** Processed events, those of one record in the order in which the receiver gets them. */
  ended: EndedEvent[];
  /** Data messages, and events that report what happened. */
  messages: EventRow[];
  /** Records that the data messages contain. */
  seen: SeenRow[];
  /** Optional fields that the account does not have or refuses; undefined if no record was read. */
  missingFields?: string[] | undefined;
}

/**
 * Stores messages and the outcomes of events in one statement. Returns false, and changes nothing, if this worker no longer has
 * the claim.
 */
export async function commitSubscription(queries: DataQueries, commit: SubscriptionCommit): Promise<boolean> {
  const { installationId, ended, messages, seen, missingFields } = commit;
  const missing = missingFields && buildDatedFields(sql`missing_fields`, sql`${missingFields}::text[]`);
  const column = <Name extends keyof EndedEvent>(name: Name) => ended.map((event) => event[name]);
  const filtered = ended.filter(({ messageId }) => messageId === null).length;
  const reports = Map.groupBy(
    ended.flatMap(({ messageId }) => messageId ?? []),
    (messageId) => messageId,
  );
  const isMine = sql`exists (select from mine)`;
  const events = messages.map((message) => ({ ...message, data: toStorableJson(message.data) }));
  const { rows } = await sql<{ isMine: boolean }>`
    with mine as materialized (
      select id from subscriptions where ${isHeldBy(commit)} for no key update
    ), ended as (
      update subscription_events set outcome = one.outcome, reason = one.reason, message_id = one.message_id,
        -- Times differ, because the last event of a record tells which state the receiver has.
        delivered_hash = one.delivered_hash, end_time = now() + position * interval '1 microsecond'
      from unnest(${column("id")}::uuid[], ${column("outcome")}::text[], ${column("reason")}::text[],
        ${column("messageId")}::uuid[], ${column("deliveredHash")}::bytea[])
        with ordinality as one (id, outcome, reason, message_id, delivered_hash, position)
      where installation_id = ${installationId} and subscription_events.id = one.id and ${isMine}
    ), counted as (
      update subscriptions set filtered = filtered + ${filtered}, missing_fields = ${missing ?? sql`missing_fields`}, ${RECOVERED}
      where id in (select id from mine)
    ), undelivered as (
      insert into undelivered_changes (message_id, installation_id, object_name, events)
      select message_id, subscriptions.installation_id, subscriptions.object_name, events
      from unnest(${[...reports.keys()]}::uuid[], ${[...reports.values()].map(({ length }) => length)}::integer[])
        as one (message_id, events)
      join subscriptions on subscriptions.id in (select id from mine)
    ), remembered as (
      insert into seen_records (id, installation_id, object_name, is_message, entries)
      select one.id, subscriptions.installation_id, subscriptions.object_name, true, entries
      from unnest(${seen.map(({ id }) => id)}::uuid[], ${seen.map(({ entries }) => entries)}::bytea[]) as one (id, entries)
      join subscriptions on subscriptions.id in (select id from mine)
    ), ${buildEventInserts(events, isMine)}
    select ${isMine} as is_mine, ${WAKES_DELIVERERS}
  `.execute(queries);
  return rows[0]?.isMine ?? false;
}

const EXPIRED = "Events waited for so long that they were removed.";

/**
 * Removes up to `max` events that arrived before a time; returns their number. If some of them still waited, a reconciliation
 * is to find their changes.
 */
export const removeSubscriptionEventsBefore = (
  queries: DataQueries,
  before: Date,
  max: number,
): Promise<number> =>
  removeEvents(
    queries,
    sql`select installation_id, id from subscription_events where received_time < ${before}
      order by received_time limit ${max}`,
  );

/** Removes up to `max` events of one project like that, installation by installation. */
export const removeProjectSubscriptionEvents = (
  queries: DataQueries,
  { projectId, id }: ProjectBound,
  max: number,
): Promise<number> =>
  removeEvents(
    queries,
    sql`select old.installation_id, old.id from installations cross join lateral (
        select installation_id, id from subscription_events
        where installation_id = installations.id and id < ${id}
        order by installation_id, id limit ${max}
      ) as old
      where installations.project_id = ${projectId} limit ${max}`,
  );

async function removeEvents(queries: DataQueries, keys: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    with removed as (
      delete from subscription_events where (installation_id, id) in (${keys})
      returning installation_id, object_name, occurred_time, outcome
    ), lost as (
      select installation_id, object_name, min(occurred_time) as since from removed where outcome is null group by 1, 2
    ), requested as (
      update subscriptions set due_time = now(), ${reconcileFrom(sql`lost.since`, EXPIRED)}
      from lost where subscriptions.installation_id = lost.installation_id
        and subscriptions.object_name = lost.object_name and state <> 'disabled'
    )
    select count(*)::integer as removed from removed
  `.execute(queries);
  return rows[0]?.removed ?? 0;
}

/** Removes up to `max` marks of messages that were never accepted; returns their number. */
export const removeUndeliveredBefore = (
  queries: DataQueries,
  beforeId: string,
  max: number,
): Promise<number> =>
  removeRows(
    queries,
    "undelivered_changes",
    sql`message_id < ${beforeId} order by message_id`,
    max,
    "message_id",
  );

/** Removes the processed events of a record, except for the given ones. */
export async function eraseRecordEvents(
  queries: DataQueries,
  { installationId, recordId, except }: { installationId: string; recordId: string; except: string[] },
): Promise<void> {
  await sql`
    delete from subscription_events
    where installation_id = ${installationId} and record_id = ${recordId} and id <> all(${except}::uuid[])
      and outcome is not null
  `.execute(queries);
}

/** Event as lists show it. */
export interface SubscriptionEventRow {
  id: string;
  objectName: string;
  recordId: string;
  providerEventType: string;
  occurredTime: Date;
  receivedTime: Date;
  outcome: Outcome;
  reason: string | null;
  messageId: string | null;
  endTime: Date | null;
  /** Its entry says that the record is deleted. */
  wasGone: boolean;
  /** Delivery of the message; null if there is no message yet, or none any longer. */
  delivery: MessageDelivery | null;
}

/** State of a message's delivery. */
export interface MessageDelivery {
  destinationId: string;
  destinationName: string;
  state: DeliveryState;
  dueTime: string;
  /** Latest attempt. */
  attempt: AttemptRecord | null;
}

interface SubscriptionEventFilter {
  /** The forms of a record's id. */
  recordIds?: readonly string[] | undefined;
  objectName?: string | undefined;
  outcome?: Outcome | undefined;
}

/** Maximum number of events that one statement scans for outcomes that depend on deliveries. */
const MAX_SCANNED = 10_000;

/** Lists the outcomes of an installation's events, newest first. `continueBefore` is set if the scan ended at its limit. */
export async function listSubscriptionEvents(
  queries: DataQueries,
  filter: SubscriptionEventFilter & { projectId: string; installationId: string; range: IdRange },
): Promise<{ rows: SubscriptionEventRow[]; continueBefore?: string }> {
  const { recordIds, objectName, outcome, projectId, installationId, range } = filter;
  const conditions = [
    sql`installation_id = ${installationId}`,
    sql`exists (select from installations where id = ${installationId} and project_id = ${projectId})`,
    limitToIdRange("id", range),
    ...(recordIds === undefined ? [] : [sql`record_id = any(${recordIds}::text[])`]),
    ...(objectName === undefined ? [] : [sql`object_name = ${objectName}`]),
    ...(outcome === undefined ? [] : [isStoredAs(listStoredOutcomes(outcome))]),
  ];
  const scanned = sql`
    select * from subscription_events where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${outcome === undefined ? range.limit : MAX_SCANNED}`;
  const { rows } = await sql<SubscriptionEventRow>`
    select told.* from (
      select event.id, event.object_name, event.record_id, event.provider_event_type, event.occurred_time, event.received_time,
        ${OUTCOME} as outcome, event.reason, event.message_id, event.end_time,
        event.delivered_hash is not distinct from ${GONE} as was_gone, ${DELIVERY} as delivery
      from (${scanned}) as event ${OUTCOME_JOINS}
    ) as told ${outcome === undefined ? sql`` : sql`where outcome = ${outcome}`}
    order by id desc limit ${range.limit}
  `.execute(queries);
  if (outcome === undefined || rows.length >= range.limit) return { rows };
  const last = await sql<{ id: string }>`
    select id from (${scanned}) as scanned order by id desc offset ${MAX_SCANNED - 1}
  `.execute(queries);
  const continueBefore = last.rows[0]?.id;
  return { rows, ...(continueBefore !== undefined && { continueBefore }) };
}

const isStoredAs = (words: readonly string[] | null): RawBuilder<unknown> =>
  words === null ? sql`outcome is null` : sql`outcome = any(${[...words]}::text[])`;

const DELIVERY = sql`case when message.id is not null and destinations.id is not null then json_build_object(
  'destinationId', destinations.id, 'destinationName', destinations.name, 'state', coalesce(delivery.state, 'sending'),
  'dueTime', delivery.due_time, 'attempt', delivery.attempts -> -1) end`;

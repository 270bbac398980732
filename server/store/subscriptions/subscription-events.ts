/** Events of subscriptions: those that wait, and what became of the others. */
import { sql, type RawBuilder } from "kysely";
import { buildFirstId } from "../../../ground/ids.ts";
import { eraseAgentTraces } from "../agents/agent-changes.ts";
import type { Queries } from "../database/database.ts";
import type { DataQueries } from "../database/sides.ts";
import type { AttemptRecord, DeliveryState } from "../deliveries/deliveries.ts";
import { eventInserts, WAKES_DELIVERERS, type EventRow } from "../deliveries/events.ts";
import { inIdRange, type IdRange } from "../database/id-range.ts";
import { datedFields } from "../integrations/installation-health.ts";
import type { ProjectBound } from "../access/project-retention.ts";
import type { SeenRow } from "../reads/seen-records.ts";
import { storableJson } from "../database/stored-json.ts";
import { isHeldBy, type SubscriptionClaim } from "./subscription-claim.ts";
import { OUTCOME, OUTCOME_JOINS, storedWords, type Outcome } from "./subscription-outcomes.ts";
import { RECOVERED } from "./subscriptions.ts";
import { reconcileFrom } from "./subscription-scans.ts";

export interface WaitingEvent {
  id: string;
  recordId: string;
  occurredTime: Date;
  providerEventType: string;
  /** Found by reading; null: the provider reported it. */
  foundType: "create" | "update" | "delete" | null;
  raw: string;
}

interface OfObject {
  installationId: string;
  objectName: string;
}

/** Lists the oldest waiting events of an object whose record's first one arrived at least the window ago. */
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

/** Ids are made when events are stored, by clocks that may be behind that of the provider. */
const CLOCKS_DIFFER_MS = 5 * 60_000;
const MAX_DELIVERED = 2_000;

/** Lists reported events of some records that were delivered and occurred within a time, the newest ones only. */
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
 * What is stored of an event that was processed. `delivered`: an entry of a message shows it; `coalesced`: that entry stands for it
 * too. How the message fared is reported by its delivery (`subscription-outcomes.ts`).
 */
export type EventOutcome = "delivered" | "coalesced" | "filtered" | "repeated" | "expired";

export interface EndedEvent {
  id: string;
  outcome: EventOutcome;
  reason: string | null;
  /** The event of `messages` that reports it. */
  messageId: string | null;
  /** Fingerprint of the delivered record. */
  deliveredHash: Buffer | null;
}

export interface SubscriptionCommit extends SubscriptionClaim {
  installationId: string;
  /** Those of one record in the order in which the receiver gets them. */
  ended: EndedEvent[];
  /** Data messages, and other events that report what happened. */
  messages: EventRow[];
  /** Which records the data messages contain. */
  seen: SeenRow[];
  /** Fields that the account does not have, or refuses, and nobody requires; undefined: no record was read. */
  missingFields?: string[] | undefined;
}

/**
 * Stores messages and what became of events in one statement. Returns false, and changes nothing, if this worker no longer
 * has the claim.
 */
export async function commitSubscription(queries: DataQueries, commit: SubscriptionCommit): Promise<boolean> {
  const { installationId, ended, messages, seen, missingFields } = commit;
  const missing = missingFields && datedFields(sql`missing_fields`, sql`${missingFields}::text[]`);
  const column = <Name extends keyof EndedEvent>(name: Name) => ended.map((event) => event[name]);
  const filtered = ended.filter(({ messageId }) => messageId === null).length;
  const reports = Map.groupBy(
    ended.flatMap(({ messageId }) => messageId ?? []),
    (messageId) => messageId,
  );
  const isMine = sql`exists (select from mine)`;
  const events = messages.map((message) => ({ ...message, data: storableJson(message.data) }));
  const { rows } = await sql<{ isMine: boolean }>`
    with mine as materialized (
      select id from subscriptions where ${isHeldBy(commit)} for no key update
    ), ended as (
      update subscription_events set outcome = one.outcome, reason = one.reason, message_id = one.message_id,
        -- Times differ, because the last one of a record tells what the receiver has.
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
    ), ${eventInserts(events, isMine)}
    select ${isMine} as is_mine, ${WAKES_DELIVERERS}
  `.execute(queries);
  return rows[0]?.isMine ?? false;
}

const EXPIRED = "Events waited for so long that they were removed.";

/**
 * Removes events that arrived before a time, at most so many; returns how many it removed. If some of them still waited, their
 * changes are to be found by reading.
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

/** Does the same for one project; looks at each of its installations. */
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
export async function removeUndeliveredBefore(
  queries: DataQueries,
  beforeId: string,
  max: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from undelivered_changes where message_id in (
      select message_id from undelivered_changes where message_id < ${beforeId} order by message_id limit ${max})
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

/** Removes everything that is kept of a record, except for the events given. */
export async function eraseRecord(
  queries: Queries,
  { installationId, recordId, except }: { installationId: string; recordId: string; except: string[] },
): Promise<void> {
  await sql`
    delete from subscription_events
    where installation_id = ${installationId} and record_id = ${recordId} and id <> all(${except}::uuid[])
      and outcome is not null
  `.execute(queries);
  await eraseAgentTraces(queries, { installationId, recordId });
}

/** A line about an event. */
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
  /** Of the message; null: it has none yet, or none any more. */
  delivery: MessageDelivery | null;
}

/** How the delivery of a message stands. */
export interface MessageDelivery {
  destinationId: string;
  destinationName: string;
  state: DeliveryState;
  dueTime: string;
  /** The latest one. */
  attempt: AttemptRecord | null;
}

export interface SubscriptionEventFilter {
  recordId?: string | undefined;
  objectName?: string | undefined;
  outcome?: Outcome | undefined;
}

/** Events that one statement looks at for outcomes that depend on deliveries. */
const MAX_SCANNED = 10_000;

/** Lists what became of the events of an installation, newest first. `continueBefore`: enough events were scanned. */
export async function listSubscriptionEvents(
  queries: DataQueries,
  filter: SubscriptionEventFilter & { projectId: string; installationId: string; range: IdRange },
): Promise<{ rows: SubscriptionEventRow[]; continueBefore?: string }> {
  const { recordId, objectName, outcome, projectId, installationId, range } = filter;
  const conditions = [
    sql`installation_id = ${installationId}`,
    sql`exists (select from installations where id = ${installationId} and project_id = ${projectId})`,
    inIdRange("id", range),
    ...(recordId === undefined ? [] : [sql`record_id = ${recordId}`]),
    ...(objectName === undefined ? [] : [sql`object_name = ${objectName}`]),
    ...(outcome === undefined ? [] : [isStoredAs(storedWords(outcome))]),
  ];
  const scanned = sql`
    select * from subscription_events where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${outcome === undefined ? range.limit : MAX_SCANNED}`;
  const { rows } = await sql<SubscriptionEventRow>`
    select told.* from (
      select event.id, event.object_name, event.record_id, event.provider_event_type, event.occurred_time, event.received_time,
        ${OUTCOME} as outcome, event.reason, event.message_id, event.end_time, ${DELIVERY} as delivery
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

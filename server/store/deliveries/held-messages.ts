/**
 * Held messages: data messages that are delivered on request. A message is in one of these states:
 *
 *     held      stored as an event that no queue names, with a row in `held_messages`
 *     released  its row is gone and the event is queued for routing, like other data messages
 *     dropped   not requested in time: row and event are removed, and the operation's log has a warning
 *
 * A request adds pages to the credit of installation and object. Whenever there are credit and held messages, the oldest
 * messages are released, one for each page. Messages may be committed beside a request that does not see them yet, so
 * `releaseHeld` is called after each commit, and by a sweep after crashes.
 */
import { sql } from "kysely";
import { isHere } from "../database/own-customers.ts";
import type { DataQueries } from "../database/sides.ts";
import { WAKES_DELIVERERS } from "./events.ts";

/** Object of an installation whose messages are held. */
interface HeldObject {
  installationId: string;
  /** Name of the object at the provider, as the manifest spells it. */
  objectName: string;
}

const MAX_CREDIT = 1_000_000_000;

/** Adds pages to the credit of an object and releases that many messages, the oldest first. */
export async function deliverHeld(queries: DataQueries, object: HeldObject, pages: number): Promise<void> {
  if (pages <= 0) return;
  const { installationId, objectName } = object;
  await sql`
    insert into held_credits as credit (installation_id, object_name, pages)
    values (${installationId}, ${objectName}, ${Math.min(pages, MAX_CREDIT)})
    on conflict (installation_id, object_name) do update
      set pages = least(${MAX_CREDIT}::bigint, credit.pages::bigint + excluded.pages)::integer
  `.execute(queries);
  await releaseHeld(queries, object);
}

/** Maximum number of messages that one statement releases. */
const MAX_RELEASED = 500;

/** Releases as many held messages as the credit allows. */
export async function releaseHeld(queries: DataQueries, object: HeldObject): Promise<void> {
  while ((await releaseSome(queries, object)) === MAX_RELEASED);
}

const releaseSome = (queries: DataQueries, { installationId, objectName }: HeldObject): Promise<number> =>
  queries.transaction().execute(async (transaction) => {
    // A statement of its own: the next one sees what was committed while this one waited for the lock.
    const { rows } = await sql<{ pages: number }>`
      select pages from held_credits
      where installation_id = ${installationId} and object_name = ${objectName} and pages > 0 for update
    `.execute(transaction);
    const max = Math.min(MAX_RELEASED, rows[0]?.pages ?? 0);
    if (max === 0) return 0;
    const released = await sql<{ count: number }>`
      with released as (
        delete from held_messages where seq in (
          select seq from held_messages
          where installation_id = ${installationId} and object_name = ${objectName}
          order by seq limit ${max}
        )
        returning event_id, destination_id, size_bytes
      ), inserted_events as (
        insert into unrouted_events (event_id, destination_id, size_bytes) select * from released returning event_id
      ), used as (
        update held_credits set pages = pages - (select count(*)::integer from released)
        where installation_id = ${installationId} and object_name = ${objectName}
      )
      select (select count(*)::integer from released) as count, ${WAKES_DELIVERERS}
    `.execute(transaction);
    return released.rows[0]?.count ?? 0;
  });

/**
 * Lists up to `max` objects with both credit and held messages: after a crash, their messages were not released. Two shards have the
 * messages of a customer who moves, and only one may release them.
 */
export async function listReleasable(queries: DataQueries, max: number): Promise<HeldObject[]> {
  const { rows } = await sql<HeldObject>`
    select installation_id, object_name from held_credits
    where pages > 0 and ${isHere(sql`installation_id`)} and exists (
      select from held_messages
      where held_messages.installation_id = held_credits.installation_id
        and held_messages.object_name = held_credits.object_name
    )
    limit ${max}
  `.execute(queries);
  return rows;
}

/** Counts the held messages of an object, up to `max`. */
export async function countHeld(
  queries: DataQueries,
  { installationId, objectName }: HeldObject,
  max: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from held_messages
      where installation_id = ${installationId} and object_name = ${objectName} limit ${max}
    ) as held
  `.execute(queries);
  return rows[0]?.count ?? 0;
}

/** Drops up to `max` messages held since before a time, with a warning in the logs of their operations; returns their number. */
export async function dropHeldBefore(queries: DataQueries, before: Date, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with oldest as (
      select seq, event_id, operation_id, create_time from held_messages order by seq limit ${max} for update skip locked
    ), old as (
      delete from held_messages using oldest
      where held_messages.seq = oldest.seq and oldest.create_time < ${before}
      returning oldest.event_id, oldest.operation_id
    ), removed as (
      delete from events using old where events.id = old.event_id
    ), warned as (
      update operations set log = log || jsonb_build_array(jsonb_build_object(
        'time', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'severity', 'WARNING',
        'msg', dropped.count || ' held messages were dropped, because delivery was not requested in time'))
      from (select operation_id, count(*) from old group by operation_id) as dropped
      where operations.id = dropped.operation_id
    )
    select count(*)::integer as count from old
  `.execute(queries);
  return rows[0]?.count ?? 0;
}

/** Removes events and deliveries that are too old or have no destination, in short statements. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Removes up to `most` deliveries whose events are older than `beforeId`, or whose destination was deleted; returns their
 * number. Hops from destination to destination along the primary key instead of reading the table.
 */
export async function removeOldDeliveries(queries: Queries, beforeId: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with recursive hops as (
      (select destination_id from deliveries order by destination_id limit 1)
      union all
      select (
        select destination_id from deliveries
        where destination_id > hops.destination_id order by destination_id limit 1
      ) from hops where hops.destination_id is not null
    ), old as (
      select found.* from (
        select hops.destination_id,
          case when destinations.id is null then ${LAST_ID}::uuid else ${beforeId}::uuid end as before_id
        from hops left join destinations on destinations.id = hops.destination_id
        where hops.destination_id is not null
      ) as owner
      cross join lateral (
        select destination_id, event_id from deliveries
        where destination_id = owner.destination_id and event_id < owner.before_id
        order by event_id limit ${most} for update skip locked
      ) as found
      limit ${most}
    )
    delete from deliveries using old
    where deliveries.destination_id = old.destination_id and deliveries.event_id = old.event_id
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Removes up to `most` data messages older than `beforeId` that were delivered, or whose destination was deleted, with
 * their deliveries; returns their number. Reads the data messages alone, by an index.
 */
export async function removeDeliveredData(queries: Queries, beforeId: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with old as (
      select events.id, events.destination_id from events
      where events.destination_id is not null and events.id < ${beforeId}
        and (
          exists (
            select from deliveries
            where deliveries.destination_id = events.destination_id and deliveries.event_id = events.id
              and state = 'delivered'
          )
          or not exists (select from destinations where destinations.id = events.destination_id)
        )
      order by events.id limit ${most} for update skip locked
    ), removed as (
      delete from deliveries using old
      where deliveries.destination_id = old.destination_id and deliveries.event_id = old.id
    )
    delete from events using old where events.id = old.id
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

/** Removes up to `most` events older than `beforeId`; returns their number. */
export async function removeOldEvents(queries: Queries, beforeId: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from events where id in (
      select id from events where id < ${beforeId} order by id limit ${most} for update skip locked
    )
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

/** Removes up to `most` notes about events that went nowhere, older than `beforeId`; hops from project to project. */
export async function removeOldNowhere(queries: Queries, beforeId: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with recursive hops as (
      (select project_id from events_nowhere order by project_id limit 1)
      union all
      select (
        select project_id from events_nowhere where project_id > hops.project_id order by project_id limit 1
      ) from hops where hops.project_id is not null
    ), old as (
      select found.* from hops cross join lateral (
        select project_id, event_id from events_nowhere
        where project_id = hops.project_id and event_id < ${beforeId}
        order by event_id limit ${most} for update skip locked
      ) as found
      limit ${most}
    )
    delete from events_nowhere using old
    where events_nowhere.project_id = old.project_id and events_nowhere.event_id = old.event_id
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

/** Removes the send times of projects that have sent nothing for a day; returns their number, which is never large. */
export async function removeOldPaces(queries: Queries): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_paces where next_time < now() - interval '1 day'
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

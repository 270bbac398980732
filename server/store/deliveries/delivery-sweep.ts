/** Removes events and deliveries that are too old or have no destination, in short statements. */
import { sql } from "kysely";
import { FIRST_ID, LAST_ID } from "../../../ground/ids.ts";
import type { ControlQueries, DataQueries } from "../database/sides.ts";
import type { ProjectBound } from "../database/id-range.ts";
import { countAffectedRows } from "../database/database.ts";

/**
 * Removes up to `max` deliveries whose events are older than `beforeId`, or whose destination was deleted; returns their
 * number. Skips from destination to destination along the primary key instead of reading the table.
 */
export async function removeOldDeliveries(
  queries: DataQueries,
  beforeId: string,
  max: number,
): Promise<number> {
  const result = await sql`
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
        order by event_id limit ${max} for update skip locked
      ) as found
      limit ${max}
    )
    delete from deliveries using old
    where deliveries.destination_id = old.destination_id and deliveries.event_id = old.event_id
  `.execute(queries);
  return countAffectedRows(result);
}

/**
 * Removes up to `max` data messages that were delivered, or whose destination was deleted, with their deliveries; returns their
 * number. Removes messages older than `beforeId`, or older than the limit of their project. Skips from destination to
 * destination; rows are compared as wholes, because only the index by destination has their order.
 */
export async function removeDeliveredData(
  queries: DataQueries,
  bounds: DataBounds,
  max: number,
): Promise<number> {
  const result = await buildDeliveredDataRemoval(bounds, max).execute(queries);
  return countAffectedRows(result);
}

interface DataBounds {
  beforeId: string;
  own: Pick<ProjectBound, "projectId" | "id">[];
}

export const buildDeliveredDataRemoval = ({ beforeId, own }: DataBounds, max: number) => sql`
    with recursive hops as (
      (select destination_id from events where destination_id is not null order by destination_id limit 1)
      union all
      select (
        select destination_id from events
        where destination_id > hops.destination_id order by destination_id limit 1
      ) from hops where hops.destination_id is not null
    ), owner as (
      select hops.destination_id, destinations.id is null as is_deleted,
        greatest(${beforeId}::uuid, own.before_id) as before_id
      from hops
      left join destinations on destinations.id = hops.destination_id
      left join unnest(${own.map(({ projectId }) => projectId)}::uuid[], ${own.map(({ id }) => id)}::uuid[])
        as own (project_id, before_id) on own.project_id = destinations.project_id
      where hops.destination_id is not null
    ), old as (
      select found.* from owner cross join lateral (
        select events.id, events.destination_id from events
        where events.destination_id is not null
          and (events.destination_id, events.id) >= (owner.destination_id, ${FIRST_ID}::uuid)
          and (events.destination_id, events.id) < (owner.destination_id, owner.before_id)
          and (
            owner.is_deleted or exists (
              select from deliveries
              where deliveries.destination_id = events.destination_id and deliveries.event_id = events.id
                and state = 'delivered'
            )
          )
        order by events.destination_id, events.id limit ${max} for update skip locked
      ) as found
      limit ${max}
    ), removed as (
      delete from deliveries using old
      where deliveries.destination_id = old.destination_id and deliveries.event_id = old.id
    ), forgotten as (
      delete from seen_records using old where seen_records.id = old.id
    )
    delete from events using old where events.id = old.id
  `;

/** Removes up to `max` events older than `beforeId`; returns their number. */
export async function removeOldEvents(queries: DataQueries, beforeId: string, max: number): Promise<number> {
  const result = await sql`
    delete from events where id in (
      select id from events where id < ${beforeId} order by id limit ${max} for update skip locked
    )
  `.execute(queries);
  return countAffectedRows(result);
}

/** Removes up to `max` notes about events without a destination, older than `beforeId`; skips from project to project. */
export async function removeOldNowhere(queries: DataQueries, beforeId: string, max: number): Promise<number> {
  const result = await sql`
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
        order by event_id limit ${max} for update skip locked
      ) as found
      limit ${max}
    )
    delete from events_nowhere using old
    where events_nowhere.project_id = old.project_id and events_nowhere.event_id = old.event_id
  `.execute(queries);
  return countAffectedRows(result);
}

/** Removes up to `max` old deliveries of one project; returns their number. Data messages go with their delivery. */
export async function removeProjectDeliveries(
  queries: DataQueries,
  { projectId, id }: ProjectBound,
  max: number,
): Promise<number> {
  const result = await sql`
    with old as (
      select found.* from destinations cross join lateral (
        select destination_id, event_id from deliveries
        where destination_id = destinations.id and event_id < ${id}
        order by event_id limit ${max} for update skip locked
      ) as found
      where destinations.project_id = ${projectId} limit ${max}
    ), messages as (
      delete from events using old where events.id = old.event_id and events.destination_id = old.destination_id
    ), forgotten as (
      delete from seen_records using old where seen_records.id = old.event_id
    )
    delete from deliveries using old
    where deliveries.destination_id = old.destination_id and deliveries.event_id = old.event_id
  `.execute(queries);
  return countAffectedRows(result);
}

/**
 * Removes up to `max` old events of one project, except data messages; returns their number. Skips from type to type, and
 * compares rows as wholes, because only the index of the list has their order.
 */
export async function removeProjectEvents(
  queries: DataQueries,
  bound: ProjectBound,
  max: number,
): Promise<number> {
  const result = await buildOldEventsRemoval(bound, max).execute(queries);
  return countAffectedRows(result);
}

export const buildOldEventsRemoval = ({ projectId, id }: ProjectBound, max: number) => sql`
    with recursive hops as (
      (select type from events where project_id = ${projectId} and destination_id is null order by type limit 1)
      union all
      select (
        select type from events
        where project_id = ${projectId} and destination_id is null and type > hops.type order by type limit 1
      ) from hops where hops.type is not null
    ), old as (
      select found.id from hops cross join lateral (
        select id from events
        where (project_id, type, id) >= (${projectId}::uuid, hops.type, ${FIRST_ID}::uuid)
          and (project_id, type, id) < (${projectId}::uuid, hops.type, ${id}::uuid)
          and destination_id is null
        order by project_id, type, id limit ${max} for update skip locked
      ) as found
      where hops.type is not null limit ${max}
    )
    delete from events where id in (select id from old)
  `;

/** Removes up to `max` old notes of one project about events without a destination; returns their number. */
export async function removeProjectNowhere(
  queries: DataQueries,
  { projectId, id }: ProjectBound,
  max: number,
): Promise<number> {
  const result = await sql`
    delete from events_nowhere where project_id = ${projectId} and event_id in (
      select event_id from events_nowhere where project_id = ${projectId} and event_id < ${id}
      order by event_id limit ${max})
  `.execute(queries);
  return countAffectedRows(result);
}

/** Removes the send times of projects that have sent nothing for a day; returns their number, which is always small. */
export async function removeOldPaces(queries: ControlQueries): Promise<number> {
  const result = await sql`
    delete from webhook_paces where next_time < now() - interval '1 day'
  `.execute(queries);
  return countAffectedRows(result);
}

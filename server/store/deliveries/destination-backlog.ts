/** Counts the backlog of a destination: reads slow down while a destination falls behind. */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";

interface DestinationBacklog {
  /** Messages and events that are being sent or can be sent now. */
  open: number;
  /** Failed messages and events that wait for their next attempt. */
  retries: number;
  /** Time since it began to fail; null if it works. */
  failingMs: number | null;
}

/**
 * Counts the messages and events that are not delivered to a destination yet: data messages that are not routed, and deliveries
 * of any type. Counts up to `max` of each kind, but the retries of a failing destination up to `max.open` only. Held messages do
 * not count. Costs a few index lookups, and at most `max` index entries for each.
 */
export async function countBacklog(
  queries: DataQueries,
  destinationId: string,
  max: { open: number; retries: number },
): Promise<DestinationBacklog> {
  const { rows } = await sql<DestinationBacklog>`/* prepare count-backlog */
    select (select count(*)::integer from (
      (select 1 from unrouted_events where destination_id = ${destinationId} limit ${max.open})
      union all
      (select 1 from deliveries where destination_id = ${destinationId} and state = 'waiting' and due_time <= now()
        limit ${max.open})
      union all
      (select 1 from deliveries where destination_id = ${destinationId} and state = 'sending' limit ${max.open})
      union all
      (select 1 from first_deliveries where destination_id = ${destinationId} limit ${max.open})
      limit ${max.open}
    ) as open) as open,
    (select count(*)::integer from (
      select 1 from deliveries where destination_id = ${destinationId} and state = 'waiting' and due_time > now()
      limit case when exists (select from destinations where id = ${destinationId} and failing_since is null)
        then ${max.retries}::integer else ${max.open}::integer end
    ) as later) as retries,
    (select extract(epoch from now() - failing_since)::float8 * 1000 from destinations where id = ${destinationId}) as failing_ms
  `.execute(queries);
  return rows[0] ?? { open: 0, retries: 0, failingMs: null };
}

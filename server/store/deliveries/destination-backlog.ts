/** Counts what waits for a destination: reading slows down while a destination falls behind. */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";

export interface DestinationBacklog {
  /** Messages and events that are sent, or can be sent now. */
  open: number;
  /** Those that failed and wait for the time of their next attempt. */
  retries: number;
  /** For how long it has failed; null if it works. */
  failingMs: number | null;
}

/**
 * Counts the messages and events that are not delivered to a destination yet, up to `max` of each kind, but of a destination that
 * fails not more than `most.open`: data messages that are not routed, and deliveries of any type. Held messages do not count. Costs
 * a few index lookups, and at most `max` index entries for each.
 */
export async function countBacklog(
  queries: DataQueries,
  destinationId: string,
  max: { open: number; retries: number },
): Promise<DestinationBacklog> {
  const { rows } = await sql<DestinationBacklog>`
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

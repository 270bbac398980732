/** Counts what waits for a destination: reading slows down while a destination falls behind. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

/**
 * Counts the messages and events that are not delivered to a destination yet, up to `most`: data messages that are not
 * routed, and deliveries of any type that are sent or wait for an attempt. Held messages do not count. Costs a few index
 * lookups, and at most `most` index entries.
 */
export async function countWaitingFor(
  queries: Queries,
  destinationId: string,
  most: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      (select 1 from unrouted_events where destination_id = ${destinationId} limit ${most})
      union all
      (select 1 from deliveries where destination_id = ${destinationId} and state = 'waiting' limit ${most})
      union all
      (select 1 from deliveries where destination_id = ${destinationId} and state = 'sending' limit ${most})
      union all
      (select 1 from first_deliveries where destination_id = ${destinationId} limit ${most})
      limit ${most}
    ) as open
  `.execute(queries);
  return rows[0]?.count ?? 0;
}

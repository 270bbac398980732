/** Remembers until when pushes were accepted, to notice an outage that was longer than providers repeat their requests. */
import { sql } from "kysely";
import type { Queries } from "../database/database.ts";
import { reconcileFrom } from "./subscription-scans.ts";

const REASON = "Pushes were not accepted for longer than the provider repeats them.";

/**
 * Notes that pushes are accepted now. If they were not for longer than `longestMs`, requests a reconciliation of every pushed
 * subscription. Returns how many it requested.
 */
export async function notePushesAccepted(queries: Queries, longestMs: number): Promise<number> {
  const { rows } = await sql<{ requested: number }>`
    with last as materialized (select alive_time from push_watch),
    noted as (
      insert into push_watch (alive_time) values (now()) on conflict (id) do update set alive_time = excluded.alive_time
    ), requested as (
      update subscriptions set due_time = now(), ${reconcileFrom(sql`greatest(alive_time, create_time)`, REASON)}
      from last
      where alive_time < now() - ${longestMs} * interval '1 millisecond'
        and source = 'webhook' and state in ('active', 'degraded')
      returning 1
    )
    select count(*)::integer as requested from requested
  `.execute(queries);
  return rows[0]?.requested ?? 0;
}

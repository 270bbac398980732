/** The last failed attempt of destinations that fail, and the time of the next one. */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";

export interface LastFailure {
  /** Undefined if none is kept: of a test, or of what was removed since. */
  attempt: { time: string; status?: number; error?: string } | undefined;
  /** Undefined while nothing waits. */
  nextAttemptTime: Date | undefined;
}

/** Number of deliveries of each kind in which the last attempt is searched. Their attempts have up to 16 KiB of the answer each. */
const MAX_SCANNED = 20;

/** Returns what is known of these destinations by id. The last attempt is searched among the newest deliveries, and those that are due next. */
export async function readLastFailures(
  queries: DataQueries,
  ids: string[],
): Promise<Map<string, LastFailure>> {
  if (ids.length === 0) return new Map();
  const open = (state: "waiting" | "failed", order: "event_id desc" | "due_time") => sql`(
    select attempts -> -1 as attempt from deliveries where destination_id = id and state = ${sql.lit(state)} and failures > 0
    order by ${sql.raw(order)} limit ${MAX_SCANNED})`;
  const { rows } = await sql<{
    id: string;
    attempt: LastFailure["attempt"] | null;
    nextAttemptTime: Date | null;
  }>`
    select id, last.attempt, next.due_time as next_attempt_time
    from unnest(${ids}::uuid[]) as asked (id)
    left join lateral (
      select attempt - array['answer', 'sent'] as attempt from (
        ${open("waiting", "event_id desc")} union all ${open("waiting", "due_time")} union all ${open("failed", "event_id desc")}
      ) as few where attempt is not null order by (attempt ->> 'time')::timestamptz desc limit 1
    ) as last on true
    left join lateral (
      select due_time from deliveries where destination_id = id and state = 'waiting' order by due_time limit 1
    ) as next on true
  `.execute(queries);
  return new Map(
    rows.map(({ id, attempt, nextAttemptTime }) => [
      id,
      { attempt: attempt ?? undefined, nextAttemptTime: nextAttemptTime ?? undefined },
    ]),
  );
}

/** The last failed attempt of destinations that fail, and the time of the next one. */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";

export interface LastFailure {
  /** Undefined if none is kept: of a test, or of what was removed since. */
  attempt: { time: string; status?: number; error?: string } | undefined;
  /** Undefined while nothing waits. */
  nextAttemptTime: Date | undefined;
}

/** Failed attempts of what is not delivered, latest first: in the words of their index, which has nothing that waits untried. */
const FAILED = sql`state in ('waiting', 'failed') and failures > 0`;
const ATTEMPT_TIME = sql`(attempts -> -1 ->> 'time')`;

/** Returns what is known of these destinations by id. */
export async function readLastFailures(
  queries: DataQueries,
  ids: string[],
): Promise<Map<string, LastFailure>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{
    id: string;
    attempt: LastFailure["attempt"] | null;
    nextAttemptTime: Date | null;
  }>`
    select id, last.attempt - array['answer', 'sent'] as attempt, next.due_time as next_attempt_time
    from unnest(${ids}::uuid[]) as asked (id)
    left join lateral (
      select attempts -> -1 as attempt from deliveries where destination_id = id and ${FAILED}
      order by ${ATTEMPT_TIME} desc limit 1
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

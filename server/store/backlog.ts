/** How much waits in the database, for those who watch. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

export interface Backlog {
  writes: number;
  deliveries: number;
  closedGates: number;
}

/** Counting stops here: whoever watches needs to know that there are too many, not how many. */
const MOST_COUNTED = 100_000;

export async function readBacklog(queries: Queries): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select
      (select count(*)::int from (select 1 from writes limit ${MOST_COUNTED}) as w) as writes,
      (select count(*)::int from (
        (select 1 from deliveries where state = 'waiting' limit ${MOST_COUNTED})
        union all (select 1 from deliveries where state = 'sending' limit ${MOST_COUNTED})
        union all (select 1 from first_deliveries limit ${MOST_COUNTED})) as d) as deliveries,
      (select count(*)::int
        from (select 1 from connection_gates where closed_until > now() limit ${MOST_COUNTED}) as g) as closed_gates
  `.execute(queries);
  const [backlog] = rows;
  if (!backlog) throw new Error("a select without from has one row");
  return backlog;
}

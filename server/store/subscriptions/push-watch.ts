/** Records until when pushes were accepted, to detect an outage longer than providers repeat their requests. */
import { sql } from "kysely";
import { countAffectedRows, type Database } from "../database/database.ts";
import type { DataQueries } from "../database/sides.ts";
import { reconcileFrom } from "./subscription-scans.ts";

const REASON = "Pushes were not accepted for longer than the provider repeats them.";

/**
 * Records that pushes are accepted now. After an outage longer than `longestMs`, requests a reconciliation of every pushed
 * subscription. Returns the number of requests. They come first: after a crash in between they are repeated.
 */
export async function notePushesAccepted(
  { control, shards }: Pick<Database, "control"> & { shards: readonly Pick<Database, "data">[] },
  longestMs: number,
): Promise<number> {
  const lost = await control
    .selectFrom("pushWatch")
    .select("aliveTime")
    .where("aliveTime", "<", sql<Date>`now() - ${longestMs} * interval '1 millisecond'`)
    .executeTakeFirst();
  let requested = 0;
  // All or none: those that are asked for again every minute would read the accounts as often.
  if (lost && shards.length > 1) for (const { data } of shards) await sql`select 1`.execute(data);
  if (lost) for (const { data } of shards) requested += await reconcilePushed(data, lost.aliveTime);
  await sql`
    insert into push_watch (alive_time) values (now()) on conflict (id) do update set alive_time = excluded.alive_time
  `.execute(control);
  return requested;
}

async function reconcilePushed(queries: DataQueries, since: Date): Promise<number> {
  const result = await sql`
    update subscriptions set due_time = now(), ${reconcileFrom(sql`greatest(${since}::timestamptz, create_time)`, REASON)}
    where source = 'webhook' and state in ('active', 'degraded')
  `.execute(queries);
  return countAffectedRows(result);
}

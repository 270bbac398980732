/** Remembers until when pushes were accepted, to notice an outage that was longer than providers repeat their requests. */
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import type { DataQueries } from "../database/sides.ts";
import { reconcileFrom } from "./subscription-scans.ts";

const REASON = "Pushes were not accepted for longer than the provider repeats them.";

/**
 * Notes that pushes are accepted now. If they were not for longer than `longestMs`, requests a reconciliation of every pushed
 * subscription. Returns how many it requested. The requests come first: after a crash in between they are made again.
 */
export async function notePushesAccepted(
  { control, data }: Pick<Database, "control" | "data">,
  longestMs: number,
): Promise<number> {
  const lost = await control
    .selectFrom("pushWatch")
    .select("aliveTime")
    .where("aliveTime", "<", sql<Date>`now() - ${longestMs} * interval '1 millisecond'`)
    .executeTakeFirst();
  const requested = lost ? await reconcilePushed(data, lost.aliveTime) : 0;
  await sql`
    insert into push_watch (alive_time) values (now()) on conflict (id) do update set alive_time = excluded.alive_time
  `.execute(control);
  return requested;
}

async function reconcilePushed(queries: DataQueries, since: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update subscriptions set due_time = now(), ${reconcileFrom(sql`greatest(${since}::timestamptz, create_time)`, REASON)}
    where source = 'webhook' and state in ('active', 'degraded')
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

/** Last uses of API keys and sessions. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";

/** Sets the last use of these keys to now; keys that were deleted meanwhile are skipped. */
export async function noteKeyUses(queries: ControlQueries, apiKeyIds: string[]): Promise<void> {
  await sql`
    insert into api_key_uses (api_key_id, last_used_time)
    select id, now() from api_keys where id = any(${apiKeyIds}::uuid[])
    on conflict (api_key_id) do update set last_used_time = excluded.last_used_time`.execute(queries);
}

export async function noteSessionUses(queries: ControlQueries, sessionIds: string[]): Promise<void> {
  await queries
    .updateTable("sessions")
    .set({ lastUsedTime: sql`now()` })
    .where("id", "in", sessionIds)
    .execute();
}

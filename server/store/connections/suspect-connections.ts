/** Suspect connections: the provider refused their credentials, and has accepted none of their calls since. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";

/** Refusal of the credentials with this generation (see `credentialGeneration`). */
interface Suspicion {
  generation: string;
  since: Date;
}

/** Inserts a refusal. The first one of each generation of credentials stays. */
export async function insertSuspect(
  queries: ControlQueries,
  { connectionId, generation, since }: Suspicion & { connectionId: string },
): Promise<void> {
  await sql`
    insert into connection_doubts (connection_id, mark, since)
    select id, ${generation}, ${since} from connections where id = ${connectionId}
    on conflict (connection_id) do update set mark = excluded.mark, since = excluded.since
      where connection_doubts.mark <> excluded.mark
  `.execute(queries);
}

export async function removeSuspect(queries: ControlQueries, connectionId: string): Promise<void> {
  await queries.deleteFrom("connectionDoubts").where("connectionId", "=", connectionId).execute();
}

export const findSuspect = (queries: ControlQueries, connectionId: string): Promise<Suspicion | undefined> =>
  queries
    .selectFrom("connectionDoubts")
    .select(["mark as generation", "since"])
    .where("connectionId", "=", connectionId)
    .executeTakeFirst();

/** Lists the ids of at most `max` suspect connections, newest first. */
export const listSuspects = async (queries: ControlQueries, max: number): Promise<string[]> => {
  const rows = await queries
    .selectFrom("connectionDoubts")
    .select("connectionId")
    .orderBy("since", "desc")
    .limit(max)
    .execute();
  return rows.map(({ connectionId }) => connectionId);
};

/** Connections whose provider has refused their credentials and has let nothing in since, as all processes know them. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

/** Notes a refusal. Of the same credentials the first one stands. */
export async function insertDoubt(
  queries: Queries,
  doubt: { connectionId: string; mark: string; since: Date },
): Promise<void> {
  await sql`
    insert into connection_doubts (connection_id, mark, since)
    select id, ${doubt.mark}, ${doubt.since} from connections where id = ${doubt.connectionId}
    on conflict (connection_id) do update set mark = excluded.mark, since = excluded.since
      where connection_doubts.mark <> excluded.mark
  `.execute(queries);
}

export async function removeDoubt(queries: Queries, connectionId: string): Promise<void> {
  await queries.deleteFrom("connectionDoubts").where("connectionId", "=", connectionId).execute();
}

export const findDoubt = (
  queries: Queries,
  connectionId: string,
): Promise<{ mark: string; since: Date } | undefined> =>
  queries
    .selectFrom("connectionDoubts")
    .select(["mark", "since"])
    .where("connectionId", "=", connectionId)
    .executeTakeFirst();

/** Ids of at most so many connections in doubt, the newest doubts first. */
export const listDoubted = async (queries: Queries, most: number): Promise<string[]> => {
  const rows = await queries
    .selectFrom("connectionDoubts")
    .select("connectionId")
    .orderBy("since", "desc")
    .limit(most)
    .execute();
  return rows.map(({ connectionId }) => connectionId);
};

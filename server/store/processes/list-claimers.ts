/** Lists the processes that have claimed rows of a table. */
import type { Queries } from "../database/database.ts";

/** Lists the processes by reading all claimed rows: for tables of which a process claims few at a time. */
export async function readClaimers(
  queries: Queries,
  table: "readRuns" | "subscriptions" | "eventStreams" | "approvals",
): Promise<number[]> {
  const rows = await queries
    .selectFrom(table)
    .select("claimedBy")
    .distinct()
    .where("claimedBy", "is not", null)
    .$narrowType<{ claimedBy: number }>()
    .execute();
  return rows.map(({ claimedBy }) => claimedBy);
}

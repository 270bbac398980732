/** Runs a statement that must find one project's old rows among many rows of other projects. */
import { sql, type RawBuilder } from "kysely";
import { countAffectedRows, type Queries } from "./database.ts";

/**
 * Runs statements for which the planner counts rows, not pages. Otherwise it prefers the primary key, whose rows are in the
 * order of time, to the index by project. If the project has no old rows, the statement then reads all old rows of the other
 * projects.
 */
export const runPlannedByRows = <Result>(
  queries: Queries,
  run: (queries: Queries) => Promise<Result>,
): Promise<Result> =>
  queries.transaction().execute(async (transaction) => {
    await sql`select set_config('random_page_cost', '0', true), set_config('seq_page_cost', '0', true)`.execute(
      transaction,
    );
    return run(transaction);
  });

/** Removes the rows of a table whose ids a statement selects; returns their number. */
export const removePlannedByRows = (
  queries: Queries,
  table: "operations" | "consents" | "refused_requests",
  oldIds: RawBuilder<unknown>,
): Promise<number> =>
  runPlannedByRows(queries, async (planned) => {
    const result = await sql`
      delete from ${sql.table(table)} where id in (${oldIds})
    `.execute(planned);
    return countAffectedRows(result);
  });

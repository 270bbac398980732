/** Removes old rows of a table, in batches. */
import { sql, type RawBuilder } from "kysely";
import { countAffectedRows, type Queries } from "./database.ts";

/** Removes up to `max` rows, found by what follows `where`, and returns their number. `key` is a column that no two rows share. */
export async function removeRows(
  queries: Queries,
  table: string,
  where: RawBuilder<unknown>,
  max: number,
  key = "id",
): Promise<number> {
  const [rows, column] = [sql.table(table), sql.ref(key)];
  const result = await sql`
    delete from ${rows} where ${column} in (select ${column} from ${rows} where ${where} limit ${max})
  `.execute(queries);
  return countAffectedRows(result);
}

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

/** Removes rows of one project as `removeRows` does. */
export const removePlannedByRows = (
  queries: Queries,
  table: string,
  where: RawBuilder<unknown>,
  max: number,
): Promise<number> => runPlannedByRows(queries, (planned) => removeRows(planned, table, where, max));

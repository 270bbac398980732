/** Notifies the processes that listen (`changes.ts`) of changes that no trigger reports. */
import { sql, type RawBuilder } from "kysely";

/** Returns a call for a statement. When the statement is committed, it notifies that rows of the table have changed. */
export const notifyChange = (table: string): RawBuilder<string> =>
  sql<string>`pg_notify('busbar_changes', ${sql.lit(JSON.stringify({ table, id: "" }))})::text`;

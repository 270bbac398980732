/** Grants a role what a serving Busbar needs: present and future rows and sequences, but not the schema. */
import { sql, type RawBuilder } from "kysely";
import { StartError } from "../../../ground/errors.ts";
import type { ControlQueries, DataQueries } from "../database/sides.ts";

/** Throws `StartError` for a role that does not exist. `variable` names the database in it. */
export async function grantServing(
  queries: ControlQueries | DataQueries,
  role: string,
  variable = "DATABASE_URL",
): Promise<void> {
  const { rows } = await sql`select 1 from pg_roles where rolname = ${role}`.execute(queries);
  if (rows.length === 0)
    throw new StartError(`there is no role ${role} on the server of ${variable}: create it first`);
  const to = sql.id(role);
  const rights: RawBuilder<unknown>[] = [
    sql`grant usage on schema public to ${to}`,
    sql`grant select, insert, update, delete on all tables in schema public to ${to}`,
    sql`revoke insert, update, delete on migrations from ${to}`,
    sql`grant usage, select on all sequences in schema public to ${to}`,
    sql`grant execute on function add_history_range(text, timestamptz, timestamptz), drop_history_range(text, text) to ${to}`,
    sql`alter default privileges in schema public grant select, insert, update, delete on tables to ${to}`,
    sql`alter default privileges in schema public grant usage, select on sequences to ${to}`,
  ];
  for (const right of rights) await right.execute(queries);
}

/** `busbar migrate [--grant ROLE]`: migrates the database and grants a serving role the rights on rows, not on the schema. */
import { grantServing } from "../store/maintenance/grant-serving.ts";
import type { Config } from "../../ground/config.ts";
import type { Log } from "../../ground/log.ts";
import { withDatabase } from "./command-database.ts";

export async function runMigrateCommand(
  deps: { config: Config; log: Log },
  grant: string | undefined,
): Promise<string> {
  // Opening migrates.
  return withDatabase(deps, async ({ queries }) => {
    if (grant === undefined) return "The database is migrated.";
    await grantServing(queries, grant);
    return `The database is migrated; ${grant} may read and write its rows.`;
  });
}

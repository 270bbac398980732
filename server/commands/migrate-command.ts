/** `busbar migrate [--grant ROLE]`: migrates the database and grants a serving role the rights on rows, not on the schema. */
import { grantServing } from "../store/maintenance/grant-serving.ts";
import { renewReplication } from "../store/maintenance/renew-replication.ts";
import type { Config } from "../../ground/config.ts";
import type { Log } from "../../ground/log.ts";
import { withDatabase } from "./command-database.ts";

export async function runMigrateCommand(
  deps: { config: Config; log: Log },
  grant: string | undefined,
): Promise<string> {
  // Opening migrates.
  return withDatabase(deps, async ({ control, data, connectionString, dataUrl }) => {
    const isOne = dataUrl === undefined;
    const { replicationUrl } = deps.config;
    const isRenewed = !isOne && (await renewReplication({ connectionString, dataUrl, replicationUrl }));
    const migrated = isOne
      ? "The database is migrated"
      : `Both databases are migrated${isRenewed ? ", and the copies are made again" : ""}`;
    if (grant === undefined) return `${migrated}.`;
    await grantServing(control, grant, "DATABASE_URL");
    if (!isOne) await grantServing(data, grant, "BUSBAR_DATA_DATABASE_URL");
    return `${migrated}; ${grant} may read and write ${isOne ? "its" : "their"} rows.`;
  });
}

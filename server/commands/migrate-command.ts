/** `busbar migrate [--grant ROLE]`: migrates the database and grants a serving role the rights on rows, not on the schema. */
import { grantServing } from "../store/maintenance/grant-serving.ts";
import { renewReplication } from "../store/maintenance/renew-replication.ts";
import { readEncryptionKeys } from "../data-folder/encryption-keys.ts";
import type { Database } from "../store/database/database.ts";
import { openShard } from "../store/shards/open-shard.ts";
import { listShards, OPEN_STATES, openShardUrls } from "../store/shards/shard-registry.ts";
import { StartError } from "../../ground/errors.ts";
import { Sealer } from "../../ground/seal.ts";
import type { Config } from "../../ground/config.ts";
import type { Log } from "../../ground/log.ts";
import { withDatabase } from "./command-database.ts";

export async function runMigrateCommand(
  deps: { config: Config; log: Log },
  grant: string | undefined,
): Promise<string> {
  // Opening migrates.
  return withDatabase(deps, async (database) => {
    const { control, data, connectionString, dataUrl } = database;
    const isOne = dataUrl === undefined;
    const { replicationUrl } = deps.config;
    const isRenewed = !isOne && (await renewReplication({ connectionString, dataUrl, replicationUrl }));
    const migrated = isOne
      ? "The database is migrated"
      : `Both databases are migrated${isRenewed ? ", and the copies are made again" : ""}`;
    if (grant !== undefined) {
      await grantServing(control, grant, "DATABASE_URL");
      if (!isOne) await grantServing(data, grant, "BUSBAR_DATA_DATABASE_URL");
    }
    const shards = await migrateShards(deps, database, grant);
    const done = [migrated, ...shards.map((name) => `so is the shard ${name}`)].join(", ");
    if (grant === undefined) return `${done}.`;
    return `${done}; ${grant} may read and write ${isOne && shards.length === 0 ? "its" : "their"} rows.`;
  });
}

/** Migrates the shards in use, which a serving role may not, and grants it the rights. Returns their names. Throws `StartError`. */
async function migrateShards(
  { config, log }: { config: Config; log: Log },
  database: Database,
  grant: string | undefined,
): Promise<string[]> {
  const shards = (await listShards(database.control)).filter(({ state }) => OPEN_STATES.includes(state));
  if (shards.length === 0) return [];
  const readUrl = openShardUrls(new Sealer(await readEncryptionKeys(config)));
  const faults: string[] = [];
  for (const shard of shards) {
    const { name, slot } = shard;
    const url = readUrl(shard);
    if (url === undefined) {
      faults.push(`${name}: the key that encrypted its address is missing in BUSBAR_ENCRYPTION_KEYS`);
      continue;
    }
    const opened = await openShard(database, { name, url, slot, log, poolSize: 1 });
    if (opened.trouble) faults.push(`${name}: ${opened.trouble.reason}`);
    else if (grant !== undefined) await grantServing(opened.data, grant, `the shard ${name}`);
  }
  if (faults.length > 0)
    throw new StartError(
      `all but these shards are migrated${grant === undefined ? "" : ", with the rights"}: ${faults.join("; ")}. Run the same command again when that is mended`,
    );
  return shards.map(({ name }) => name);
}

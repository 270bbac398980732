/** Opens the database of a shard beside the main one. */
import type { Log } from "../../../ground/log.ts";
import type { Database } from "../database/database.ts";
import { SHARD_SETTING } from "../database/own-customers.ts";
import { openPool } from "../database/pool.ts";
import { migrateSide } from "../database/prepare-database.ts";
import { openCopies } from "../sides/copies.ts";

/** Migrates and opens the database of a shard, which has the copies of the shared tables. Throws `StartError` when it cannot be used. */
export async function openShard(
  main: Database,
  { name, url, log, poolSize }: { name: string; url: string; log: Log; poolSize: number },
): Promise<Database> {
  await migrateSide("data", url, log);
  const settings = { [SHARD_SETTING]: name };
  const open = (applicationName: string, size: number) =>
    openPool({ connectionString: url, applicationName, log, size, settings });
  const asking = open("busbar copies", 1);
  const { queries, pool } = open("busbar", poolSize);
  const shard: Database = {
    ...main,
    shard: name,
    data: queries,
    dataUrl: url,
    dataPool: pool,
    // Kysely has not used the pool that asks, and would leave its connection open.
    close: async () => void (await Promise.all([queries.destroy(), asking.pool.end()])),
  };
  main.addShard(shard, openCopies(asking.pool));
  return shard;
}

/** Opens the database of a shard beside the main one, also while it is away. */
import { StartError } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import type { Database } from "../database/database.ts";
import { SHARD_SETTING } from "../database/own-customers.ts";
import { openPool } from "../database/pool.ts";
import { migrateSide, openClient, openDataClient } from "../database/prepare-database.ts";
import { listTables } from "../database/sides.ts";
import { openCopies } from "../sides/copies.ts";
import { awaitStandbys, publish, readSubscribedSlot, subscribeToMore } from "../sides/replicate-shared.ts";
import { openShardDoor } from "./shard-door.ts";

/**
 * Opens the database of a shard, which is one of `main` from now on. While it cannot be used, its statements are refused at once, with
 * the reason as `trouble`; it is tried again until it is closed.
 */
export async function openShard(
  main: Database,
  { name, url, slot, log, poolSize }: { name: string; url: string; slot: string; log: Log; poolSize: number },
): Promise<Database> {
  const { connectionString } = main;
  const door = await openShardDoor({
    name,
    log,
    check: () => prepareShard({ connectionString, url, slot, log }),
  });
  const settings = { [SHARD_SETTING]: name };
  const open = (applicationName: string, size: number) =>
    openPool({ connectionString: url, applicationName, log, size, settings, door });
  const asking = open("busbar copies", 1);
  const { queries, pool } = open("busbar", poolSize);
  const copies = openCopies({
    async query(text, values) {
      door.pass();
      return asking.pool.query(text, values);
    },
  });
  const shard: Database = {
    ...main,
    shard: name,
    get trouble() {
      return door.trouble;
    },
    data: queries,
    dataUrl: url,
    dataPool: pool,
    async close() {
      await door.close();
      // Kysely has not used the pool that asks, and would leave its connection open.
      await Promise.all([queries.destroy(), asking.pool.end()]);
    },
  };
  main.addShard(shard, copies);
  return shard;
}

/** Throws `StartError` for a database that is not the shard. Migrates it to this version, with the copies of tables that are new. */
async function prepareShard({
  connectionString,
  url,
  slot,
  log,
}: {
  connectionString: string;
  url: string;
  slot: string;
  log: Log;
}): Promise<void> {
  const data = await openDataClient(url).catch((cause: unknown) => {
    if (!(cause instanceof StartError)) throw cause;
    throw new StartError(cause.message.replace("the database of BUSBAR_DATA_DATABASE_URL", "it"), { cause });
  });
  try {
    if ((await readSubscribedSlot(data)) !== slot) throw new StartError(NOT_THIS);
    await awaitStandbys(data);
    await migrateSide("data", url, log);
    await subscribeToMore(data, listTables("shared"), async (tables) => {
      const control = await openClient(connectionString);
      await publish(control, { tables }).finally(() => control.end());
    });
  } finally {
    await data.end();
  }
}

const NOT_THIS =
  "it has no copies of this control database, as after a restore of either: take the shard away (busbar shards remove NAME), or name the right database";

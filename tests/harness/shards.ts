/** Shards beside the main one, for tests: empty databases that become shards of a control database that is in use. */
import { createLog } from "../../ground/log.ts";
import type { Database } from "../../server/store/database/database.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { Sealer } from "../../ground/seal.ts";
import { addShard } from "../../server/commands/shards/add-shard.ts";
import type { ShardServices } from "../../server/commands/shards/shard-commands.ts";
import { openClient } from "../../server/store/database/prepare-database.ts";
import { openShard } from "../../server/store/shards/open-shard.ts";
import { pairShard, unpairShard, type ShardPair } from "../../server/store/shards/pair-shard.ts";
import { listShards, placeShardUrl } from "../../server/store/shards/shard-registry.ts";
import { nameSlot } from "../../server/store/sides/pair-databases.ts";
import { createEmptyDatabase, createTestDatabase, type Scope } from "./database.ts";
import { asReplicator } from "./empty-pair.ts";

export const log = createLog("silent");

interface ShardScene {
  connectionString: string;
  pairs: ShardPair[];
}

/** Creates a control database and an empty database for each name, which the test can pair. */
export async function createShardScene(scope: Scope, names: string[]): Promise<ShardScene> {
  const scene: ShardScene = { connectionString: "", pairs: [] };
  // Callbacks run in the order in which they are added, and a database with a slot cannot be dropped.
  scope.after(async () => {
    for (const pair of scene.pairs) await unpairShard(pair);
  });
  const { connectionString, drop } = await createTestDatabase({ isDivided: false });
  scope.after(drop);
  scene.connectionString = connectionString;
  for (const name of names) {
    const url = await createEmptyDatabase(scope);
    const replicationUrl = asReplicator(connectionString);
    scene.pairs.push({ connectionString, replicationUrl, name, url, slot: nameSlot() });
  }
  return scene;
}

const sealer = new Sealer([{ id: "test", secret: Buffer.alloc(32, 7) }]);

/** Returns what the commands about shards work with; the address for replication is that of the role which replicates. */
export const shardServices = (database: Database): ShardServices => ({
  database,
  sealer,
  replicationUrl: asReplicator(database.connectionString),
  poolSize: 5,
  log,
  progress: () => {},
  readUrl: ({ id, urlSealed }) => sealer.open(urlSealed, placeShardUrl(id)),
});

/** Returns what makes databases shards of a Busbar at its first start. */
export function addOnce(connectionString: string, urls: Record<string, string>) {
  return {
    async add(main: Database) {
      const registered = await listShards(main.control);
      const isNew = (name: string) => registered.every((shard) => shard.name !== name);
      for (const [name, url] of Object.entries(urls).filter(([name]) => isNew(name)))
        // Nobody is placed there but by the test.
        await addShard(shardServices(main), { name, url, weight: 0 });
    },
    /** Ends replication, without which neither database can be dropped. */
    async unpair() {
      const control = await openClient(connectionString);
      const { rows } = await control.query<{ name: string; slot: string }>("select name, slot from shards");
      await control.end();
      for (const { name, slot } of rows) {
        const url = urls[name];
        if (url !== undefined) await unpairShard({ connectionString, name, url, slot });
      }
    },
  };
}

/** Opens a database with shards beside the main one. `fill` runs before they are added. */
export async function testShards(
  scope: Scope,
  names: string[],
  fill: (main: Database) => Promise<unknown> = async () => {},
): Promise<Database> {
  let main: Database | undefined;
  scope.after(async () => void (await main?.close()));
  const { connectionString, pairs } = await createShardScene(scope, names);
  main = await openDatabase({ connectionString, log, poolSize: 5 });
  await fill(main);
  for (const pair of pairs) {
    await pairShard(pair, log);
    await openShard(main, { ...pair, log, poolSize: 5 });
  }
  return main;
}

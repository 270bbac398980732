/** Shards beside the main one, for tests: empty databases that become shards of a control database that is in use. */
import { createLog } from "../../ground/log.ts";
import type { Database } from "../../server/store/database/database.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { openShard } from "../../server/store/shards/open-shard.ts";
import { pairShard, unpairShard, type ShardPair } from "../../server/store/shards/pair-shard.ts";
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

/** Returns what opens shards of a Busbar, and makes them shards at the first start. */
export function pairOnce(connectionString: string, urls: Record<string, string>) {
  const pairs = Object.entries(urls).map(([name, url]): ShardPair => ({
    connectionString,
    replicationUrl: asReplicator(connectionString),
    name,
    url,
    slot: nameSlot(),
  }));
  return {
    async open(main: Database) {
      for (const pair of pairs) {
        await pairShard(pair, log);
        await openShard(main, { ...pair, log, poolSize: 10 });
      }
    },
    async unpair() {
      for (const pair of pairs) await unpairShard(pair);
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

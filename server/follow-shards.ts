/** Keeps the shards that a process has open in line with the registry, at the start and when it changes. */
import type { Config } from "../ground/config.ts";
import type { Log } from "../ground/log.ts";
import type { Sealer } from "../ground/seal.ts";
import type { ShardSet } from "./shard-services.ts";
import type { Changes } from "./store/database/changes.ts";
import type { Database } from "./store/database/database.ts";
import { openShard } from "./store/shards/open-shard.ts";
import { listShards, OPEN_STATES, placeShardUrl } from "./store/shards/shard-registry.ts";

interface FollowServices {
  config: Pick<Config, "databaseConnections">;
  database: Database;
  changes: Changes;
  sealer: Sealer;
  shards: ShardSet<unknown>;
  log: Log;
}

interface OpenedShard {
  url: string;
  database: Database;
}

/** Resolves when the shards of this moment are open, also those whose databases are away. */
export async function followShards(deps: FollowServices, closers: (() => Promise<unknown>)[]): Promise<void> {
  const opened = new Map<string, OpenedShard>();
  let isEnded = false;
  let last: Promise<void> = Promise.resolve();
  const follow = (): Promise<void> =>
    (last = last
      .catch(() => {})
      .then(async () => {
        if (!isEnded) await followOnce(deps, opened);
      }));
  deps.changes.subscribe((change) => {
    // A change of the registry that was missed is found when the connection is back, which calls this, too.
    if (change && change.table !== "shards") return;
    follow().catch((err: unknown) => deps.log.warn({ err }, "the registry of shards cannot be read"));
  });
  closers.push(() => {
    isEnded = true;
    return last.catch(() => {});
  });
  await follow();
}

async function followOnce(deps: FollowServices, opened: Map<string, OpenedShard>): Promise<void> {
  const registered = await listShards(deps.database.control);
  const wanted = new Map(
    registered
      .filter(({ state }) => OPEN_STATES.includes(state))
      .map((shard) => [
        shard.name,
        { ...shard, url: deps.sealer.open(shard.urlSealed, placeShardUrl(shard.id)) },
      ]),
  );
  for (const [name, { url, database }] of opened) {
    if (wanted.get(name)?.url === url) continue;
    opened.delete(name);
    await deps.shards.remove(database);
    deps.log.info({ shard: name }, "a shard is not used any more");
  }
  const poolSize = deps.config.databaseConnections;
  const missing = [...wanted.values()].filter(({ name }) => !opened.has(name));
  await Promise.all(
    missing.map(async ({ name, url, slot }) => {
      const database = await openShard(deps.database, { name, url, slot, log: deps.log, poolSize });
      opened.set(name, { url, database });
      await deps.shards.add(database);
      deps.log.info({ shard: name }, "a shard is in use");
    }),
  );
}

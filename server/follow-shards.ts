/** Keeps the shards that a process has open in line with the registry, at the start and when it changes. */
import type { Config } from "../ground/config.ts";
import type { Log } from "../ground/log.ts";
import type { Sealer } from "../ground/seal.ts";
import type { ShardSet } from "./shard-services.ts";
import type { Changes } from "./store/database/changes.ts";
import type { Database } from "./store/database/database.ts";
import { openShard } from "./store/shards/open-shard.ts";
import {
  listShards,
  OPEN_STATES,
  openShardUrls,
  type RegisteredShard,
} from "./store/shards/shard-registry.ts";

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

/** After this time, a shard whose services could not begin is tried again. */
const AGAIN_MS = 1_000;

/** Resolves when the shards of this moment are open, also those whose databases are away. */
export async function followShards(deps: FollowServices, closers: (() => Promise<unknown>)[]): Promise<void> {
  const opened = new Map<string, OpenedShard>();
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  const follow = (): Promise<void> =>
    (last = last
      .catch(() => {})
      .then(async () => {
        if (isEnded) return;
        const isComplete = await followOnce(deps, opened);
        clearTimeout(timer);
        if (!isComplete && !isEnded) timer = setTimeout(followLater, AGAIN_MS).unref();
      }));
  const followLater = (): void =>
    void follow().catch((err: unknown) => deps.log.warn({ err }, "the registry of shards cannot be read"));
  deps.changes.subscribe((change) => {
    // A change of the registry that was missed is found when the connection is back, which calls this, too.
    if (!change || change.table === "shards") followLater();
  });
  closers.push(() => {
    isEnded = true;
    clearTimeout(timer);
    return last.catch(() => {});
  });
  await follow();
}

/** Returns whether all shards are open whose address is known. */
async function followOnce(deps: FollowServices, opened: Map<string, OpenedShard>): Promise<boolean> {
  const wanted = listWanted(deps, await listShards(deps.database.control));
  for (const [name, { url, database }] of opened) {
    if (wanted.get(name)?.url === url) continue;
    opened.delete(name);
    await deps.shards.remove(database);
    deps.log.info({ shard: name }, "a shard is not used any more");
  }
  const missing = [...wanted.values()].filter(({ name }) => !opened.has(name));
  const isOpen = await Promise.all(missing.map((shard) => open(deps, opened, shard)));
  return isOpen.every(Boolean);
}

/** Returns the shards to open by name. One whose key is missing is left out: its customers are refused, the others are served. */
function listWanted(
  { sealer, log }: Pick<FollowServices, "sealer" | "log">,
  registered: RegisteredShard[],
): Map<string, WantedShard> {
  const readUrl = openShardUrls(sealer);
  const wanted = new Map<string, WantedShard>();
  for (const shard of registered.filter(({ state }) => OPEN_STATES.includes(state))) {
    const url = readUrl(shard);
    if (url !== undefined) wanted.set(shard.name, { name: shard.name, slot: shard.slot, url });
    else
      log.error(
        { shard: shard.name },
        "the key that encrypted the address of a shard is missing in BUSBAR_ENCRYPTION_KEYS: its customers are refused",
      );
  }
  return wanted;
}

interface WantedShard {
  name: string;
  slot: string;
  url: string;
}

/** Returns false if the services of the shard could not begin. */
async function open(
  deps: FollowServices,
  opened: Map<string, OpenedShard>,
  { name, url, slot }: WantedShard,
): Promise<boolean> {
  const poolSize = deps.config.databaseConnections;
  const database = await openShard(deps.database, { name, url, slot, log: deps.log, poolSize });
  try {
    await deps.shards.add(database);
  } catch (err) {
    deps.log.error({ err, shard: name }, "the work for a shard could not begin; it is tried again");
    await deps.database.removeShard(database);
    return false;
  }
  opened.set(name, { url, database });
  deps.log.info({ shard: name }, "a shard is in use");
  return true;
}

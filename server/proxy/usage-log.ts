/** Collects one line per proxied call in memory and stores them in batches, off the path of the calls. */
import type { Log } from "../../ground/log.ts";
import { storeInBatches, type Batches } from "../jobs/stored-in-batches.ts";
import type { Database } from "../store/database/database.ts";
import { getShard } from "../store/shards/each-shard.ts";
import { insertProxyUsage, type ProxyUse } from "../store/operations/proxy-usage.ts";

export type UsageLog = Batches<ProxyUse>;

const BATCH = 2_000;
/** About 20 MB when full. */
const MAX_WAITING = 50_000;
/** A second each: copies are late for longer only while replication stands still. */
const MAX_PASSES = 30;
/** Longer paths are cut off. */
const MAX_PATH_LENGTH = 1_024;

/** Opens the usage log. Each shard has buffers of its own, so that none waits for one that is away. */
export function openUsageLog({ database, log }: { database: Pick<Database, "shards">; log: Log }): UsageLog {
  const logs = new Map<string, Batches<ProxyUse>>();
  const open = (shard: string | null, isPassedOn: boolean) =>
    storeInBatches<ProxyUse>({
      what: "usage lines",
      log,
      batch: BATCH,
      maxWaiting: MAX_WAITING,
      insert: async (uses) => {
        for (const use of uses)
          if (use.path.length > MAX_PATH_LENGTH) use.path = use.path.slice(0, MAX_PATH_LENGTH);
        // The customer has moved since the call began.
        for (const use of await insertProxyUsage(getShard(database, shard).data, uses, { isPassedOn }))
          add(use);
      },
    });
  let isClosing = false;
  const add = (use: ProxyUse): void => {
    const { shard = null, passes = 0 } = use;
    // After a move, two shards name each other while the copy in one of them is late: a line is stored in the one that is sure.
    const isPassedOn = passes >= MAX_PASSES || (isClosing && passes > 0);
    const key = `${shard} ${isPassedOn}`;
    const known = logs.get(key) ?? open(shard, isPassedOn);
    logs.set(key, known);
    known.add(use);
  };
  const closeAll = () => Promise.all([...logs.values()].map((one) => one.close()));
  return {
    add,
    get dropped() {
      return [...logs.values()].reduce((sum, { dropped }) => sum + dropped, 0);
    },
    async close() {
      isClosing = true;
      await closeAll();
      // Lines that one of them has passed on to another.
      await closeAll();
    },
  };
}

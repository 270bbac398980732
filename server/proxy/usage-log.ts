/** Collects one line per proxied call in memory and stores them in batches, off the path of the calls. */
import type { Log } from "../../ground/log.ts";
import { storeInBatches, type Batches } from "../jobs/stored-in-batches.ts";
import type { Database } from "../store/database/database.ts";
import { insertProxyUsage, type ProxyUse } from "../store/operations/proxy-usage.ts";

export type UsageLog = Batches<ProxyUse>;

const BATCH = 2_000;
/** About 20 MB when full. */
const MAX_WAITING = 50_000;
/** Longer paths are cut off. */
const MAX_PATH_LENGTH = 1_024;

export function openUsageLog({ database, log }: { database: Database; log: Log }): UsageLog {
  return storeInBatches<ProxyUse>({
    what: "usage lines",
    log,
    batch: BATCH,
    maxWaiting: MAX_WAITING,
    insert: (uses) => {
      for (const use of uses)
        if (use.path.length > MAX_PATH_LENGTH) use.path = use.path.slice(0, MAX_PATH_LENGTH);
      return insertProxyUsage(database.data, uses);
    },
  });
}

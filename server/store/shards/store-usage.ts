/** Stores lines of calls in the shard of their customer, also if it has moved since they began. */
import { insertProxyUsage, type ProxyUse } from "../operations/proxy-usage.ts";
import type { Database } from "../database/database.ts";
import { getShard } from "./each-shard.ts";

/** `database` is the shard in which the calls began. */
export async function storeUsage(
  database: Pick<Database, "data" | "shards">,
  uses: ProxyUse[],
): Promise<void> {
  for (const use of await insertProxyUsage(database.data, uses))
    await insertProxyUsage(getShard(database, use.shard).data, [use]);
}

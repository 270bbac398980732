/** Stores lines of calls in the shard of their customer, also if it has moved since they began. */
import { insertProxyUsage, type ProxyUse } from "../operations/proxy-usage.ts";
import { MAIN_SHARD, type Database } from "../database/database.ts";

/** `database` is the shard in which the calls began. It has the lines also of customers in one that this process does not know yet. */
export async function storeUsage(
  database: Pick<Database, "data" | "shards">,
  uses: ProxyUse[],
): Promise<void> {
  for (const use of await insertProxyUsage(database.data, uses)) {
    const known = database.shards.find(({ shard }) => shard === (use.shard ?? MAIN_SHARD));
    await insertProxyUsage((known ?? database).data, [use], { isPassedOn: true });
  }
}

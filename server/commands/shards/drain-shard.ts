/** Lets a shard get no new customers. It serves those it has. */
import { StartError } from "../../../ground/errors.ts";
import { drainShard, listShards } from "../../store/shards/shard-registry.ts";
import { MAIN_SHARD } from "../../store/database/database.ts";
import type { ShardServices } from "./shard-commands.ts";

/** May be repeated. Throws `StartError` for a shard that is not in use. */
export async function drain({ database }: Pick<ShardServices, "database">, name: string): Promise<void> {
  if (name === MAIN_SHARD)
    throw new StartError(
      `the shard ${MAIN_SHARD} gets no new customers with BUSBAR_MAIN_WEIGHT=0, while another shard is active`,
    );
  if (await drainShard(database.control, name)) return;
  const shard = (await listShards(database.control)).find((one) => one.name === name);
  throw new StartError(
    shard
      ? `the shard ${name} is ${shard.state}: it gets no customers`
      : `there is no shard ${name}: busbar shards list shows all`,
  );
}

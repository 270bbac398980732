/** Lists all shards with what an operator wants to know of each. Connects to none. */
import { countCustomers, listShards } from "../../store/shards/shard-registry.ts";
import { describeAddress } from "../../../ground/database-addresses.ts";
import { MAIN, type ShardServices } from "./shard-commands.ts";

export type ListedShard = {
  name: string;
  state: string;
  /** Since when it has been in this state; null for the main one. */
  since: string | null;
  weight: number;
  customers: number;
  /** Host, port and database. */
  address: string;
  /** What the state waits for, or why it failed. */
  detail: string | null;
};

/** The main shard comes first. */
export async function listAllShards(
  deps: Pick<ShardServices, "database" | "readUrl">,
): Promise<ListedShard[]> {
  const { control, connectionString, dataUrl } = deps.database;
  const customers = await countCustomers(control);
  const main: ListedShard = {
    name: MAIN,
    state: "active",
    since: null,
    weight: 1,
    customers: customers.get(null) ?? 0,
    address: describeAddress(dataUrl ?? connectionString),
    detail: null,
  };
  const others = (await listShards(control)).map((shard): ListedShard => {
    const { name, state, stateTime, weight, detail } = shard;
    const url = deps.readUrl(shard);
    return {
      name,
      state,
      since: stateTime.toISOString(),
      weight,
      customers: customers.get(name) ?? 0,
      address: url === undefined ? "(its encryption key is missing)" : describeAddress(url),
      detail,
    };
  });
  return [main, ...others];
}

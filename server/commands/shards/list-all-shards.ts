/** Lists all shards with what an operator wants to know of each. Connects to none. */
import { listMoves, type CustomerMove } from "../../store/moves/customer-moves.ts";
import { countCustomers, listShards } from "../../store/shards/shard-registry.ts";
import { describeAddress } from "../../../ground/database-addresses.ts";
import { MAIN_SHARD } from "../../store/database/database.ts";
import type { ShardServices } from "./shard-commands.ts";

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
  /** Customers that are being moved from it. */
  moves: ListedMove[];
};

export type ListedMove = {
  groupRef: string;
  projectId: string;
  to: string;
  /** `copying`: it is served as before; `closing`: its requests are refused; `switched`: it is served by the other shard. */
  state: string;
  step: string | null;
  since: string;
  /** False: it was broken off, and the command is to be repeated. */
  isRunning: boolean;
};

/** The main shard comes first. */
export async function listAllShards(
  deps: Pick<ShardServices, "database" | "readUrl">,
): Promise<ListedShard[]> {
  const { control, connectionString, dataUrl, mainWeight } = deps.database;
  const moves = await listMoves(control);
  const findMoves = (name: string | null) =>
    moves.filter(({ fromShard }) => fromShard === name).map(describeMove);
  const customers = await countCustomers(control);
  const main: ListedShard = {
    name: MAIN_SHARD,
    state: "active",
    since: null,
    weight: mainWeight,
    customers: customers.get(null) ?? 0,
    address: describeAddress(dataUrl ?? connectionString),
    detail: null,
    moves: findMoves(null),
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
      moves: findMoves(name),
    };
  });
  return [main, ...others];
}

const describeMove = (move: CustomerMove): ListedMove => ({
  groupRef: move.groupRef,
  projectId: move.projectId,
  to: move.toShard ?? MAIN_SHARD,
  state: move.state,
  step: move.detail,
  since: move.startTime.toISOString(),
  isRunning: move.isRunning,
});

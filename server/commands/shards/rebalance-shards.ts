/** Moves customers until the numbers of the shards fit their weights. Those of shards that get no customers all leave. */
import { StartError } from "../../../ground/errors.ts";
import { listGroupsOfShard, listMoves, type PlacedGroup } from "../../store/moves/customer-moves.ts";
import { moveCustomer, type MovedTo, type MoveOptions } from "./move-customer.ts";
import { listAllShards, type ListedShard } from "./list-all-shards.ts";
import { MAIN_SHARD } from "../../store/database/database.ts";
import type { ShardServices } from "./shard-commands.ts";

export type PlannedMoves = {
  from: string;
  to: string;
  customers: number;
};

/** Returns which numbers of customers move: as few as possible. */
export async function planRebalance(
  deps: Pick<ShardServices, "database" | "readUrl">,
): Promise<PlannedMoves[]> {
  return planMoves(await listAllShards(deps));
}

type Counted = Pick<ListedShard, "name" | "state" | "weight" | "customers">;

export function planMoves(shards: Counted[]): PlannedMoves[] {
  const wanted = divide(shards);
  const surplus = shards.map(({ name, customers }) => ({ name, count: customers - (wanted.get(name) ?? 0) }));
  const moves: PlannedMoves[] = [];
  const lacking = surplus.filter(({ count }) => count < 0);
  for (const over of surplus.filter(({ count }) => count > 0))
    for (const under of lacking) {
      const customers = Math.min(over.count, -under.count);
      if (customers === 0) continue;
      over.count -= customers;
      under.count += customers;
      moves.push({ from: over.name, to: under.name, customers });
    }
  return moves;
}

/** Divides the customers by weight; what is left of whole numbers stays where most customers are already. */
function divide(shards: Counted[]): Map<string, number> {
  const taking = shards.filter(({ state, weight }) => state === "active" && weight > 0);
  const all = shards.reduce((sum, { customers }) => sum + customers, 0);
  const weights = taking.reduce((sum, { weight }) => sum + weight, 0);
  if (weights === 0)
    throw new StartError("no shard is active with a weight, so nobody can be moved: busbar shards list");
  const shares = taking.map(({ name, weight, customers }) => {
    const exact = (all * weight) / weights;
    return { name, whole: Math.floor(exact), rest: exact - Math.floor(exact), customers };
  });
  let left = all - shares.reduce((sum, { whole }) => sum + whole, 0);
  const wouldStay = ({ whole, customers }: (typeof shares)[number]) => (customers > whole ? 1 : 0);
  for (const share of shares.toSorted((a, b) => wouldStay(b) - wouldStay(a) || b.rest - a.rest)) {
    if (left === 0 || share.rest === 0) continue;
    share.whole += 1;
    left -= 1;
  }
  return new Map(shares.map(({ name, whole }) => [name, whole]));
}

export type RefusedMove = { groupRef: string; projectId: string; reason: string };

/**
 * Ends the moves that were broken off, then makes those that are planned, the newest customers first. Each is told as it ends. Returns
 * those that were not possible, which hold up no other.
 */
export async function rebalance(
  deps: ShardServices,
  onMoved: (moved: MovedTo, left: number) => void,
  options: MoveOptions = {},
): Promise<RefusedMove[]> {
  const refused: RefusedMove[] = [];
  const move = async (group: PlacedGroup, to: string | null, left: number): Promise<void> => {
    try {
      onMoved(await moveCustomer(deps, group, to, options), left);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      refused.push({ groupRef: group.groupRef, projectId: group.projectId, reason: error.message });
    }
  };
  for (const { groupId: id, projectId, groupRef, fromShard, toShard, isRunning } of await listMoves(
    deps.database.control,
  ))
    if (!isRunning) {
      const shard = fromShard;
      await move({ id, projectId, groupRef, shard }, toShard, 0);
    }
  const plan = await planRebalance(deps);
  let left = plan.reduce((sum, { customers }) => sum + customers, 0);
  for (const { from, to, customers } of plan) {
    const groups = await listGroupsOfShard(deps.database.control, toColumn(from), customers);
    for (const group of groups) await move(group, toColumn(to), (left -= 1));
  }
  return refused;
}

/** Returns the value that `groups.shard` has. */
export const toColumn = (name: string): string | null => (name === MAIN_SHARD ? null : name);

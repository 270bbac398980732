/** `busbar shards move GROUP SHARD` and `busbar shards rebalance`: what they print. */
import type { Output } from "../../../cli/output/output.ts";
import { endLostMove, type LostMove } from "./end-lost-move.ts";
import { moveCustomer, type MovedTo } from "./move-customer.ts";
import { planRebalance, rebalance, toColumn, type PlannedMoves } from "./rebalance-shards.ts";
import { getPlacedGroup } from "./require-move.ts";
import type { ShardServices } from "./shard-commands.ts";

export async function runMove(
  deps: ShardServices,
  out: Output,
  {
    groupRef,
    shard,
    project,
    isLost,
  }: { groupRef: string; shard: string; project: string | undefined; isLost: boolean },
): Promise<boolean> {
  const group = await getPlacedGroup(deps, groupRef, project);
  if (isLost) {
    const ended = await endLostMove(deps, group, toColumn(shard));
    if (out.json) out.data(ended);
    else out.line(describeLost(ended));
    return true;
  }
  const moved = await moveCustomer(deps, group, toColumn(shard));
  out.progress();
  if (out.json) out.data(moved);
  else out.line(describeMoved(moved));
  return true;
}

const describeLost = ({ groupRef, from, to, step, reconciledSince }: LostMove): string =>
  `${groupRef} is in ${to}, and its move has ended without ${from} (it broke off at: ${step ?? "an unknown step"}). Work and deliveries that waited are in ` +
  `${to}. Lost with ${from}, in numbers that are unknown: what had ended and was not carried over yet (operations with their logs, events, deliveries, lines of proxied ` +
  `calls, traces), and events that ${from} stored at the end, which may have been told to nobody. Changes of records since ${reconciledSince} are looked for again.`;

const describeMoved = ({ groupRef, from, to, rows, history, refusedMs }: MovedTo): string =>
  from === to
    ? `${groupRef} stays in ${from}: the move that was begun is taken back.`
    : `${groupRef} is in ${to}, and nothing of it in ${from}: ${rows + history} rows, its requests were refused for ${(refusedMs / 1_000).toFixed(1)} s.`;

export async function runRebalance(
  deps: ShardServices,
  out: Output,
  { isDry }: { isDry: boolean },
): Promise<boolean> {
  if (isDry) {
    const plan = await planRebalance(deps);
    out.rows<PlannedMoves>(
      plan,
      { FROM: ({ from }) => from, TO: ({ to }) => to, CUSTOMERS: ({ customers }) => String(customers) },
      "The numbers of customers fit the weights: nothing is to be moved.",
    );
    return true;
  }
  const moved: MovedTo[] = [];
  const refused = await rebalance(deps, (one, left) => {
    moved.push(one);
    out.progress();
    if (!out.json) out.line(`${describeMoved(one)} ${left} left.`);
  });
  out.progress();
  if (out.json) out.data({ moved, refused });
  else if (moved.length + refused.length === 0)
    out.line("The numbers of customers fit the weights: nothing was moved.");
  if (!out.json) for (const { reason } of refused) out.note(reason);
  return refused.length === 0;
}

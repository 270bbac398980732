/**
 * Ends a move whose former shard is gone for good, once the new one decides. What is needed to go on was copied before that; the rest was
 * being carried over from the former shard, and is lost with it.
 */
import { type Client, DatabaseError } from "pg";
import { StartError } from "../../../ground/errors.ts";
import { MAIN_SHARD, transactControl } from "../../store/database/database.ts";
import { openClient } from "../../store/database/prepare-database.ts";
import {
  endMove,
  lockMove,
  readdressEntries,
  tryLockSide,
  type CustomerMove,
  type PlacedGroup,
} from "../../store/moves/customer-moves.ts";
import { findCustomer } from "../../store/moves/customer-tables.ts";
import { passGuards, removeGuard } from "../../store/moves/guard-customer.ts";
import { openForWork, reconcileMoved } from "../../store/moves/open-for-work.ts";
import { listShards } from "../../store/shards/shard-registry.ts";
import { readSubscribedSlot } from "../../store/sides/replicate-shared.ts";
import { findMove, openShardClient } from "./require-move.ts";
import type { ShardServices } from "./shard-commands.ts";

export type LostMove = {
  groupRef: string;
  projectId: string;
  from: string;
  to: string;
  /** The last step that was begun; null if none is known. */
  step: string | null;
  /** Changes of records since this time are looked for again. */
  reconciledSince: string;
};

/** Throws `StartError` if there is no such move, if the former shard is there, or still decides. */
export async function endLostMove(
  deps: ShardServices,
  group: PlacedGroup,
  toShard: string | null,
): Promise<LostMove> {
  const { groupRef, projectId } = group;
  const opened: Client[] = [];
  const open = async (client: Promise<Client>): Promise<Client> => {
    opened.push(await client);
    return client;
  };
  try {
    const control = await open(openClient(deps.database.connectionString));
    await lockMove(control, group);
    const move = await findMove(deps, group, toShard);
    if (move?.toShard !== toShard)
      throw new StartError(
        `no move of ${groupRef} to ${toShard ?? MAIN_SHARD} was begun, so there is none to end (busbar shards list)`,
      );
    await requireLost(deps, group, move);
    const to = await open(openShardClient(deps, toShard));
    await lockMove(to, group, tryLockSide);
    await passGuards(to);
    const customer = await findCustomer(control, { groupId: group.id, projectId, groupRef });
    await transactControl(deps.database, (queries) => readdressEntries(queries, customer, move));
    await openForWork(to, customer);
    await reconcileMoved(to, customer, move.startTime);
    await removeGuard(to, group.id);
    await endMove(deps.database.control, group.id);
    return {
      groupRef,
      projectId,
      from: move.fromShard ?? MAIN_SHARD,
      to: toShard ?? MAIN_SHARD,
      step: move.detail,
      reconciledSince: move.startTime.toISOString(),
    };
  } finally {
    for (const client of opened.toReversed()) await client.end();
  }
}

async function requireLost(
  deps: ShardServices,
  { groupRef, projectId }: PlacedGroup,
  { fromShard, toShard, state }: CustomerMove,
): Promise<void> {
  const [from, to] = [fromShard ?? MAIN_SHARD, toShard ?? MAIN_SHARD];
  if (state !== "switched")
    throw new StartError(
      `${groupRef} is still in the shard ${from}, which has all that is known of it: restore that shard from its standby or backup. ` +
        "The move is taken back when it is there",
    );
  if (await isThere(deps, fromShard))
    throw new StartError(
      `the shard ${from} is there, so nothing of ${groupRef} has to be lost: complete the move ` +
        `(busbar shards move ${groupRef} ${to} --project ${projectId})`,
    );
}

/**
 * Returns whether the database of a shard can be reached; another one at its address does not count. Throws `StartError` where nobody
 * can know: its address cannot be read, or its server answers that it takes no connection now.
 */
async function isThere(deps: ShardServices, name: string | null): Promise<boolean> {
  const known = (await listShards(deps.database.control)).find((shard) => shard.name === name);
  if (name !== null && !known) return false;
  let client: Client;
  try {
    client = await openShardClient(deps, name);
  } catch (error) {
    if (error instanceof StartError && isUnreachable(error)) return false;
    throw error;
  }
  const subscribed = await readSubscribedSlot(client).finally(() => client.end());
  return known === undefined || subscribed === known.slot;
}

/** PostgreSQL's code for a database that its server does not have. */
const NO_SUCH_DATABASE = "3D000";

/** Returns whether no server answered, or one that does not have the database. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === NO_SUCH_DATABASE;
  return !(error instanceof StartError) || (error.cause !== undefined && isUnreachable(error.cause));
}

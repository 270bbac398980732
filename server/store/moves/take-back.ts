/** Takes back a move that has not switched, so that the customer stays where it is; also one whose command has ended before. */
import type { ClientBase } from "pg";
import { elapsedMs } from "../../../ground/clock.ts";
import { Problem, StartError } from "../../../ground/errors.ts";
import { openClient, openDataClient } from "../database/prepare-database.ts";
import type { Database } from "../database/database.ts";
import { getShard } from "../shards/each-shard.ts";
import { removeLiveRows } from "./copy-live-rows.ts";
import {
  endMove,
  listMoves,
  reopenMove,
  tryLockMove,
  tryLockSide,
  type CustomerMove,
} from "./customer-moves.ts";
import { findCustomer, type MovedCustomer } from "./customer-tables.ts";
import { passGuards, removeGuard, setGuard } from "./guard-customer.ts";

/**
 * The customer is served first; then what was copied goes. Without `to`, which is away, the move is left, so that a process removes the
 * copy later.
 */
export async function takeBack(
  { control }: Pick<Database, "control">,
  { from, to }: { from: ClientBase; to: ClientBase | undefined },
  customer: MovedCustomer,
): Promise<void> {
  await removeGuard(from, customer.groupId);
  await reopenMove(control, customer.groupId);
  if (!to) return;
  await removeLiveRows(to, customer);
  // It may have been there before.
  await setGuard(to, customer.groupId, "away");
  await endMove(control, customer.groupId);
}

/** A command that was killed is often repeated at once. */
const LEFT_ALONE_MS = 30_000;

/** Moves that no command is at, with the time since when, as this process has seen them. */
export type BrokenMoves = Map<string, number>;

/**
 * Takes back the moves that were broken off before the new shard decided: until then, the customer's requests are refused. `known` is
 * kept from one call to the next. Returns the customers who stay.
 */
export async function takeBackBroken(
  database: Database,
  known: BrokenMoves,
  leftAloneMs = LEFT_ALONE_MS,
): Promise<CustomerMove[]> {
  if (database.shards.length === 1) return [];
  const moves = await listMoves(database.control);
  const broken = moves.filter(({ state, isRunning }) => state !== "switched" && !isRunning);
  for (const id of known.keys()) if (broken.every(({ groupId }) => groupId !== id)) known.delete(id);
  const taken: CustomerMove[] = [];
  const errors: unknown[] = [];
  for (const move of broken) {
    const sinceMs = known.get(move.groupId) ?? elapsedMs();
    known.set(move.groupId, sinceMs);
    if (elapsedMs() - sinceMs < leftAloneMs) continue;
    // A database that fails holds up no customer of another one.
    try {
      if (await takeBackOne(database, move)) taken.push(move);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0 && taken.length === 0) throw errors[0];
  return taken;
}

/** Returns false if somebody else is at it, or has ended it, or if the copy is still to be removed from a shard that is away. */
async function takeBackOne(
  database: Database,
  { groupId, fromShard, toShard }: CustomerMove,
): Promise<boolean> {
  const opened = [await openClient(database.connectionString)];
  const open = async (name: string | null) => {
    const { connectionString, dataUrl } = getShard(database, name);
    const client = await (dataUrl === undefined
      ? openClient(connectionString)
      : openDataClient(dataUrl, name === null ? undefined : `the shard ${name}`));
    opened.push(client);
    await passGuards(client);
    return client;
  };
  try {
    const [control] = opened;
    if (!control || !(await tryLockMove(control, groupId))) return false;
    const present = (await listMoves(database.control)).find((move) => move.groupId === groupId);
    if (!present || present.state === "switched") return false;
    const from = await open(fromShard);
    // Away, or not known to this process yet: the customer is served all the same.
    const to = await open(toShard).catch(ignoreAway);
    for (const side of [from, to]) if (side && !(await tryLockSide(side, groupId))) return false;
    await takeBack(database, { from, to }, await findCustomer(control, present));
    return to !== undefined;
  } finally {
    for (const client of opened.toReversed()) await client.end();
  }
}

/** Returns undefined for a shard that cannot be connected to; throws any other error. */
export function ignoreAway(error: unknown): undefined {
  if (error instanceof StartError || error instanceof Problem) return undefined;
  throw error;
}

/** Takes back a move that has not switched, so that the customer stays where it is; also one whose command has ended before. */
import type { ClientBase } from "pg";
import { elapsedMs } from "../../../ground/clock.ts";
import { openClient, openDataClient } from "../database/prepare-database.ts";
import type { Database } from "../database/database.ts";
import { getShard } from "../shards/each-shard.ts";
import { removeLiveRows } from "./copy-live-rows.ts";
import { endMove, listMoves, reopenMove, tryLockMove, type CustomerMove } from "./customer-moves.ts";
import { findCustomer, type MovedCustomer } from "./customer-tables.ts";
import { passGuards, removeGuard, setGuard } from "./guard-customer.ts";

/** The customer is served first; then what was copied goes. */
export async function takeBack(
  { control }: Pick<Database, "control">,
  { from, to }: { from: ClientBase; to: ClientBase },
  customer: MovedCustomer,
): Promise<void> {
  await removeGuard(from, customer.groupId);
  await reopenMove(control, customer.groupId);
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
  for (const move of broken) {
    const sinceMs = known.get(move.groupId) ?? elapsedMs();
    known.set(move.groupId, sinceMs);
    if (elapsedMs() - sinceMs >= leftAloneMs && (await takeBackOne(database, move))) taken.push(move);
  }
  return taken;
}

/** Returns false if somebody else is at it, or has ended it. */
async function takeBackOne(
  database: Database,
  { groupId, fromShard, toShard }: CustomerMove,
): Promise<boolean> {
  const opened = [await openClient(database.connectionString)];
  const open = async (name: string | null) => {
    const { connectionString, dataUrl } = getShard(database, name);
    const client = await (dataUrl === undefined ? openClient(connectionString) : openDataClient(dataUrl));
    opened.push(client);
    await passGuards(client);
    return client;
  };
  try {
    const [control] = opened;
    if (!control || !(await tryLockMove(control, groupId))) return false;
    const present = (await listMoves(database.control)).find((move) => move.groupId === groupId);
    if (!present || present.state === "switched") return false;
    const sides = { from: await open(fromShard), to: await open(toShard) };
    await takeBack(database, sides, await findCustomer(control, present));
    return true;
  } finally {
    for (const client of opened.toReversed()) await client.end();
  }
}

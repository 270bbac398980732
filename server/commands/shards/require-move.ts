/** Refuses moves of customers that are not possible, with the reason and what helps. */
import type { Client } from "pg";
import { StartError } from "../../../ground/errors.ts";
import { openClient, openDataClient } from "../../store/database/prepare-database.ts";
import {
  findPlacedGroups,
  listMoves,
  type CustomerMove,
  type PlacedGroup,
} from "../../store/moves/customer-moves.ts";
import { listProcessesWithout, listShards } from "../../store/shards/shard-registry.ts";
import { MAIN_SHARD } from "../../store/database/database.ts";
import type { ShardServices } from "./shard-commands.ts";

/** Finds the customer of this reference. Throws `StartError` if there is none, or one in each of several projects. */
export async function getPlacedGroup(
  { database }: Pick<ShardServices, "database">,
  groupRef: string,
  projectId: string | undefined,
): Promise<PlacedGroup> {
  if (projectId !== undefined && !UUID.test(projectId))
    throw new StartError(`--project takes the id of a project, not "${projectId}"`);
  const [found, ...more] = await findPlacedGroups(database.control, groupRef, projectId);
  if (!found)
    throw new StartError(
      `there is no customer ${groupRef}${projectId === undefined ? "" : ` in the project ${projectId}`}: the first argument is its ` +
        "groupRef (GET /v1/projects/{project}/groups lists all)",
    );
  if (more.length > 0)
    throw new StartError(`several projects have a customer ${groupRef}: say which by --project ID`);
  return found;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the move of a customer that was begun and not ended. Throws `StartError` if it leads to another shard, unless it is to be
 * taken back.
 */
export async function findMove(
  { database }: Pick<ShardServices, "database">,
  { id, groupRef, projectId }: PlacedGroup,
  toShard: string | null,
): Promise<CustomerMove | undefined> {
  const move = (await listMoves(database.control)).find(({ groupId }) => groupId === id);
  if (!move || move.toShard === toShard || mayTakeBack(move, toShard)) return move;
  const begun = `busbar shards move ${groupRef} ${move.toShard ?? MAIN_SHARD} --project ${projectId}`;
  const back = `busbar shards move ${groupRef} ${move.fromShard ?? MAIN_SHARD} --project ${projectId}`;
  throw new StartError(
    `a move of ${groupRef} to the shard ${move.toShard ?? MAIN_SHARD} was begun: complete it first (${begun})` +
      (move.state !== "switched" ? `, or take it back (${back})` : ""),
  );
}

/** Returns whether a move has changed nothing yet, and the customer is to stay. */
export const mayTakeBack = ({ state, fromShard }: CustomerMove, toShard: string | null): boolean =>
  state !== "switched" && fromShard === toShard;

export const refuseErased = ({ groupRef }: Pick<PlacedGroup, "groupRef">): StartError =>
  new StartError(
    `${groupRef} is being erased: repeat DELETE /v1/projects/{project}/groups/${groupRef} until it is done, then nothing is left to be moved`,
  );

/** Throws `StartError` for a shard that the customer cannot be moved to. */
export async function requireTarget(
  { database }: Pick<ShardServices, "database">,
  { groupRef, shard, isErased = false }: PlacedGroup,
  toShard: string | null,
): Promise<void> {
  if (isErased) throw refuseErased({ groupRef });
  if (shard === toShard)
    throw new StartError(
      `${groupRef} is in the shard ${toShard ?? MAIN_SHARD} already: nothing is to be moved`,
    );
  if (toShard === null) return;
  const known = await listShards(database.control);
  const target = known.find(({ name }) => name === toShard);
  if (!target)
    throw new StartError(
      `there is no shard ${toShard}: there are ${[MAIN_SHARD, ...known.map(({ name }) => name)].join(", ")} (busbar shards list)`,
    );
  if (target.state !== "active")
    throw new StartError(
      `the shard ${toShard} is ${target.state} and gets no customers: busbar shards list shows why, busbar shards add ${toShard} URL makes it active`,
    );
  const missing = await listProcessesWithout(database.control, toShard);
  if (missing.length > 0)
    throw new StartError(
      `the process ${missing.join(", ")} has not opened the shard ${toShard}, and would refuse the customer: repeat the command when it has (busbar shards doctor)`,
    );
}

/** Connects to the database of a shard; null is the main one. */
export async function openShardClient(deps: ShardServices, name: string | null): Promise<Client> {
  const { connectionString, dataUrl, control } = deps.database;
  if (name === null) return dataUrl === undefined ? openClient(connectionString) : openDataClient(dataUrl);
  const shard = (await listShards(control)).find((one) => one.name === name);
  const url = shard && deps.readUrl(shard);
  if (url === undefined)
    throw new StartError(
      shard
        ? `the key that encrypted the address of the shard ${name} is missing: add it to BUSBAR_ENCRYPTION_KEYS`
        : `there is no shard ${name} (busbar shards list)`,
    );
  try {
    return await openDataClient(url, `the shard ${name}`);
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause;
    throw new StartError(
      `the shard ${name} is away, so no customer can be moved from or to it: ${cause.message}`,
      { cause },
    );
  }
}

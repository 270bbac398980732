/** Takes a shard without customers away. Each step can be repeated. */
import type { Client } from "pg";
import { readMessage, StartError } from "../../../ground/errors.ts";
import { openClient, openDataClient } from "../../store/database/prepare-database.ts";
import { listBackupTables } from "../../store/maintenance/backup-lines.ts";
import { listMoves } from "../../store/moves/customer-moves.ts";
import { listTables } from "../../store/database/sides.ts";
import { endPublication, endReplication } from "../../store/shards/pair-shard.ts";
import {
  beginRemoval,
  countCustomers,
  listShards,
  OPEN_STATES,
  removeShardRow,
} from "../../store/shards/shard-registry.ts";
import { MAIN_SHARD } from "../../store/database/database.ts";
import type { ShardServices } from "./shard-commands.ts";

interface Removal {
  /** False: there was no shard of this name. */
  removed: boolean;
  /** Why its subscription is still there, if its database could not be reached. */
  unreachable?: string;
}

/** Throws `StartError` for a shard with customers, or with rows of former ones. */
export async function removeShard(deps: ShardServices, name: string): Promise<Removal> {
  const { database, progress } = deps;
  if (name === MAIN_SHARD)
    throw new StartError(
      `the shard ${MAIN_SHARD} has the customers of no other shard, and cannot be removed`,
    );
  const shard = (await listShards(database.control)).find((one) => one.name === name);
  if (!shard) return { removed: false };
  const url = deps.readUrl(shard);
  if (url === undefined)
    throw new StartError(
      `the key that encrypted the address of the shard ${name} is missing: add it to BUSBAR_ENCRYPTION_KEYS`,
    );
  progress(`looking for rows of customers in the shard ${name}`);
  let data: Client | undefined;
  let unreachable: string | undefined;
  try {
    data = await openDataClient(url);
  } catch (error) {
    unreachable = readMessage(error);
  }
  try {
    const hasTables = OPEN_STATES.includes(shard.state) || shard.state === "removing";
    const table = data && hasTables ? await findTableWithRows(data) : undefined;
    if (table !== undefined || !(await beginRemoval(database.control, name)))
      throw await buildRefusal(deps, name, table);
    progress(`ending the replication into the shard ${name}`);
    const control = await openClient(database.connectionString);
    try {
      await endReplication({ control, data, slot: shard.slot });
      await removeShardRow(database.control, name);
      if ((await listShards(database.control)).length === 0) await endPublication(control);
    } finally {
      await control.end();
    }
  } finally {
    await data?.end();
  }
  return { removed: true, ...(unreachable !== undefined && { unreachable }) };
}

/** `table` has rows of customers. */
async function buildRefusal(
  { database }: ShardServices,
  name: string,
  table: string | undefined,
): Promise<StartError> {
  const count = (await countCustomers(database.control)).get(name) ?? 0;
  const moves = await listMoves(database.control);
  const left = moves.find(({ fromShard }) => fromShard === name);
  if (count === 0 && table !== undefined && moves.every(({ toShard }) => toShard !== name) && !left)
    return new StartError(
      `the shard ${name} has rows of customers (in ${table}): it can be removed when they are gone, as by retention`,
    );
  if (count === 0 && left)
    return new StartError(
      `the shard ${name} has rows of ${left.groupRef}, whose move to ${left.toShard ?? MAIN_SHARD} has not ended: ` +
        `busbar shards move ${left.groupRef} ${left.toShard ?? MAIN_SHARD} --project ${left.projectId} (with --lost if ${name} is gone for good)`,
    );
  if (count === 0)
    return new StartError(
      `a customer is being moved into the shard ${name}: wait for the end, or take the move back (busbar shards list shows which)`,
    );
  return new StartError(
    `the shard ${name} has ${count === 1 ? "a customer" : `${count} customers`}, and only a shard without customers can be removed: ` +
      "move them away (busbar shards move GROUP SHARD), or delete them (DELETE /v1/projects/{project}/groups/{groupRef})",
  );
}

/** Returns a table with something of a customer. */
async function findTableWithRows(data: Client): Promise<string | undefined> {
  const tables = listTables("data");
  for (const table of (await listBackupTables(data)).filter((name) => tables.includes(name))) {
    const { rows } = await data.query(`select from ${table} limit 1`);
    if (rows.length > 0) return table;
  }
  return undefined;
}

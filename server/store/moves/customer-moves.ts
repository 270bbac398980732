/**
 * Moves of customers between shards, in the control database, and the states of one:
 *
 *   (none)   → copying    what it has many of is copied, while it is served
 *   copying  → closing    requests for the customer are refused, work for it ends, and its rows are copied; the old shard decides
 *   closing  → switched   `groups.shard` names the new shard, which decides from now on; what has ended follows
 *   copying, closing → (none)   given up: nothing has changed
 *   switched → (none)     the old shard has no rows of the customer any more
 */
import { sql } from "kysely";
import type { ClientBase } from "pg";
import { StartError } from "../../../ground/errors.ts";
import type { ControlQueries } from "../database/sides.ts";
import type { MovedCustomer } from "./customer-tables.ts";

export interface CustomerMove {
  groupId: string;
  projectId: string;
  groupRef: string;
  /** Null for the main shard. */
  fromShard: string | null;
  toShard: string | null;
  state: "copying" | "closing" | "switched";
  detail: string | null;
  startTime: Date;
  stateTime: Date;
  /** Whether a process is at it; otherwise it was broken off. */
  isRunning: boolean;
}

/** Class of the advisory locks of processes that move a customer. */
const MOVE_LOCKS = 735_562;
/** Class of those in the databases of the two shards, one of which may be the control database. */
export const SIDE_LOCKS = 735_563;

export async function listMoves(queries: ControlQueries): Promise<CustomerMove[]> {
  const { rows } = await sql<CustomerMove>`
    select group_id, project_id, group_ref, from_shard, to_shard, state, detail, start_time, state_time, exists (
      select from pg_locks where locktype = 'advisory' and granted and classid = ${MOVE_LOCKS}::oid
        and objid = (hashtext(group_id::text)::bigint & 4294967295)::oid
        and database = (select oid from pg_database where datname = current_database())) as is_running
    from shard_moves join groups on groups.id = group_id order by start_time, group_id
  `.execute(queries);
  return rows;
}

/** Locks until the connection ends. Returns false if another process is at it. */
export const tryLockMove = (control: ClientBase, groupId: string): Promise<boolean> =>
  tryLock(control, MOVE_LOCKS, groupId);

/**
 * The same in a shard: a command that has lost its connection to the control database goes on with those to the shards for a while, and
 * is not taken for dead.
 */
export const tryLockSide = (side: ClientBase, groupId: string): Promise<boolean> =>
  tryLock(side, SIDE_LOCKS, groupId);

async function tryLock(client: ClientBase, kind: number, groupId: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    "select pg_try_advisory_lock($1, hashtext($2)) as taken",
    [kind, groupId],
  );
  return rows[0]?.taken === true;
}

/** Locks by `take` until the connection ends. Throws `StartError` if another process moves the customer. */
export async function lockMove(
  client: ClientBase,
  { id, groupRef }: { id: string; groupRef: string },
  take: (client: ClientBase, groupId: string) => Promise<boolean> = tryLockMove,
): Promise<void> {
  if (await take(client, id)) return;
  throw new StartError(
    `another process is moving ${groupRef} just now (busbar shards list shows how far it is): wait for its end`,
  );
}

export interface PlacedGroup {
  id: string;
  projectId: string;
  groupRef: string;
  /** Null for the main shard. */
  shard: string | null;
  /** Whether it is being erased, in several requests. */
  isErased?: boolean;
}

/** Finds customers by the reference, in this project or in any. */
export async function findPlacedGroups(
  queries: ControlQueries,
  groupRef: string,
  projectId: string | undefined,
): Promise<PlacedGroup[]> {
  const { rows } = await sql<PlacedGroup>`
    select id, project_id, group_ref, shard, erased_until_event is not null as is_erased from groups
    where group_ref = ${groupRef} and (${projectId ?? null}::uuid is null or project_id = ${projectId ?? null}::uuid)
    order by project_id limit 2
  `.execute(queries);
  return rows;
}

/** Lists up to `max` customers of a shard that do not move, in the order in which they were created. */
export async function listGroupsOfShard(
  queries: ControlQueries,
  shard: string | null,
  max: number,
): Promise<PlacedGroup[]> {
  const { rows } = await sql<PlacedGroup>`
    select id, project_id, group_ref, shard from groups
    where shard is not distinct from ${shard} and erased_until_event is null and not exists (select from shard_moves where group_id = groups.id)
    order by create_time desc, id desc limit ${max}
  `.execute(queries);
  return rows;
}

/**
 * Begins a move, unless one has begun, which stays as it is. Returns false if the customer is being erased, or gone. Whoever erases it
 * locks its row and looks for a move.
 */
export async function beginMove(
  queries: ControlQueries,
  { id, shard }: PlacedGroup,
  toShard: string | null,
): Promise<boolean> {
  const { rows } = await sql`
    insert into shard_moves (group_id, from_shard, to_shard, state)
    select id, ${shard}, ${toShard}, 'copying' from groups where id = ${id} and erased_until_event is null for share
    on conflict (group_id) do update set group_id = excluded.group_id
    returning group_id
  `.execute(queries);
  return rows.length > 0;
}

/** Requests of the customer are refused from this commit on. Throws `StartError` if the move was taken back meanwhile. */
export async function closeMove(queries: ControlQueries, groupId: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update shard_moves set state = 'closing', state_time = now() where group_id = ${groupId} and state in ('copying', 'closing')
  `.execute(queries);
  requireMove(numAffectedRows);
}

function requireMove(numAffectedRows: bigint | undefined): void {
  if (numAffectedRows !== 1n)
    throw new StartError("the move was taken back meanwhile, so the customer stays: repeat the command");
}

/** The customer is served again where it was. */
export const reopenMove = async (queries: ControlQueries, groupId: string): Promise<void> =>
  void (await sql`
    update shard_moves set state = 'copying', state_time = now() where group_id = ${groupId} and state = 'closing'
  `.execute(queries));

export const noteMove = async (queries: ControlQueries, groupId: string, detail: string): Promise<void> =>
  void (await sql`update shard_moves set detail = ${detail} where group_id = ${groupId}`.execute(queries));

export const endMove = async (queries: ControlQueries, groupId: string): Promise<void> =>
  void (await sql`delete from shard_moves where group_id = ${groupId}`.execute(queries));

/** Returns whether the new shard decides already. */
export async function hasSwitched(control: ClientBase, groupId: string): Promise<boolean> {
  const { rows } = await control.query("select from shard_moves where group_id = $1 and state = 'switched'", [
    groupId,
  ]);
  return rows.length > 0;
}

/** The new shard decides from this commit on. Call it in a transaction. Throws `StartError` if the move was taken back meanwhile. */
export async function switchShard(
  queries: ControlQueries,
  customer: MovedCustomer,
  { fromShard, toShard }: Pick<CustomerMove, "fromShard" | "toShard">,
): Promise<void> {
  const { numAffectedRows } = await sql`
    update shard_moves set state = 'switched', state_time = now(), detail = null
    where group_id = ${customer.groupId} and state = 'closing'
  `.execute(queries);
  requireMove(numAffectedRows);
  await sql`update groups set shard = ${toShard} where id = ${customer.groupId}`.execute(queries);
  await readdressEntries(queries, customer, { fromShard, toShard });
}

/** Has the entries of the outbox about a customer carried over to its new shard. Those being carried over are waited for. */
export async function readdressEntries(
  queries: ControlQueries,
  { projectId, groupRef, installationIds, connectionIds }: MovedCustomer,
  { fromShard, toShard }: Pick<CustomerMove, "fromShard" | "toShard">,
): Promise<void> {
  await sql`
    update outbox set shard = ${toShard}, retry_time = null
    where shard is not distinct from ${fromShard} and project_id = ${projectId} and case kind
      when 'event' then (content ->> 'data')::json ->> 'groupRef' = ${groupRef}
      when 'renamed-account' then content ->> 'connectionId' = any(${connectionIds}::text[])
      when 'sync' then content ->> 'by' in ('id', 'connection_id')
        and content ->> 'id' = any(${[...installationIds, ...connectionIds]}::text[])
      else false end
  `.execute(queries);
}

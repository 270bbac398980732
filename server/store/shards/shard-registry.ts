/**
 * The registry of shards, in the control database, and the states of a shard:
 *
 *   (none)   → adding     its name is taken, and copies are made in its database; after a crash it can be added again, or removed
 *   adding   → opening    the copies are complete; each process opens it
 *   adding   → failed     the copies could not be made, for the reason in `detail`; as after a crash
 *   opening  → active     all processes have opened it
 *   active   ⇄ draining   it gets no new customers, and serves those it has, until it is added again
 *   any      → removing   nobody uses it any more, and its replication ends; then its row is removed
 *
 * A process opens the shards that are opening, active or draining.
 */
import { sql, type Kysely } from "kysely";
import type { SealedPlace, Sealer } from "../../../ground/seal.ts";
import { newId } from "../../../ground/ids.ts";
import type { ControlQueries, ControlTables } from "../database/sides.ts";

export type ShardState = "adding" | "opening" | "active" | "draining" | "removing" | "failed";

/** States in which a shard has the tables that it needs. */
export const OPEN_STATES: readonly ShardState[] = ["opening", "active", "draining"];

export interface RegisteredShard {
  id: string;
  name: string;
  /** Address of its database, sealed. */
  urlSealed: string;
  slot: string;
  weight: number;
  state: ShardState;
  stateTime: Date;
  /** What the state waits for, or why it failed. */
  detail: string | null;
}

/** Returns the place of the sealed address. A shard belongs to no project, so its own id is bound in place of one. */
export const placeShardUrl = (id: string): SealedPlace => ({
  table: "shards",
  column: "url_sealed",
  rowId: id,
  projectId: id,
});

/** Returns what opens the addresses of shards; undefined for one whose key is missing. */
export const openShardUrls =
  (sealer: Sealer) =>
  ({ id, urlSealed }: Pick<RegisteredShard, "id" | "urlSealed">): string | undefined =>
    // Each sealed value names its key.
    sealer.has(urlSealed.split(".")[1] ?? "") ? sealer.open(urlSealed, placeShardUrl(id)) : undefined;

export async function listShards(queries: ControlQueries): Promise<RegisteredShard[]> {
  const { rows } = await sql<RegisteredShard>`
    select id, name, url_sealed, slot, weight, state, state_time, detail from shards order by create_time, id
  `.execute(queries);
  return rows;
}

/** Counts the customers of each shard; those of the main one by the name null. */
export async function countCustomers(queries: ControlQueries): Promise<Map<string | null, number>> {
  const { rows } = await sql<{ shard: string | null; count: number }>`
    select shard, count(*)::integer as count from groups group by shard`.execute(queries);
  return new Map(rows.map(({ shard, count }) => [shard, count]));
}

/** Inserts a shard that is being added, or begins again with one of this name that is not complete. */
export async function beginShard(
  queries: ControlQueries,
  shard: { name: string; slot: string; weight: number; seal: (id: string) => string },
): Promise<void> {
  const { name, slot, weight } = shard;
  const { rows } = await sql<{ id: string }>`select id from shards where name = ${name}`.execute(queries);
  const id = rows[0]?.id ?? newId();
  await sql`
    insert into shards (id, name, url_sealed, slot, weight, state)
    values (${id}, ${name}, ${shard.seal(id)}, ${slot}, ${weight}, 'adding')
    on conflict (name) do update
    set url_sealed = excluded.url_sealed, weight = excluded.weight, state = 'adding', state_time = now(), detail = null
  `.execute(queries);
}

/** Sets the state, since now if it was another one. */
export const setShardState = async (
  queries: ControlQueries,
  name: string,
  state: ShardState,
  detail: string | null = null,
): Promise<void> =>
  void (await sql`
    update shards set state = ${state}, detail = ${detail},
      state_time = case when state = ${state} then state_time else now() end
    where name = ${name}
  `.execute(queries));

/** Changes what may change while it is in use. */
export const changeShard = async (
  queries: ControlQueries,
  name: string,
  { urlSealed, weight }: { urlSealed: string; weight: number },
): Promise<void> =>
  void (await sql`
    update shards set url_sealed = ${urlSealed}, weight = ${weight} where name = ${name}
  `.execute(queries));

/** Lets a shard get no new customers. Returns false, and changes nothing, for one that is not active. */
export async function drainShard(queries: ControlQueries, name: string): Promise<boolean> {
  // Waits for customers who are being placed there.
  const { numAffectedRows } = await sql`
    update shards set state = 'draining', detail = null,
      state_time = case when state = 'draining' then state_time else now() end
    where name = ${name} and state in ('active', 'draining')
  `.execute(queries);
  return numAffectedRows === 1n;
}

/**
 * Has no process use a shard any more. Returns false, and changes nothing, for one that has customers, or for which one is refused
 * until a move there is taken back, or of which one has rows there until its move ends. Other moves there end: nothing but a copy is
 * in the shard.
 */
export const beginRemoval = (queries: Kysely<ControlTables>, name: string): Promise<boolean> =>
  queries.transaction().execute(async (inside) => {
    // Whoever is placing a customer there has locked the row; the next statement sees that customer.
    await sql`select from shards where name = ${name} for update`.execute(inside);
    const { numAffectedRows } = await sql`
      update shards set state = 'removing', detail = null,
        state_time = case when state = 'removing' then state_time else now() end
      where name = ${name} and not exists (select from groups where shard = ${name})
        and not exists (select from shard_moves where to_shard = ${name} and state = 'closing' or from_shard = ${name})
    `.execute(inside);
    if (numAffectedRows === 1n)
      await sql`delete from shard_moves where to_shard = ${name} and state = 'copying'`.execute(inside);
    return numAffectedRows === 1n;
  });

export const removeShardRow = async (queries: ControlQueries, name: string): Promise<void> =>
  void (await sql`delete from shards where name = ${name}`.execute(queries));

/** Lists the processes that have not opened a shard: those of a version before shards can not. */
export async function listProcessesWithout(queries: ControlQueries, name: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from processes
    where last_seen_time > now() - interval '1 minute' and not (${name} = any(coalesce(shards, '{}')))
    order by id
  `.execute(queries);
  return rows.map(({ id }) => id);
}

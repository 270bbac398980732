/** Groups (a builder's customers) and consumers (the people who connect), both created when first named. */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { isUuid, newId } from "../../../ground/ids.ts";
import type { ControlQueries, SharedQueries } from "../database/sides.ts";

/**
 * Finds, creates or renames the group with this reference. Without a name, the group keeps its name; a new one is named by its
 * reference, and gets its shard, which only a move changes.
 */
export const upsertGroup = (
  queries: ControlQueries,
  group: { projectId: string; groupRef: string; groupName?: string },
  /** Share of new customers that the main shard gets. */
  mainWeight = 1,
): Promise<{ id: string }> =>
  queries
    .insertInto("groups")
    .values({
      id: newId(),
      ...group,
      groupName: group.groupName ?? group.groupRef,
      shard: chooseShard(drawPlace(group), mainWeight),
    })
    .onConflict((conflict) =>
      conflict.columns(["projectId", "groupRef"]).doUpdateSet({
        groupName: group.groupName ?? sql<string>`groups.group_name`,
        updateTime: sql`now()`,
      }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();

/** Returns a number from 0 to below 1, always the same for a reference, and evenly distributed over many. */
export const drawPlace = ({ projectId, groupRef }: { projectId: string; groupRef: string }): number =>
  createHash("sha256").update(`${projectId} ${groupRef}`).digest().readUIntBE(0, 6) / 2 ** 48;

/**
 * Chooses a shard by weight among the main one, which is null, and the active ones: they share the numbers from 0 to 1 in the order of
 * their names. The rows are locked, so that a shard which is drained or removed gets nobody afterwards.
 */
const chooseShard = (drawn: number, mainWeight: number) => sql<string | null>`(
  with active as (select name, weight from shards where state = 'active' order by name collate "C" for share),
    weighed as (select null::text as name, ${mainWeight}::integer as weight union all select name, weight from active),
    shares as (
      select name, sum(weight) over (order by name collate "C" nulls first) as up_to, sum(weight) over () as total
      from weighed where weight > 0)
  select name from shares where up_to > ${drawn}::double precision * total order by up_to limit 1)`;

/** Finds, creates or renames the consumer with this reference. */
export const upsertConsumer = (
  queries: ControlQueries,
  consumer: { projectId: string; consumerRef: string; consumerName?: string },
): Promise<{ id: string }> =>
  queries
    .insertInto("consumers")
    .values({ id: newId(), ...consumer, consumerName: consumer.consumerName ?? consumer.consumerRef })
    .onConflict((conflict) =>
      conflict.columns(["projectId", "consumerRef"]).doUpdateSet({
        consumerName: consumer.consumerName ?? sql<string>`consumers.consumer_name`,
        updateTime: sql`now()`,
      }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();

export const findGroup = (
  queries: SharedQueries,
  projectId: string,
  groupRef: string,
): Promise<{ id: string } | undefined> =>
  queries
    .selectFrom("groups")
    .select("id")
    .where("projectId", "=", projectId)
    .where("groupRef", "=", groupRef)
    .executeTakeFirst();

export interface GroupShard {
  id: string;
  /** Null for the main one. */
  shard: string | null;
  /** Another shard is to have it, so nobody may work for it. */
  isMoving: boolean;
  /** Rows of it may be in two shards. */
  isSplit: boolean;
  /** The shards that may have rows that a list shows; the former one first. */
  holders: (string | null)[];
}

export async function findGroupShard(
  queries: ControlQueries,
  projectId: string,
  groupRef: string,
): Promise<GroupShard | undefined> {
  const { rows } = await sql<GroupShard>`
    select id, shard, coalesce(move.state = 'closing', false) as is_moving, move.state is not null as is_split,
      case when move.state in ('closing', 'switched') then array[from_shard, to_shard] else array[shard] end as holders
    from groups left join shard_moves as move on move.group_id = groups.id where project_id = ${projectId} and group_ref = ${groupRef}
  `.execute(queries);
  return rows[0];
}

/** Lists the shards of the customers of installations; null for the main one. */
export async function listInstallationShards(
  queries: SharedQueries,
  ids: string[],
): Promise<{ id: string; shard: string | null }[]> {
  const { rows } = await sql<{ id: string; shard: string | null }>`
    select installations.id, groups.shard from installations join groups on groups.id = installations.group_id
    where installations.id = any(${ids}::uuid[])
  `.execute(queries);
  return rows;
}

const NEARBY = 100;

/** Lists the references that stand before and behind this one in their order, so that a project of any size costs the same. */
export async function listNearbyGroupRefs(
  queries: SharedQueries,
  projectId: string,
  groupRef: string,
): Promise<string[]> {
  const refs = (compare: ">" | "<", direction: "asc" | "desc") =>
    queries
      .selectFrom("groups")
      .select("groupRef")
      .where("projectId", "=", projectId)
      .where("groupRef", compare, groupRef)
      .orderBy("groupRef", direction)
      .limit(NEARBY)
      .execute();
  return [...(await refs(">", "asc")), ...(await refs("<", "desc"))].map((row) => row.groupRef);
}

/** Finds the group reference of a connection or installation; undefined if the project has no such row. */
export async function findRowGroupRef(
  queries: SharedQueries,
  projectId: string,
  table: "connections" | "installations",
  id: string,
): Promise<string | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await queries
    .selectFrom(table)
    .innerJoin("groups", "groups.id", `${table}.groupId`)
    .select("groups.groupRef")
    .where(`${table}.projectId`, "=", projectId)
    .where(`${table}.id`, "=", id)
    .executeTakeFirst();
  return row?.groupRef;
}

/**
 * Compares the group by a subquery. With a join, PostgreSQL may read all rows of the project and the group of each, as long as
 * the tables have no statistics.
 */
export const isOfGroup = (table: "connections" | "installations", projectId: string, groupRef: string) =>
  sql<boolean>`${sql.ref(`${table}.group_id`)} = (
    select id from groups where project_id = ${projectId} and group_ref = ${groupRef})`;

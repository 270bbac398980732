/** Destinations of messages, with sealed secrets and whether they are disabled. */
import { sql } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { ControlQueries, SharedQueries } from "../database/sides.ts";

export interface DestinationRow {
  id: string;
  projectId: string;
  name: string;
  type: string;
  metadata: unknown;
  secretsSealed: string;
  version: number;
  failingSince: Date | null;
  /** Why the first attempt since then failed. */
  failingReason: string | null;
  disabledTime: Date | null;
  disabledReason: string | null;
  /** `exclude`: changes that only reflect writes by Busbar are left out, unless an object says otherwise. */
  ownWrites: string | null;
  createTime: Date;
  updateTime: Date | null;
}

export const listDestinations = (queries: SharedQueries, projectId: string): Promise<DestinationRow[]> =>
  queries.selectFrom("destinations").selectAll().where("projectId", "=", projectId).orderBy("id").execute();

export async function countDestinations(queries: SharedQueries, projectId: string): Promise<number> {
  const { count } = await queries
    .selectFrom("destinations")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("projectId", "=", projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Finds a destination by id or name. A name that looks like an id never hides the destination with that id. */
export const findDestination = (
  queries: ControlQueries,
  projectId: string,
  idOrName: string,
  lock: "update" | "none" = "none",
): Promise<DestinationRow | undefined> => {
  const query = queries
    .selectFrom("destinations")
    .selectAll()
    .where("projectId", "=", projectId)
    .where((where) =>
      isUuid(idOrName)
        ? where.or([where("id", "=", idOrName), where("name", "=", idOrName)])
        : where("name", "=", idOrName),
    )
    .orderBy(sql`name = ${idOrName}`)
    .limit(1);
  return (lock === "update" ? query.forUpdate() : query).executeTakeFirst();
};

/** Lists destinations of any project by id; missing ones are absent. */
export const listDestinationsById = (queries: SharedQueries, ids: string[]): Promise<DestinationRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : queries.selectFrom("destinations").selectAll().where("id", "in", ids).execute();

type Settings = Pick<DestinationRow, "name" | "metadata" | "secretsSealed"> &
  Partial<Pick<DestinationRow, "ownWrites">>;

/** Inserts a destination. Violates `destinations_project_id_name_key` if the project has one of this name. */
export const insertDestination = (
  queries: ControlQueries,
  destination: Settings & Pick<DestinationRow, "id" | "projectId" | "type">,
): Promise<DestinationRow> =>
  queries
    .insertInto("destinations")
    .values({ ...destination, metadata: JSON.stringify(destination.metadata) })
    .returningAll()
    .executeTakeFirstOrThrow();

/**
 * Updates settings; `enable` ends a disabling, and the outage that led to it: the next failure begins another one. One that is not
 * disabled goes on failing until it accepts a message. The caller must have locked the row.
 */
export const updateDestination = (
  queries: ControlQueries,
  projectId: string,
  id: string,
  change: Settings & { enable: boolean },
): Promise<DestinationRow> => {
  const { enable, metadata, ...columns } = change;
  return queries
    .updateTable("destinations")
    .set({
      ...columns,
      metadata: JSON.stringify(metadata),
      ...(enable && {
        failingSince: sql`case when disabled_time is null then failing_since end`,
        failingReason: sql`case when disabled_time is null then failing_reason end`,
        disabledTime: null,
        disabledReason: null,
      }),
      version: sql`version + 1`,
      updateTime: sql`now()`,
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
};

/** Removes a destination, and returns whether there was one. Its routes are removed with it, its deliveries by retention. */
export async function removeDestination(
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("destinations")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Marks destinations as failing; writes only changes. */
export async function markFailing(queries: ControlQueries, begun: BegunFailure[]): Promise<void> {
  if (begun.length === 0) return;
  await sql`
    update destinations set failing_since = now(), failing_reason = begun.reason
    from unnest(${begun.map(({ id }) => id)}::uuid[], ${begun.map(({ reason }) => reason)}::text[]) as begun (id, reason)
    where destinations.id = begun.id and failing_since is null
  `.execute(queries);
}

export interface BegunFailure {
  /** Id of the destination. */
  id: string;
  reason: string | null;
}

/** Marks destinations as working; writes only changes. Returns those that had failed, and for how long. */
export async function markWorking(
  queries: ControlQueries,
  ids: string[],
): Promise<{ id: string; failedSeconds: number }[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string; failedSeconds: number }>`
    update destinations set failing_since = null, failing_reason = null
    from (
      select id, failing_since from destinations
      where id = any(${ids}::uuid[]) and failing_since is not null for no key update
    ) as before
    where destinations.id = before.id
    returning destinations.id, extract(epoch from now() - before.failing_since)::float8 as "failedSeconds"
  `.execute(queries);
  return rows;
}

/** Disables those of the destinations that have failed for at least `afterSeconds`, and returns their rows. */
export const disableFailing = (
  queries: ControlQueries,
  ids: string[],
  disable: { afterSeconds: number; reason: string },
): Promise<DestinationRow[]> =>
  queries
    .updateTable("destinations")
    .set({
      disabledTime: sql`now()`,
      disabledReason: sql`concat(${disable.reason}::text, ' The first one: ' || failing_reason || '.')`,
    })
    .where("id", "in", ids)
    .where("disabledTime", "is", null)
    .where("failingSince", "<=", sql<Date>`now() - make_interval(secs => ${disable.afterSeconds})`)
    .returningAll()
    .execute();

/** Disables a destination, unless it has changed since this version. */
export const disableDestination = (
  queries: ControlQueries,
  destination: { id: string; version: number; reason: string },
): Promise<DestinationRow | undefined> =>
  queries
    .updateTable("destinations")
    .set({ disabledTime: sql`now()`, disabledReason: destination.reason })
    .where("id", "=", destination.id)
    .where("version", "=", destination.version)
    .where("disabledTime", "is", null)
    .returningAll()
    .executeTakeFirst();

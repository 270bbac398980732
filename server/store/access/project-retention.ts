/** Retention of each kind of history that a project has set, where it is shorter than the operator's setting. */
import type { HistoryKind } from "../../../ground/retention-bounds.ts";
import type { ControlQueries } from "../database/sides.ts";

/** Retention in days of the kinds that a project has set. */
export type OwnRetention = Partial<Record<HistoryKind, number>>;

export async function findOwnRetention(queries: ControlQueries, projectId: string): Promise<OwnRetention> {
  const rows = await queries
    .selectFrom("projectRetention")
    .select(["kind", "days"])
    .where("projectId", "=", projectId)
    .execute();
  return Object.fromEntries(rows.map(({ kind, days }) => [kind, days]));
}

/** Replaces all settings of a project. Call it in a transaction. */
export async function replaceOwnRetention(
  queries: ControlQueries,
  projectId: string,
  own: OwnRetention,
): Promise<void> {
  await queries.deleteFrom("projectRetention").where("projectId", "=", projectId).execute();
  const rows = Object.entries(own).map(([kind, days]) => ({ projectId, kind, days }));
  if (rows.length > 0) await queries.insertInto("projectRetention").values(rows).execute();
}

/** Lists the projects that have set a kind. */
export const listOwnRetention = (
  queries: ControlQueries,
  kind: HistoryKind,
): Promise<{ projectId: string; days: number }[]> =>
  queries
    .selectFrom("projectRetention")
    .select(["projectId", "days"])
    .where("kind", "=", kind)
    .orderBy("projectId")
    .execute();

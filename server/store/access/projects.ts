/** Projects, which own everything else. */
import { sql } from "kysely";
import type { ControlQueries, SharedQueries } from "../database/sides.ts";
import { isUuid, newId } from "../../../ground/ids.ts";

export interface ProjectRow {
  id: string;
  orgId: string;
  name: string;
  appName: string;
  /** Whether writes that inherit a mapping send mapped fields only. */
  dropUnmappedFields: boolean;
  /** Whether the dashboard asks for confirmation before a change. */
  production: boolean;
  createTime: Date;
  updateTime: Date | null;
}

/** Lists the names of the projects of these organisations. */
export async function listProjectNames(queries: SharedQueries, orgIds: string[]): Promise<string[]> {
  if (orgIds.length === 0) return [];
  const rows = await queries.selectFrom("projects").select("name").where("orgId", "in", orgIds).execute();
  return rows.map(({ name }) => name);
}

/** Finds a project by id or by name, ignoring case. */
export const findProject = (queries: SharedQueries, idOrName: string): Promise<ProjectRow | undefined> =>
  queries
    .selectFrom("projects")
    .selectAll()
    .where(isUuid(idOrName) ? "id" : "name", "=", idOrName.toLowerCase())
    .executeTakeFirst();

export const listProjects = (queries: SharedQueries, orgId: string): Promise<ProjectRow[]> =>
  queries.selectFrom("projects").selectAll().where("orgId", "=", orgId).orderBy("id").execute();

export const insertProject = (
  queries: ControlQueries,
  project: { orgId: string; name: string; appName: string },
): Promise<ProjectRow> =>
  queries
    .insertInto("projects")
    .values({ id: newId(), ...project, name: project.name.toLowerCase() })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Updates a project and returns its row; undefined when there is none. Violates `projects_name_key` when the name is taken. */
export const updateProject = (
  queries: ControlQueries,
  id: string,
  change: Partial<Pick<ProjectRow, "name" | "appName" | "dropUnmappedFields" | "production">>,
): Promise<ProjectRow | undefined> =>
  queries
    .updateTable("projects")
    .set({ ...change, updateTime: sql`now()` })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();

/** Lists those of the ids that are no projects any more. */
export async function listDeletedProjects(queries: ControlQueries, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::uuid[]) as asked (id) where not exists (select from projects where projects.id = asked.id)
  `.execute(queries);
  return rows.map(({ id }) => id);
}

/** Removes a project with everything that belongs to it. Call it in a transaction. */
export async function removeProject(queries: ControlQueries, id: string): Promise<void> {
  // These rows have no foreign key, because a provider waits for their insert.
  await queries.deleteFrom("receivedPushes").where("projectId", "=", id).execute();
  await queries.deleteFrom("projects").where("id", "=", id).execute();
}

export async function countInstallations(queries: SharedQueries, projectId: string): Promise<number> {
  const { count } = await queries
    .selectFrom("installations")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("projectId", "=", projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

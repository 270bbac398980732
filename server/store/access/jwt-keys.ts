/** Public keys for verifying the tokens that builders' servers issue to their customers. */
import { sql } from "kysely";
import { isUuid, newId } from "../../../ground/ids.ts";
import type { ControlQueries } from "../database/sides.ts";

export interface JwtKeyRow {
  id: string;
  projectId: string;
  label: string;
  publicKeyPem: string;
  active: boolean;
  createTime: Date;
  updateTime: Date;
}

/** An active key with its project. */
export interface JwtKeyOwner {
  id: string;
  publicKeyPem: string;
  projectId: string;
  projectName: string;
  orgId: string;
}

export const findJwtKeyOwner = async (
  queries: ControlQueries,
  kid: string,
): Promise<JwtKeyOwner | undefined> =>
  isUuid(kid)
    ? queries
        .selectFrom("jwtKeys")
        .innerJoin("projects", "projects.id", "jwtKeys.projectId")
        .select([
          "jwtKeys.id",
          "jwtKeys.publicKeyPem",
          "projects.id as projectId",
          "projects.name as projectName",
          "projects.orgId",
        ])
        .where("jwtKeys.id", "=", kid)
        .where("jwtKeys.active", "=", true)
        .executeTakeFirst()
    : undefined;

/** Lists keys in the order of their creation. */
export const listJwtKeys = (
  queries: ControlQueries,
  projectId: string,
  activeOnly: boolean,
): Promise<JwtKeyRow[]> => {
  const all = queries.selectFrom("jwtKeys").selectAll().where("projectId", "=", projectId).orderBy("id");
  return (activeOnly ? all.where("active", "=", true) : all).execute();
};

export const findJwtKey = async (
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<JwtKeyRow | undefined> =>
  isUuid(id)
    ? queries
        .selectFrom("jwtKeys")
        .selectAll()
        .where("projectId", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst()
    : undefined;

export const insertJwtKey = (
  queries: ControlQueries,
  key: Pick<JwtKeyRow, "projectId" | "label" | "publicKeyPem">,
): Promise<JwtKeyRow> =>
  queries
    .insertInto("jwtKeys")
    .values({ id: newId(), ...key })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Updates the row and returns it; undefined when there is none. */
export const updateJwtKey = async (
  queries: ControlQueries,
  projectId: string,
  id: string,
  change: Partial<Pick<JwtKeyRow, "label" | "active">>,
): Promise<JwtKeyRow | undefined> =>
  isUuid(id)
    ? queries
        .updateTable("jwtKeys")
        .set({ ...change, updateTime: sql`now()` })
        .where("projectId", "=", projectId)
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst()
    : undefined;

/** Removes a key, and returns whether there was one. */
export async function removeJwtKey(queries: ControlQueries, projectId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { numDeletedRows } = await queries
    .deleteFrom("jwtKeys")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Organisations and the people in them. */
import { sql } from "kysely";
import { newId } from "../../../ground/ids.ts";
import type { Role } from "../../../ground/role.ts";
import type { ControlQueries } from "../database/sides.ts";

export interface OrganizationRow {
  id: string;
  label: string;
  defaultTeamId: string;
  createTime: Date;
  updateTime: Date | null;
}

/** Person who works for organisations. */
export interface BuilderRow {
  id: string;
  idpProvider: string;
  idpRef: string;
  firstName: string | null;
  lastName: string | null;
  fullName: string | null;
  primaryEmail: string | null;
  createTime: Date;
}

export const insertOrganization = (queries: ControlQueries, label: string): Promise<{ id: string }> =>
  queries
    .insertInto("organizations")
    .values({ id: newId(), label, defaultTeamId: newId() })
    .returning("id")
    .executeTakeFirstOrThrow();

/** Inserts a person as the owner of an organisation. */
export async function insertOwner(
  queries: ControlQueries,
  person: { orgId: string; idpProvider: string; idpRef: string; fullName: string; primaryEmail?: string },
): Promise<{ id: string }> {
  const { orgId, ...builder } = person;
  const row = await queries
    .insertInto("builders")
    .values({ id: newId(), ...builder })
    .returning("id")
    .executeTakeFirstOrThrow();
  await insertMembership(queries, { orgId, builderId: row.id, role: "owner" });
  return row;
}

export async function insertMembership(
  queries: ControlQueries,
  membership: { orgId: string; builderId: string; role: Role },
): Promise<void> {
  await queries.insertInto("memberships").values(membership).execute();
}

export const findOrganization = (queries: ControlQueries, id: string): Promise<OrganizationRow | undefined> =>
  queries.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirst();

export const updateOrganization = (
  queries: ControlQueries,
  id: string,
  change: { label?: string },
): Promise<OrganizationRow> =>
  queries
    .updateTable("organizations")
    .set({ ...change, updateTime: sql`now()` })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Person with the role in an organisation. */
export type MemberRow = BuilderRow & { role: Role };

const selectMembers = (queries: ControlQueries, orgId: string) =>
  queries
    .selectFrom("memberships")
    .innerJoin("builders", "builders.id", "memberships.builderId")
    .selectAll("builders")
    .select(sql<Role>`memberships.role`.as("role"))
    .where("memberships.orgId", "=", orgId);

/** Lists the people of an organisation, oldest first. */
export const listBuilders = (queries: ControlQueries, orgId: string): Promise<MemberRow[]> =>
  selectMembers(queries, orgId).orderBy("builders.id").execute();

/** Finds a person of an organisation. */
export const findMember = (
  queries: ControlQueries,
  orgId: string,
  builderId: string,
): Promise<MemberRow | undefined> =>
  selectMembers(queries, orgId).where("builders.id", "=", builderId).executeTakeFirst();

/** Lists and locks the owners, so that two callers cannot remove the last two at once. */
export const lockOwners = (queries: ControlQueries, orgId: string): Promise<{ builderId: string }[]> =>
  queries
    .selectFrom("memberships")
    .select("builderId")
    .where("orgId", "=", orgId)
    .where("role", "=", "owner")
    .orderBy("builderId")
    .forUpdate()
    .execute();

export async function updateMembership(
  queries: ControlQueries,
  { orgId, builderId, role }: { orgId: string; builderId: string; role: Role },
): Promise<void> {
  await queries
    .updateTable("memberships")
    .set({ role })
    .where("orgId", "=", orgId)
    .where("builderId", "=", builderId)
    .execute();
}

export async function removeMembership(
  queries: ControlQueries,
  orgId: string,
  builderId: string,
): Promise<void> {
  await queries
    .deleteFrom("memberships")
    .where("orgId", "=", orgId)
    .where("builderId", "=", builderId)
    .execute();
}

export const countOrganizations = async (queries: ControlQueries): Promise<number> => {
  const { count } = await queries
    .selectFrom("organizations")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Finds the organisation's first owner. */
export async function findOwner(queries: ControlQueries, orgId: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom("memberships")
    .select("builderId")
    .where("orgId", "=", orgId)
    .where("role", "=", "owner")
    .orderBy("builderId")
    .executeTakeFirst();
  return row?.builderId;
}

/** Prevents other inserts of organisations until the transaction ends. */
export async function lockOrganizations(queries: ControlQueries): Promise<void> {
  await sql`lock table organizations in share row exclusive mode`.execute(queries);
}

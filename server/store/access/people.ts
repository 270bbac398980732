/** People who sign in, their memberships, and invitations. */
import { sql } from "kysely";
import { isUuid, newId } from "../../../ground/ids.ts";
import type { Role } from "../../../ground/role.ts";
import type { ControlQueries } from "../database/sides.ts";
import type { BuilderRow, OrganizationRow } from "./organizations.ts";

interface MembershipRow {
  role: Role;
  org: OrganizationRow;
}

export interface InviteRow {
  id: string;
  orgId: string;
  invitedEmail: string;
  role: Role;
  status: "pending" | "accepted" | "revoked" | "expired";
  createTime: Date;
  updateTime: Date | null;
}

type Profile = Pick<BuilderRow, "firstName" | "lastName" | "fullName" | "primaryEmail">;

/**
 * Finds or creates a person at the sign-in. Updates the row only if the identity provider's data has changed; values that it
 * does not report (null) stay, because an ID token may lack what UserInfo reported earlier.
 */
export async function upsertBuilder(
  queries: ControlQueries,
  { idpProvider, idpRef, ...profile }: Pick<BuilderRow, "idpProvider" | "idpRef"> & Profile,
): Promise<BuilderRow> {
  const known = await queries
    .selectFrom("builders")
    .selectAll()
    .where("idpProvider", "=", idpProvider)
    .where("idpRef", "=", idpRef)
    .executeTakeFirst();
  if (known && isSame(known, profile)) return known;
  return queries
    .insertInto("builders")
    .values({ id: newId(), idpProvider, idpRef, ...profile })
    .onConflict((conflict) => conflict.columns(["idpProvider", "idpRef"]).doUpdateSet(readProfile(profile)))
    .returningAll()
    .executeTakeFirstOrThrow();
}

const MEMBERS = ["firstName", "lastName", "fullName", "primaryEmail"] as const;

const isSame = (known: Profile, reported: Profile): boolean =>
  MEMBERS.every((member) => reported[member] === null || reported[member] === known[member]);

const readProfile = (profile: Profile): Partial<Profile> =>
  Object.fromEntries(
    MEMBERS.filter((member) => profile[member] !== null).map((member) => [member, profile[member]]),
  );

export const findBuilder = (queries: ControlQueries, id: string): Promise<BuilderRow | undefined> =>
  queries.selectFrom("builders").selectAll().where("id", "=", id).executeTakeFirst();

/** Lists memberships in the order in which the organisations were created. */
export async function listMemberships(queries: ControlQueries, builderId: string): Promise<MembershipRow[]> {
  const rows = await queries
    .selectFrom("memberships")
    .innerJoin("organizations", "organizations.id", "memberships.orgId")
    .select(sql<Role>`memberships.role`.as("role"))
    .selectAll("organizations")
    .where("memberships.builderId", "=", builderId)
    .orderBy("organizations.id")
    .execute();
  return rows.map(({ role, ...org }) => ({ role, org }));
}

/** Finds a person's role in an organisation; undefined for somebody who is not a member. */
export async function findRole(
  queries: ControlQueries,
  orgId: string,
  builderId: string,
): Promise<Role | undefined> {
  const row = await queries
    .selectFrom("memberships")
    .select(sql<Role>`role`.as("role"))
    .where("orgId", "=", orgId)
    .where("builderId", "=", builderId)
    .executeTakeFirst();
  return row?.role;
}

const selectInvites = (queries: ControlQueries) =>
  queries
    .selectFrom("invites")
    .select(["id", "orgId", "invitedEmail", "createTime", "updateTime"])
    .select(sql<Role>`role`.as("role"))
    .select(
      sql<
        InviteRow["status"]
      >`case when status = 'pending' and expire_time <= now() then 'expired' else status end`.as("status"),
    );

export const listInvites = (queries: ControlQueries, orgId: string): Promise<InviteRow[]> =>
  selectInvites(queries).where("orgId", "=", orgId).orderBy("id").execute();

export const findInvite = async (
  queries: ControlQueries,
  orgId: string,
  id: string,
): Promise<InviteRow | undefined> =>
  isUuid(id)
    ? selectInvites(queries).where("orgId", "=", orgId).where("id", "=", id).executeTakeFirst()
    : undefined;

/** Inserts an invitation, or renews a pending one for the same address. */
export async function upsertInvite(
  queries: ControlQueries,
  orgId: string,
  email: string,
  /** `sessionId`: the session of the inviting person, where people sign in with keys. `role`: the role that the invitation gives. */
  { sessionId, role = "editor" }: { sessionId?: string; role?: Role } = {},
): Promise<InviteRow> {
  const { id } = await queries
    .insertInto("invites")
    .values(({ selectFrom }) => ({
      id: newId(),
      orgId,
      invitedEmail: email.toLowerCase(),
      role,
      apiKeyId: sessionId ? selectFrom("sessions").select("apiKeyId").where("id", "=", sessionId) : null,
    }))
    .onConflict((conflict) =>
      conflict
        .columns(["orgId", "invitedEmail"])
        .where("status", "=", "pending")
        .doUpdateSet({ role, expireTime: sql<Date>`now() + interval '7 days'`, updateTime: sql`now()` }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  const row = await findInvite(queries, orgId, id);
  if (!row) throw new Error("the invitation was not stored");
  return row;
}

/** Revokes a pending invitation, and returns whether there was one. */
export async function revokeInvite(queries: ControlQueries, orgId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("invites")
    .set({ status: "revoked", updateTime: sql`now()` })
    .where("orgId", "=", orgId)
    .where("id", "=", id)
    .where("status", "=", "pending")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Revokes the pending invitations that were made in sessions of this key. */
export async function revokeInvitesOfKey(queries: ControlQueries, apiKeyId: string): Promise<void> {
  await queries
    .updateTable("invites")
    .set({ status: "revoked", updateTime: sql`now()` })
    .where("apiKeyId", "=", apiKeyId)
    .where("status", "=", "pending")
    .execute();
}

/** Accepts all open invitations for the address, and returns the organisations. */
export async function acceptInvites(
  queries: ControlQueries,
  email: string,
  builderId: string,
): Promise<string[]> {
  const accepted = await queries
    .updateTable("invites")
    .set({ status: "accepted", apiKeyId: null, updateTime: sql`now()` })
    .where("invitedEmail", "=", email.toLowerCase())
    .where("status", "=", "pending")
    .where("expireTime", ">", sql<Date>`now()`)
    .returning(["orgId", "role"])
    .execute();
  for (const { orgId, role } of accepted) {
    await queries
      .insertInto("memberships")
      .values({ orgId, builderId, role })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return accepted.map(({ orgId }) => orgId);
}

/** Organisations and the people in them. */
import { sql } from "kysely";
import { newId } from "../ground/ids.ts";
import type { Queries } from "./database.ts";

export const insertOrganization = (queries: Queries, label: string): Promise<{ id: string }> =>
  queries
    .insertInto("organizations")
    .values({ id: newId(), label, defaultTeamId: newId() })
    .returning("id")
    .executeTakeFirstOrThrow();

/** A person who works for the organisation, as its owner. */
export async function insertOwner(
  queries: Queries,
  person: { orgId: string; idpProvider: string; idpRef: string; fullName: string },
): Promise<{ id: string }> {
  const { orgId, ...builder } = person;
  const row = await queries
    .insertInto("builders")
    .values({ id: newId(), ...builder })
    .returning("id")
    .executeTakeFirstOrThrow();
  await queries.insertInto("memberships").values({ orgId, builderId: row.id, role: "owner" }).execute();
  return row;
}

export const countOrganizations = async (queries: Queries): Promise<number> => {
  const { count } = await queries
    .selectFrom("organizations")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** The organisation's first owner. */
export async function findOwner(queries: Queries, orgId: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom("memberships")
    .select("builderId")
    .where("orgId", "=", orgId)
    .where("role", "=", "owner")
    .orderBy("builderId")
    .executeTakeFirst();
  return row?.builderId;
}

/** Until the transaction ends nobody else may add an organisation. */
export async function lockOrganizations(queries: Queries): Promise<void> {
  await sql`lock table organizations in share row exclusive mode`.execute(queries);
}

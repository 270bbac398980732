/** Sessions of customers who connect in several steps. */
import { sql } from "kysely";
import type { ProviderMetadata } from "./connections.ts";
import type { Queries } from "./database.ts";

export interface CustomAuthSession {
  id: string;
  projectId: string;
  provider: string;
  providerAppId: string | null;
  groupRef: string;
  groupName: string | null;
  consumerRef: string;
  consumerName: string | null;
  providerMetadata: ProviderMetadata;
  step: number;
  progressSealed: string;
}

export async function insertCustomAuthSession(
  queries: Queries,
  session: CustomAuthSession & { hash: Buffer; expireTime: Date },
): Promise<void> {
  await queries
    .insertInto("customAuthSessions")
    .values({ ...session, providerMetadata: JSON.stringify(session.providerMetadata) })
    .execute();
}

/**
 * Ends and returns the session with this digest. `asker` narrows to the sessions of one customer, so that one customer
 * cannot end the session of another.
 */
export async function takeCustomAuthSession(
  queries: Queries,
  projectId: string,
  hash: Buffer,
  asker: { groupRef?: string; consumerRef?: string },
): Promise<CustomAuthSession | undefined> {
  let query = queries
    .deleteFrom("customAuthSessions")
    .where("projectId", "=", projectId)
    .where("hash", "=", hash)
    .where("expireTime", ">", sql<Date>`now()`);
  if (asker.groupRef !== undefined) query = query.where("groupRef", "=", asker.groupRef);
  if (asker.consumerRef !== undefined) query = query.where("consumerRef", "=", asker.consumerRef);
  const row = await query.returningAll().executeTakeFirst();
  return row && { ...row, providerMetadata: row.providerMetadata as ProviderMetadata };
}

/** Returns the number of removed rows. */
export async function removeExpiredCustomAuthSessions(queries: Queries, most: number): Promise<number> {
  const { numDeletedRows } = await queries
    .deleteFrom("customAuthSessions")
    .where("id", "in", (inner) =>
      inner
        .selectFrom("customAuthSessions")
        .select("id")
        .where("expireTime", "<", sql<Date>`now()`)
        .limit(most),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

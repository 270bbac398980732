/** Sign-in sessions, of which only the digests of the tokens are stored. */
import { sql } from "kysely";
import { newId } from "../ground/ids.ts";
import type { Queries } from "./database.ts";

/** A key and the person that it signs in, if any. */
export interface SigningKey {
  apiKeyId: string;
  scopes: string[];
  builderId: string | null;
}

/** Finds the active key with this digest. */
export const findSigningKey = (queries: Queries, hash: Buffer): Promise<SigningKey | undefined> =>
  queries
    .selectFrom("apiKeys")
    .select(["id as apiKeyId", "scopes", "builderId"])
    .where("hash", "=", hash)
    .where("active", "=", true)
    .executeTakeFirst();

export const insertSession = async (
  queries: Queries,
  session: { hash: Buffer; builderId: string; apiKeyId: string; expireTime: Date },
): Promise<void> => {
  await queries
    .insertInto("sessions")
    .values({ id: newId(), ...session })
    .execute();
};

/** Finds the person of a session that has not expired and whose key is still active. */
export const findSession = (
  queries: Queries,
  hash: Buffer,
): Promise<{ id: string; builderId: string; idpProvider: string; primaryEmail: string | null } | undefined> =>
  queries
    .selectFrom("sessions")
    .innerJoin("apiKeys", "apiKeys.id", "sessions.apiKeyId")
    .innerJoin("builders", "builders.id", "sessions.builderId")
    .select(["sessions.id", "sessions.builderId", "builders.idpProvider", "builders.primaryEmail"])
    .where("sessions.hash", "=", hash)
    .where("sessions.expireTime", ">", sql<Date>`now()`)
    .where("apiKeys.active", "=", true)
    .whereRef("apiKeys.builderId", "=", "sessions.builderId")
    .executeTakeFirst();

export async function removeSession(queries: Queries, id: string): Promise<void> {
  await queries.deleteFrom("sessions").where("id", "=", id).execute();
}

/** Ends the sessions that a key has opened: activating the key again does not revive them. */
export async function removeSessionsOfKey(queries: Queries, apiKeyId: string): Promise<void> {
  await queries.deleteFrom("sessions").where("apiKeyId", "=", apiKeyId).execute();
}

/** Returns the number of removed rows. */
export async function removeExpiredSessions(queries: Queries, most: number): Promise<number> {
  const { numDeletedRows } = await queries
    .deleteFrom("sessions")
    .where("id", "in", (inner) =>
      inner
        .selectFrom("sessions")
        .select("id")
        .where("expireTime", "<", sql<Date>`now()`)
        .limit(most),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

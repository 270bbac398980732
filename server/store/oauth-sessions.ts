/** Sessions of customers who are at a provider's consent page. */
import { sql } from "kysely";
import { isUuid } from "../ground/ids.ts";
import type { ProviderMetadata } from "./connections.ts";
import type { Queries } from "./database.ts";

export interface OauthSession {
  id: string;
  projectId: string;
  provider: string;
  providerAppId: string;
  connectionId: string | null;
  groupRef: string;
  groupName: string | null;
  consumerRef: string;
  consumerName: string | null;
  providerWorkspaceRef: string | null;
  providerMetadata: ProviderMetadata;
  redirectUri: string;
  codeVerifierSealed: string | null;
  /** Whether the flow must be completed in the browser that started it. */
  browserBound: boolean;
  /** Digest of that browser's cookie; null until the browser has called. */
  browserHash: Buffer | null;
}

/** Inserts a session and removes expired ones. */
export async function insertOauthSession(
  queries: Queries,
  session: Omit<OauthSession, "browserHash"> & { stateHash: Buffer; expireTime: Date },
): Promise<void> {
  await queries
    .deleteFrom("oauthSessions")
    .where("expireTime", "<", sql<Date>`now()`)
    .execute();
  await queries
    .insertInto("oauthSessions")
    .values({ ...session, providerMetadata: JSON.stringify(session.providerMetadata) })
    .execute();
}

/** Ends and returns the session of this state: a second call finds nothing. */
export async function takeOauthSession(
  queries: Queries,
  stateHash: Buffer,
): Promise<OauthSession | undefined> {
  const row = await queries
    .deleteFrom("oauthSessions")
    .where("stateHash", "=", stateHash)
    .where("expireTime", ">", sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst();
  return row && { ...row, providerMetadata: row.providerMetadata as ProviderMetadata };
}

/** Finds an open session that waits for its browser. */
export const findOauthSession = async (
  queries: Queries,
  id: string,
): Promise<{ id: string; projectId: string } | undefined> =>
  isUuid(id)
    ? queries
        .selectFrom("oauthSessions")
        .select(["id", "projectId"])
        .where("id", "=", id)
        .where("browserBound", "=", true)
        .where("expireTime", ">", sql<Date>`now()`)
        .executeTakeFirst()
    : undefined;

/** Returns false when the session belongs to another browser already. */
export async function bindToBrowser(queries: Queries, id: string, hash: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("oauthSessions")
    .set({ browserHash: hash })
    .where("id", "=", id)
    .where("browserHash", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

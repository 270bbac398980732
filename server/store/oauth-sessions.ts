/** Sessions of customers who are at a provider's consent page. */
import { sql } from "kysely";
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
}

/** Also removes what nobody came back to. */
export async function insertOauthSession(
  queries: Queries,
  session: OauthSession & { stateHash: Buffer; expireTime: Date },
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

/** The session of this state, which thereby ends: a second call finds nothing. */
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

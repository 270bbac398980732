/** API keys: only their digest is known here. */
import { hashApiKey, newId } from "../ground/ids.ts";
import type { Queries } from "./database.ts";

export interface KeyOwner {
  apiKeyId: string;
  scopes: string[];
  projectId: string;
  projectName: string;
  orgId: string;
}

/** Whose key this is, if it is an active one. */
export const findKeyOwner = (queries: Queries, hash: Buffer): Promise<KeyOwner | undefined> =>
  queries
    .selectFrom("apiKeys")
    .innerJoin("projects", "projects.id", "apiKeys.projectId")
    .select([
      "apiKeys.id as apiKeyId",
      "apiKeys.scopes",
      "projects.id as projectId",
      "projects.name as projectName",
      "projects.orgId",
    ])
    .where("apiKeys.hash", "=", hash)
    .where("apiKeys.active", "=", true)
    .executeTakeFirst();

/** Stores the digest of `key`. */
export async function insertApiKey(
  queries: Queries,
  key: { key: string; projectId: string; label: string; scopes: string[] },
): Promise<{ id: string }> {
  const { key: secret, ...row } = key;
  return queries
    .insertInto("apiKeys")
    .values({ id: newId(), hash: hashApiKey(secret), ...row })
    .returning("id")
    .executeTakeFirstOrThrow();
}

/** API keys. Only their digests are stored. */
import { sql } from "kysely";
import { hashSecret, shortenApiKey, isUuid, newId } from "../../../ground/ids.ts";
import type { ControlQueries } from "../database/sides.ts";

export interface KeyOwner {
  apiKeyId: string;
  label: string;
  scopes: string[];
  projectId: string;
  projectName: string;
  orgId: string;
  expireTime: Date | null;
  /** Addresses and networks that may use the key; an empty list allows all. */
  allowedAddresses: string[];
  /** Rate limit in each process; null: none. */
  rate: { perSecond: number; burst: number } | null;
}

/** Finds the owner of an active key. An expired key is found, too: its caller gets another refusal than for an unknown key. */
export async function findKeyOwner(queries: ControlQueries, hash: Buffer): Promise<KeyOwner | undefined> {
  const row = await queries
    .selectFrom("apiKeys")
    .innerJoin("projects", "projects.id", "apiKeys.projectId")
    .select([
      "apiKeys.id as apiKeyId",
      "apiKeys.label",
      "apiKeys.scopes",
      "projects.id as projectId",
      "projects.name as projectName",
      "projects.orgId",
      "apiKeys.expireTime",
      "apiKeys.allowedAddresses",
      "apiKeys.requestsPerSecond",
      "apiKeys.burst",
    ])
    .where("apiKeys.hash", "=", hash)
    .where("apiKeys.active", "=", true)
    .executeTakeFirst();
  if (!row) return undefined;
  const { requestsPerSecond: perSecond, burst, ...owner } = row;
  return { ...owner, rate: perSecond === null ? null : { perSecond, burst: burst ?? 1 } };
}

export interface ApiKeyRow {
  id: string;
  projectId: string;
  /** Beginning of the key, which lists show. */
  hint: string;
  label: string;
  scopes: string[];
  active: boolean;
  /** Person who is signed in by the key. */
  builderId: string | null;
  expireTime: Date | null;
  /** Accurate to about a minute. */
  lastUsedTime: Date | null;
  /** `builder:<id>`, `apiKey:<id>` or `system`; null for keys that are older than this column. */
  createdBy: string | null;
  /** Addresses and networks that may use the key; an empty list allows all. */
  allowedAddresses: string[];
  /** Rate limit; both are null without one. */
  requestsPerSecond: number | null;
  burst: number | null;
  /** Whether an agent with this key deploys without approval. */
  agentMayDeploy: boolean;
  createTime: Date;
  updateTime: Date | null;
}

const COLUMNS = [
  "id",
  "projectId",
  "hint",
  "label",
  "scopes",
  "active",
  "builderId",
  "expireTime",
  "createdBy",
  "allowedAddresses",
  "requestsPerSecond",
  "burst",
  "agentMayDeploy",
  "createTime",
  "updateTime",
] as const;

const LAST_USED = sql<Date | null>`
  (select last_used_time from api_key_uses where api_key_id = api_keys.id)`.as("lastUsedTime");

/** Inserts a key, of which only the digest is stored. */
export async function insertApiKey(
  queries: ControlQueries,
  key: {
    key: string;
    projectId: string;
    label: string;
    scopes: string[];
    /** Person who is signed in by the key. */
    builderId?: string;
    expireTime?: Date;
    createdBy?: string;
  } & Partial<Pick<ApiKeyRow, "allowedAddresses" | "requestsPerSecond" | "burst" | "agentMayDeploy">>,
): Promise<ApiKeyRow> {
  const { key: secret, ...row } = key;
  return queries
    .insertInto("apiKeys")
    .values({
      id: newId(),
      hash: hashSecret(secret),
      hint: shortenApiKey(secret),
      createdBy: "system",
      ...row,
    })
    .returning([...COLUMNS, LAST_USED])
    .executeTakeFirstOrThrow();
}

/** Lists keys in the order of their creation; `active` narrows to one kind. */
export const listApiKeys = (
  queries: ControlQueries,
  projectId: string,
  active?: boolean,
): Promise<ApiKeyRow[]> => {
  const all = queries
    .selectFrom("apiKeys")
    .select([...COLUMNS, LAST_USED])
    .where("projectId", "=", projectId)
    .orderBy("id");
  return (active === undefined ? all : all.where("active", "=", active)).execute();
};

/** Finds a key by the whole key, by its id, or by its shown part if only one key has that part. */
export async function findApiKey(
  queries: ControlQueries,
  projectId: string,
  named: string,
): Promise<ApiKeyRow | undefined> {
  const all = queries
    .selectFrom("apiKeys")
    .select([...COLUMNS, LAST_USED])
    .where("projectId", "=", projectId);
  if (isUuid(named)) return all.where("id", "=", named).executeTakeFirst();
  const whole = await all.where("hash", "=", hashSecret(named)).executeTakeFirst();
  if (whole) return whole;
  const [first, second] = await all.where("hint", "=", named).limit(2).execute();
  return second ? undefined : first;
}

/** Lists and locks the project's unrestricted keys without expiry, so that two callers cannot remove the last two at once. */
export const lockFullKeys = (queries: ControlQueries, projectId: string): Promise<{ id: string }[]> =>
  queries
    .selectFrom("apiKeys")
    .select("id")
    .where("projectId", "=", projectId)
    .where("active", "=", true)
    .where("expireTime", "is", null)
    .where(sql<boolean>`'full' = any(scopes)`)
    .orderBy("id")
    .forUpdate()
    .execute();

export const updateApiKey = (
  queries: ControlQueries,
  projectId: string,
  id: string,
  change: Partial<
    Pick<
      ApiKeyRow,
      | "label"
      | "scopes"
      | "active"
      | "expireTime"
      | "allowedAddresses"
      | "requestsPerSecond"
      | "burst"
      | "agentMayDeploy"
    >
  >,
): Promise<ApiKeyRow> =>
  queries
    .updateTable("apiKeys")
    .set({ ...change, updateTime: sql`now()` })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .returning([...COLUMNS, LAST_USED])
    .executeTakeFirstOrThrow();

export async function removeApiKey(queries: ControlQueries, projectId: string, id: string): Promise<void> {
  await queries.deleteFrom("apiKeys").where("projectId", "=", projectId).where("id", "=", id).execute();
}

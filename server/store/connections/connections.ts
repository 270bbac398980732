/** Connections: a customer's account at a provider, with its sealed credentials. */
import { sql } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import { isOfGroup } from "../access/customers.ts";
import type { ControlQueries, SharedQueries } from "../database/sides.ts";
import { queueSubscriptionSync, queueSyncs } from "../integrations/installation-syncs.ts";
import { buildAccountRef } from "../reads/read-objects.ts";
import { buildBaselineAccount } from "../integrations/schema-baselines.ts";
import { queueOutbox } from "../database/outbox.ts";

export type ConnectionStatus = "created" | "working" | "bad_credentials";

/** Metadata by name: entered by the customer, contained in the token response, or read from the provider afterwards. */
export type ProviderMetadata = Record<
  string,
  { value: string; source: "input" | "token" | "provider"; displayName?: string }
>;

interface RefreshFailure {
  /** RFC 3339. */
  since: string;
  detail: string;
}

export interface ConnectionRow {
  id: string;
  projectId: string;
  provider: string;
  providerAppId: string | null;
  authScheme: string;
  status: ConnectionStatus;
  /** When the provider first accepted the present credentials, as far as is known. */
  verifiedTime: Date | null;
  providerWorkspaceRef: string | null;
  providerConsumerRef: string | null;
  providerMetadata: ProviderMetadata;
  credentialsSealed: string;
  accessExpireTime: Date | null;
  /** Why no new access token can be obtained; null since the last success. */
  refreshFailure: RefreshFailure | null;
  createTime: Date;
  updateTime: Date | null;
  group: {
    groupRef: string;
    groupName: string;
    projectId: string;
    createTime: Date;
    updateTime: Date | null;
  };
  consumer: {
    consumerRef: string;
    consumerName: string;
    projectId: string;
    createTime: Date;
    updateTime: Date | null;
  };
}

const select = (queries: SharedQueries, projectId: string) =>
  queries
    .selectFrom("connections")
    .innerJoin("groups", "groups.id", "connections.groupId")
    .innerJoin("consumers", "consumers.id", "connections.consumerId")
    .selectAll("connections")
    .select([
      "groups.groupRef",
      "groups.groupName",
      "groups.createTime as groupTime",
      "groups.updateTime as groupUpdateTime",
      "consumers.consumerRef",
      "consumers.consumerName",
      "consumers.createTime as consumerTime",
      "consumers.updateTime as consumerUpdateTime",
    ])
    .where("connections.projectId", "=", projectId);

type Joined = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function assembleRow(row: Joined): ConnectionRow {
  const { id, projectId, provider, providerAppId, authScheme, providerWorkspaceRef, providerConsumerRef } =
    row;
  const { groupRef, groupName, consumerRef, consumerName } = row;
  return {
    id,
    projectId,
    provider,
    providerAppId,
    authScheme,
    status: row.status as ConnectionStatus,
    verifiedTime: row.verifiedTime,
    providerWorkspaceRef,
    providerConsumerRef,
    providerMetadata: row.providerMetadata as ProviderMetadata,
    credentialsSealed: row.credentialsSealed,
    accessExpireTime: row.accessExpireTime,
    refreshFailure: row.refreshFailure as RefreshFailure | null,
    createTime: row.createTime,
    updateTime: row.updateTime,
    group: { groupRef, groupName, projectId, createTime: row.groupTime, updateTime: row.groupUpdateTime },
    consumer: {
      consumerRef,
      consumerName,
      projectId,
      createTime: row.consumerTime,
      updateTime: row.consumerUpdateTime,
    },
  };
}

/** Lists connections, newest first; the filters combine. */
export async function listConnections(
  queries: SharedQueries,
  projectId: string,
  filter: { provider?: string; groupRef?: string; consumerRef?: string },
): Promise<ConnectionRow[]> {
  let query = select(queries, projectId).orderBy("connections.id", "desc");
  if (filter.provider) query = query.where("connections.provider", "=", filter.provider);
  if (filter.groupRef) query = query.where(isOfGroup("connections", projectId, filter.groupRef));
  if (filter.consumerRef) query = query.where("consumers.consumerRef", "=", filter.consumerRef);
  return (await query.execute()).map(assembleRow);
}

export async function findConnection(
  queries: SharedQueries,
  projectId: string,
  id: string,
): Promise<ConnectionRow | undefined> {
  if (!isUuid(id)) return undefined;
  const found = await select(queries, projectId).where("connections.id", "=", id).executeTakeFirst();
  return found && assembleRow(found);
}

interface NewConnection {
  id: string;
  projectId: string;
  provider: string;
  groupId: string;
  consumerId: string;
  providerAppId?: string;
  authScheme: string;
  providerWorkspaceRef?: string;
  providerConsumerRef?: string;
  providerMetadata: ProviderMetadata;
  credentialsSealed: string;
  accessExpireTime?: Date;
  /** Default: nothing is known of the credentials, and no trial is due. */
  trial?: TrialState;
}

/** What is known of new credentials, and whether a trial is to test them. */
export interface TrialState {
  isVerified: boolean;
  canBeTried: boolean;
}

/** Builds the columns of new credentials. */
const toTrialColumns = ({ isVerified, canBeTried }: TrialState) => ({
  status: isVerified ? ("working" as const) : ("created" as const),
  verifiedTime: isVerified ? sql<Date>`now()` : null,
  trialTime: !isVerified && canBeTried ? sql<Date>`now()` : null,
  trials: 0,
});

/** Inserts a connection. Violates `connections_project_id_group_id_provider_key` if the group already has one to the provider. */
export async function insertConnection(
  queries: ControlQueries,
  { trial = { isVerified: false, canBeTried: false }, ...connection }: NewConnection,
): Promise<void> {
  await queries
    .insertInto("connections")
    .values({
      ...connection,
      ...toTrialColumns(trial),
      providerMetadata: JSON.stringify(connection.providerMetadata),
    })
    .execute();
}

/** Finds and locks the group's connection to the provider until the transaction ends. */
export const lockGroupConnection = (
  queries: ControlQueries,
  projectId: string,
  groupId: string,
  provider: string,
): Promise<{ id: string; status: string } | undefined> =>
  queries
    .selectFrom("connections")
    .select(["id", "status"])
    .where("projectId", "=", projectId)
    .where("groupId", "=", groupId)
    .where("provider", "=", provider)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Locks the row until the transaction ends: one refresh at a time, over all processes. */
export const lockConnection = (
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<{ id: string; status: string } | undefined> =>
  queries
    .selectFrom("connections")
    .select(["id", "status"])
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    // Not "for update": a refresh must not block inserts that refer to the connection.
    .forNoKeyUpdate()
    .executeTakeFirst();

type ConnectionChange = Partial<
  Pick<
    NewConnection,
    | "consumerId"
    | "providerAppId"
    | "authScheme"
    | "credentialsSealed"
    | "providerWorkspaceRef"
    | "providerConsumerRef"
    | "providerMetadata"
    | "trial"
  > & {
    status: ConnectionStatus;
    accessExpireTime: Date | null;
    refreshFailure: null;
  }
>;

export async function updateConnection(
  queries: ControlQueries,
  projectId: string,
  id: string,
  change: ConnectionChange,
): Promise<void> {
  // New credentials end the pauses that Busbar has set, and another account has other records.
  if (change.trial !== undefined || change.providerWorkspaceRef !== undefined)
    await queueSyncs(queries, { projectId, connectionId: id });
  await write(queries, projectId, id, change);
}

/**
 * Stores what a token refresh returned. The grant is the same, so the account is the same, too, even if the provider now gives
 * it another name. Pauses stay, unless the credentials were bad before, or no token could be obtained.
 */
export async function updateRefreshedConnection(
  queries: ControlQueries,
  { id, projectId, status, refreshFailure, providerWorkspaceRef: formerRef }: ConnectionRow,
  change: ConnectionChange,
): Promise<void> {
  const { providerWorkspaceRef: accountRef } = change;
  if (accountRef !== undefined && accountRef !== formerRef)
    await keepAccount(queries, { projectId, connectionId: id, formerRef, accountRef });
  if (status === "bad_credentials" || refreshFailure)
    await queueSyncs(queries, { projectId, connectionId: id });
  else await queueSubscriptionSync(queries, { projectId, connectionId: id });
  await write(queries, projectId, id, change);
}

async function write(
  queries: ControlQueries,
  projectId: string,
  id: string,
  { providerMetadata, trial, ...columns }: ConnectionChange,
): Promise<void> {
  await queries
    .updateTable("connections")
    .set({
      ...columns,
      ...(trial && toTrialColumns(trial)),
      ...(providerMetadata && { providerMetadata: JSON.stringify(providerMetadata) }),
      updateTime: sql`now()`,
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .execute();
}

/** Keeps the cursors and known fields of installations on the connection when the account's name changes. */
function keepAccount(
  queries: ControlQueries,
  {
    projectId,
    connectionId,
    formerRef,
    accountRef,
  }: { projectId: string; connectionId: string; formerRef: string | null; accountRef: string },
): Promise<void> {
  const formerly = {
    read: buildAccountRef(connectionId, formerRef),
    baseline: buildBaselineAccount(connectionId, formerRef),
  };
  return queueOutbox(queries, [
    { projectId, kind: "renamed-account", content: { connectionId, accountRef, formerly } },
  ]);
}

/** Removes a connection, and returns whether there was one. Violates a foreign key while an installation uses it. */
export async function removeConnection(
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("connections")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Removes those of the connections that no installation uses any longer, and returns their ids. */
export async function removeUnusedConnections(
  queries: ControlQueries,
  projectId: string,
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await queries
    .deleteFrom("connections")
    .where("projectId", "=", projectId)
    .where("id", "in", ids)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("installations").select("id").whereRef("connectionId", "=", "connections.id"))),
    )
    .returning("id")
    .execute();
  return rows.map((row) => row.id);
}

/** Lists connections by id; missing ones are absent. */
export async function listConnectionsById(
  queries: SharedQueries,
  projectId: string,
  ids: string[],
): Promise<Map<string, ConnectionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await select(queries, projectId).where("connections.id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, assembleRow(row)]));
}

/** Installations: an integration enabled for a group, with its present and former configurations. */
import { isUuid, newId } from "../../../ground/ids.ts";
import { isOfGroup } from "../access/customers.ts";
import type { ControlQueries, DataQueries, SharedQueries } from "../database/sides.ts";
import { queueSyncs } from "./installation-syncs.ts";
import { sql } from "kysely";

export interface InstallationRow<Config = unknown> {
  id: string;
  projectId: string;
  integrationId: string;
  groupId: string;
  groupRef: string;
  connectionId: string;
  createdBy: string;
  createTime: Date;
  updateTime: Date | null;
  config: { id: string; revisionId: string; content: Config; createdBy: string; createTime: Date };
}

const select = (queries: SharedQueries, projectId: string) =>
  queries
    .selectFrom("installations")
    .innerJoin("groups", "groups.id", "installations.groupId")
    .innerJoinLateral(
      (join) =>
        join
          .selectFrom("configs")
          .select(["configs.id", "revisionId", "content", "configs.createdBy", "configs.createTime"])
          .whereRef("configs.installationId", "=", "installations.id")
          .orderBy("configs.seq", "desc")
          .limit(1)
          .as("config"),
      (join) => join.onTrue(),
    )
    .selectAll("installations")
    .select([
      "groups.groupRef",
      "config.id as configId",
      "config.revisionId",
      "config.content",
      "config.createdBy as configBy",
      "config.createTime as configTime",
    ])
    .where("installations.projectId", "=", projectId);

type Joined = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function assembleRow<Config>(row: Joined): InstallationRow<Config> {
  const { configId, revisionId, content, configBy, configTime, ...installation } = row;
  return {
    ...installation,
    // The configuration was checked when it was stored.
    config: {
      id: configId,
      revisionId,
      content: content as Config,
      createdBy: configBy,
      createTime: configTime,
    },
  };
}

export async function listInstallations<C>(
  queries: SharedQueries,
  projectId: string,
  filter: { integrationId?: string; groupRef?: string },
): Promise<InstallationRow<C>[]> {
  let query = select(queries, projectId).orderBy("installations.id", "desc");
  if (filter.integrationId) query = query.where("installations.integrationId", "=", filter.integrationId);
  if (filter.groupRef) query = query.where(isOfGroup("installations", projectId, filter.groupRef));
  return (await query.execute()).map((row) => assembleRow<C>(row));
}

/** Lists the ids of a customer's installations, with the status of each connection. */
export const listInstalledOfGroup = (
  queries: SharedQueries,
  projectId: string,
  groupRef: string,
): Promise<{ id: string; status: string | null }[]> =>
  queries
    .selectFrom("installations")
    .leftJoin("connections", "connections.id", "installations.connectionId")
    .select(["installations.id", "connections.status"])
    .where("installations.projectId", "=", projectId)
    .where(isOfGroup("installations", projectId, groupRef))
    .orderBy("installations.id", "desc")
    .execute();

export async function findInstallation<C>(
  queries: SharedQueries,
  projectId: string,
  id: string,
): Promise<InstallationRow<C> | undefined> {
  if (!isUuid(id)) return undefined;
  const found = await select(queries, projectId).where("installations.id", "=", id).executeTakeFirst();
  return found && assembleRow<C>(found);
}

/** Lists installations by id; missing ones are absent. */
export async function listInstallationsById<C>(
  queries: SharedQueries,
  projectId: string,
  ids: string[],
): Promise<Map<string, InstallationRow<C>>> {
  if (ids.length === 0) return new Map();
  const rows = await select(queries, projectId).where("installations.id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, assembleRow<C>(row)]));
}

/** Finds the installation of a group by the id or name of the integration, as writes and proxied calls name it. */
export async function findInstallationOfGroup<C>(
  queries: SharedQueries,
  projectId: string,
  integrationId: string,
  groupRef: string,
): Promise<InstallationRow<C> | undefined> {
  const found = await select(queries, projectId)
    .where("installations.integrationId", "=", integrationId)
    .where(isOfGroup("installations", projectId, groupRef))
    .executeTakeFirst();
  return found && assembleRow<C>(found);
}

/** Lists the status of the newest operation of each installation; those without an operation are absent. */
export async function listLastStatuses(queries: DataQueries, ids: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; status: string }>`
    select installation.id, last.status from unnest(${ids}::uuid[]) as installation (id)
    cross join lateral (
      select status from operations where installation_id = installation.id order by operations.id desc limit 1) as last
  `.execute(queries);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** Inserts an installation. Violates `installations_integration_id_group_id_key` if the group has one of the integration. */
export async function insertInstallation(
  queries: ControlQueries,
  installation: {
    projectId: string;
    integrationId: string;
    groupId: string;
    connectionId: string;
    createdBy: string;
    revisionId: string;
    content: unknown;
  },
): Promise<{ id: string }> {
  const { revisionId, content, ...row } = installation;
  const created = await queries
    .insertInto("installations")
    .values({ id: newId(), ...row })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { projectId, createdBy } = row;
  await insertConfig(queries, { projectId, installationId: created.id, revisionId, content, createdBy });
  return created;
}

/** Inserts a new configuration; former ones are kept for the operations that used them. */
export async function insertConfig(
  queries: ControlQueries,
  config: {
    projectId: string;
    installationId: string;
    revisionId: string;
    content: unknown;
    createdBy: string;
  },
): Promise<void> {
  await queries
    .insertInto("configs")
    .values({ id: newId(), ...config, content: JSON.stringify(config.content) })
    .execute();
  await queueSyncs(queries, { projectId: config.projectId, installationId: config.installationId });
}

/** Locks the installation until the transaction ends; reads are not blocked. Returns false if there is none. */
export async function lockInstallation(
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<boolean> {
  const locked = await queries
    .selectFrom("installations")
    .select("id")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return locked !== undefined;
}

/** Records the time of a change and, if it is another one, the connection. */
export const touchInstallation = async (
  queries: ControlQueries,
  projectId: string,
  id: string,
  change: { connectionId?: string } = {},
): Promise<void> => {
  const { connectionId } = change;
  await queries
    .updateTable("installations")
    .set({ updateTime: sql`now()`, ...(connectionId && { connectionId }) })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .execute();
  if (connectionId) await queueSyncs(queries, { projectId, installationId: id });
};

/** Removes the row and returns it; undefined if there was none. */
export const removeInstallation = (
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<{ connectionId: string } | undefined> =>
  queries
    .deleteFrom("installations")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .returning("connectionId")
    .executeTakeFirst();

/** Removes all installations of the integration, and returns them. */
export const removeIntegrationInstallations = (
  queries: ControlQueries,
  projectId: string,
  integrationId: string,
): Promise<{ id: string; connectionId: string }[]> =>
  queries
    .deleteFrom("installations")
    .where("projectId", "=", projectId)
    .where("integrationId", "=", integrationId)
    .returning(["id", "connectionId"])
    .execute();

/** Counts the installations that use the connection. */
export async function countConnectionInstallations(
  queries: SharedQueries,
  projectId: string,
  connectionId: string,
): Promise<number> {
  const { count } = await queries
    .selectFrom("installations")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("projectId", "=", projectId)
    .where("connectionId", "=", connectionId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Counts the installations of each integration; those without any are absent. */
export async function countInstallationsByIntegration(
  queries: SharedQueries,
  projectId: string,
): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom("installations")
    .select(["integrationId", sql<number>`count(*)::integer`.as("count")])
    .where("projectId", "=", projectId)
    .groupBy("integrationId")
    .execute();
  return new Map(rows.map(({ integrationId, count }) => [integrationId, count]));
}

/** Finds the content of a configuration, present or former. */
export async function findConfig<C>(
  queries: SharedQueries,
  projectId: string,
  id: string,
): Promise<C | undefined> {
  const row = await queries
    .selectFrom("configs")
    .select("content")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  // The configuration was checked when it was stored.
  return row?.content as C | undefined;
}

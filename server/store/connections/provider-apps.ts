/** Provider apps: the builders' OAuth clients at the providers. */
import { sql } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { ControlQueries, SharedQueries } from "../database/sides.ts";
import { queueSubscriptionSync } from "../integrations/installation-syncs.ts";

export interface ProviderAppRow {
  id: string;
  projectId: string;
  provider: string;
  externalRef: string | null;
  clientId: string;
  clientSecretSealed: string;
  scopes: string[];
  metadata: unknown;
  createTime: Date;
  updateTime: Date | null;
}

export const listProviderApps = (queries: SharedQueries, projectId: string): Promise<ProviderAppRow[]> =>
  queries.selectFrom("providerApps").selectAll().where("projectId", "=", projectId).orderBy("id").execute();

export const findProviderApp = async (
  queries: SharedQueries,
  projectId: string,
  id: string,
): Promise<ProviderAppRow | undefined> =>
  isUuid(id)
    ? queries
        .selectFrom("providerApps")
        .selectAll()
        .where("projectId", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst()
    : undefined;

/** Finds the project's default app for the provider: the first one. */
export const findDefaultProviderApp = (
  queries: SharedQueries,
  projectId: string,
  provider: string,
): Promise<ProviderAppRow | undefined> =>
  queries
    .selectFrom("providerApps")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("provider", "=", provider)
    .orderBy("id")
    .executeTakeFirst();

/**
 * Finds another app of the project with this provider and client id. Locks the project's apps until the transaction ends, so
 * that two requests cannot both find none.
 */
export async function findAppWithClient(
  queries: SharedQueries,
  { id, projectId, provider, clientId }: Pick<ProviderAppRow, "id" | "projectId" | "provider" | "clientId">,
): Promise<{ id: string } | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`provider apps of ${projectId}`}, 0))`.execute(
    queries,
  );
  return queries
    .selectFrom("providerApps")
    .select("id")
    .where("projectId", "=", projectId)
    .where("provider", "=", provider)
    .where("clientId", "=", clientId)
    .where("id", "!=", id)
    .executeTakeFirst();
}

export async function insertProviderApp(
  queries: ControlQueries,
  app: Pick<
    ProviderAppRow,
    "id" | "projectId" | "provider" | "clientId" | "clientSecretSealed" | "scopes"
  > & {
    externalRef?: string;
    metadata?: unknown;
  },
): Promise<ProviderAppRow> {
  const row = await queries
    .insertInto("providerApps")
    .values({ ...app, metadata: JSON.stringify(app.metadata ?? {}) })
    .returningAll()
    .executeTakeFirstOrThrow();
  await queueSubscriptionSync(queries, { projectId: app.projectId });
  return row;
}

/** Updates the row and returns it; undefined if there is none. */
export async function updateProviderApp(
  queries: ControlQueries,
  projectId: string,
  id: string,
  change: Partial<
    Pick<
      ProviderAppRow,
      "externalRef" | "provider" | "clientId" | "clientSecretSealed" | "scopes" | "metadata"
    >
  >,
): Promise<ProviderAppRow | undefined> {
  const { metadata, ...columns } = change;
  const row = await queries
    .updateTable("providerApps")
    .set({
      ...columns,
      ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
      updateTime: sql`now()`,
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  await queueSubscriptionSync(queries, { projectId });
  return row;
}

export async function removeProviderApp(
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<void> {
  await queries.deleteFrom("providerApps").where("projectId", "=", projectId).where("id", "=", id).execute();
  await queueSubscriptionSync(queries, { projectId });
}

/** Counts the connections whose tokens were issued to this app. */
export async function countConnectionsOfApp(
  queries: SharedQueries,
  projectId: string,
  id: string,
): Promise<number> {
  const { count } = await queries
    .selectFrom("connections")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("projectId", "=", projectId)
    .where("providerAppId", "=", id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Provider apps: the builder's own OAuth clients at the providers. */
import type { Queries } from "./database.ts";

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

export const listProviderApps = (queries: Queries, projectId: string): Promise<ProviderAppRow[]> =>
  queries.selectFrom("providerApps").selectAll().where("projectId", "=", projectId).orderBy("id").execute();

export const findProviderApp = (
  queries: Queries,
  projectId: string,
  id: string,
): Promise<ProviderAppRow | undefined> =>
  queries
    .selectFrom("providerApps")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();

/** The project's first app for the provider: the one used when a call names none. */
export const findDefaultProviderApp = (
  queries: Queries,
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

export const insertProviderApp = (
  queries: Queries,
  app: Pick<
    ProviderAppRow,
    "id" | "projectId" | "provider" | "clientId" | "clientSecretSealed" | "scopes"
  > & {
    externalRef?: string;
    metadata?: unknown;
  },
): Promise<ProviderAppRow> =>
  queries
    .insertInto("providerApps")
    .values({ ...app, metadata: JSON.stringify(app.metadata ?? {}) })
    .returningAll()
    .executeTakeFirstOrThrow();

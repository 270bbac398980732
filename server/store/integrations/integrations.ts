/** Integrations, their revisions, and the files from which revisions are deployed. */
import { sql } from "kysely";
import { isUuid, newId } from "../../../ground/ids.ts";
import { INSTALLATION_IS_UNHEALTHY } from "./installation-health.ts";
import type { ControlQueries, DataQueries, SharedQueries } from "../database/sides.ts";
import { queueSyncs } from "./installation-syncs.ts";
import { followDeployedWatch } from "./schema-checks.ts";

export interface RevisionRow<Content> {
  id: string;
  specVersion: string;
  content: Content;
  createTime: Date;
}

export interface IntegrationRow<Content = unknown> {
  id: string;
  projectId: string;
  name: string;
  provider: string;
  createTime: Date;
  updateTime: Date | null;
  latestRevision: RevisionRow<Content>;
}

const joinLatestRevision = (queries: SharedQueries, projectId: string) =>
  queries
    .selectFrom("integrations")
    .innerJoinLateral(
      (join) =>
        join
          .selectFrom("revisions")
          .select(["revisions.id", "specVersion", "content", "revisions.createTime", "revisions.createdBy"])
          .whereRef("revisions.integrationId", "=", "integrations.id")
          .orderBy("revisions.seq", "desc")
          .limit(1)
          .as("latest"),
      (join) => join.onTrue(),
    )
    .select([
      "integrations.id",
      "integrations.projectId",
      "integrations.name",
      "integrations.provider",
      "integrations.createTime",
      "integrations.updateTime",
      "latest.id as revisionId",
      "latest.specVersion",
      "latest.content",
      "latest.createTime as revisionTime",
    ])
    .where("integrations.projectId", "=", projectId);

type Joined = Awaited<ReturnType<ReturnType<typeof joinLatestRevision>["executeTakeFirstOrThrow"]>>;

function assembleRow<Content>(row: Joined): IntegrationRow<Content> {
  const { revisionId, specVersion, content, revisionTime, ...integration } = row;
  // The content was checked against the manifest's schema when the revision was stored.
  const latestRevision = {
    id: revisionId,
    specVersion,
    content: content as Content,
    createTime: revisionTime,
  };
  return { ...integration, latestRevision };
}

export async function listIntegrations<C>(
  queries: SharedQueries,
  projectId: string,
): Promise<IntegrationRow<C>[]> {
  const rows = await joinLatestRevision(queries, projectId).orderBy("integrations.id").execute();
  return rows.map((row) => assembleRow<C>(row));
}

/** Integration with what lists show of its latest revision and its installations. */
interface IntegrationEntry<Content> extends IntegrationRow<Content> {
  latestRevision: RevisionRow<Content> & { number: number; createdBy: string };
  installationCount: number;
  unhealthyInstallationCount: number;
}

/** Lists integrations with number and author of the latest revision, and the number of healthy installations. */
export async function listIntegrationEntries<C>(
  queries: DataQueries,
  projectId: string,
): Promise<IntegrationEntry<C>[]> {
  const used = queries
    .selectFrom("installations")
    .select([
      "installations.integrationId",
      sql<number>`count(*)::integer`.as("installationCount"),
      sql<number>`(count(*) filter (where ${INSTALLATION_IS_UNHEALTHY}))::integer`.as("unhealthyCount"),
    ])
    .where("installations.projectId", "=", projectId)
    .groupBy("installations.integrationId");
  const rows = await joinLatestRevision(queries, projectId)
    .leftJoin(used.as("used"), "used.integrationId", "integrations.id")
    .select([
      "latest.createdBy",
      "used.installationCount",
      "used.unhealthyCount",
      sql<number>`(select count(*) from revisions where integration_id = integrations.id)::integer`.as(
        "number",
      ),
    ])
    .orderBy("integrations.id")
    .execute();
  return rows.map(({ createdBy, installationCount, unhealthyCount, number, ...row }) => {
    const { latestRevision, ...integration } = assembleRow<C>(row);
    return {
      ...integration,
      latestRevision: { ...latestRevision, number, createdBy },
      installationCount: installationCount ?? 0,
      unhealthyInstallationCount: unhealthyCount ?? 0,
    };
  });
}

export async function listIntegrationNames(queries: SharedQueries, projectId: string): Promise<string[]> {
  const rows = await queries
    .selectFrom("integrations")
    .select("name")
    .where("projectId", "=", projectId)
    .execute();
  return rows.map(({ name }) => name);
}

/** Lists the providers of a project's integrations, each once. */
export async function listIntegratedProviders(queries: SharedQueries, projectId: string): Promise<string[]> {
  const rows = await queries
    .selectFrom("integrations")
    .select("provider")
    .distinct()
    .where("projectId", "=", projectId)
    .execute();
  return rows.map(({ provider }) => provider);
}

/** Finds an integration by id or name. */
export async function findIntegration<C>(
  queries: SharedQueries,
  projectId: string,
  idOrName: string,
): Promise<IntegrationRow<C> | undefined> {
  const found = await joinLatestRevision(queries, projectId)
    .where((where) =>
      isUuid(idOrName)
        ? where.or([where("integrations.id", "=", idOrName), where("integrations.name", "=", idOrName)])
        : where("integrations.name", "=", idOrName),
    )
    .executeTakeFirst();
  return found && assembleRow<C>(found);
}

interface Deployed {
  projectId: string;
  name: string;
  provider: string;
  specVersion: string;
  content: unknown;
  /** Whether objects that the manifest leaves out are no longer read. */
  destructive?: boolean;
  /** `builder:<id>` or `apiKey:<id>`. */
  createdBy: string;
  /** File from which it was deployed. */
  sourceId?: string;
}

/** Stores a manifest as it was sent. Returns its id, which all revisions of the deployment share. */
export async function insertManifestSource(
  queries: ControlQueries,
  row: { projectId: string; source: string },
): Promise<string> {
  const id = newId();
  await queries
    .insertInto("manifestSources")
    .values({ id, ...row })
    .execute();
  return id;
}

/** Inserts an integration with its first revision; undefined if the project has an integration of this name. */
export async function insertIntegration(
  queries: ControlQueries,
  deployed: Deployed,
): Promise<{ id: string } | undefined> {
  const { projectId, name, provider } = deployed;
  const row = await queries
    .insertInto("integrations")
    .values({ id: newId(), projectId, name, provider })
    .onConflict((conflict) => conflict.columns(["projectId", "name"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (row) await insertRevision(queries, row.id, deployed);
  return row;
}

/**
 * Creates or finds the integration of this name, and inserts a new revision. Returns the integration's provider: if that is not
 * the manifest's, the caller has to roll back.
 */
export async function upsertIntegration(
  queries: ControlQueries,
  deployed: Deployed,
): Promise<{ id: string; provider: string }> {
  const { projectId, name, provider } = deployed;
  const row = await queries
    .insertInto("integrations")
    .values({ id: newId(), projectId, name, provider })
    .onConflict((conflict) => conflict.columns(["projectId", "name"]).doUpdateSet({ updateTime: sql`now()` }))
    .returning(["id", "provider"])
    .executeTakeFirstOrThrow();
  await insertRevision(queries, row.id, deployed);
  return row;
}

async function insertRevision(
  queries: ControlQueries,
  integrationId: string,
  deployed: Deployed,
): Promise<void> {
  const { projectId, specVersion, content, destructive = false, createdBy, sourceId } = deployed;
  const revision = { id: newId(), projectId, integrationId, specVersion, destructive, createdBy, sourceId };
  await queries
    .insertInto("revisions")
    .values({ ...revision, content: JSON.stringify(content) })
    .execute();
  await queueSyncs(queries, { projectId, integrationId });
  await followDeployedWatch(queries, { projectId, integrationId, content });
}

/** Locks an integration until the transaction ends, against deletion and installation. Returns false if there is none. */
export async function lockIntegration(
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<boolean> {
  const locked = await queries
    .selectFrom("integrations")
    .select("id")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return locked !== undefined;
}

/** Removes an integration with its revisions and installations, and with sources of no other integration. Returns whether there was one. */
export async function removeIntegration(
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("integrations")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  await sql`
    delete from manifest_sources as source
    where project_id = ${projectId} and not exists (select from revisions where source_id = source.id)
  `.execute(queries);
  return numDeletedRows > 0n;
}

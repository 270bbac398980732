/** Installations for the proxy: one row with the contents of manifest and configuration. */
import { isUuid } from "../../../ground/ids.ts";
import type { SharedQueries } from "../database/sides.ts";

export interface ProxiedInstallation {
  id: string;
  projectId: string;
  integrationId: string;
  integrationName: string;
  groupId: string;
  groupRef: string;
  /** Shard of the customer; null for the main one. */
  shard: string | null;
  connectionId: string;
  /** Content of the integration's newest revision. */
  manifest: unknown;
  /** Content of the installation's newest configuration. */
  config: unknown;
}

export type WhichInstallation = { id: string } | { integrationName: string; groupRef: string };

/** Finds an installation by id, or by group and name of the integration. */
export async function findProxiedInstallation(
  queries: SharedQueries,
  projectId: string,
  which: WhichInstallation,
): Promise<ProxiedInstallation | undefined> {
  if ("id" in which && !isUuid(which.id)) return undefined;
  const named = select(queries).where("installations.projectId", "=", projectId);
  const query =
    "id" in which
      ? named.where("installations.id", "=", which.id)
      : named
          .where("integrations.name", "=", which.integrationName)
          .where("groups.groupRef", "=", which.groupRef);
  return query.executeTakeFirst();
}

const select = (queries: SharedQueries) =>
  queries
    .selectFrom("installations")
    .innerJoin("integrations", "integrations.id", "installations.integrationId")
    .innerJoin("groups", "groups.id", "installations.groupId")
    .innerJoinLateral(
      (join) =>
        join
          .selectFrom("revisions")
          .select("content")
          .whereRef("revisions.integrationId", "=", "integrations.id")
          .orderBy("revisions.seq", "desc")
          .limit(1)
          .as("latest"),
      (join) => join.onTrue(),
    )
    .innerJoinLateral(
      (join) =>
        join
          .selectFrom("configs")
          .select("content")
          .whereRef("configs.installationId", "=", "installations.id")
          .orderBy("configs.seq", "desc")
          .limit(1)
          .as("current"),
      (join) => join.onTrue(),
    )
    .select([
      "installations.id",
      "installations.projectId",
      "installations.integrationId",
      "installations.groupId",
      "integrations.name as integrationName",
      "groups.groupRef",
      "groups.shard",
      "installations.connectionId",
      "latest.content as manifest",
      "current.content as config",
    ]);

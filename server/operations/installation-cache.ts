/** Remembers what rarely changes about installations, so that accepting and executing a write asks the database less. */
import type { ConfigContent } from "../manifest/installation-config.ts";
import type { ManifestIntegration } from "../manifest/manifest.ts";
import type { Change, Changes } from "../store/changes.ts";
import type { Database } from "../store/database.ts";
import { listInstallationFields, type InstallationFieldsRow } from "../store/events.ts";
import { findInstallationOfGroup, type InstallationRow } from "../store/installations.ts";
import { findIntegration, type IntegrationRow } from "../store/integrations.ts";
import { findProject } from "../store/projects.ts";
import { cacheUntilChanged } from "../store/row-cache.ts";

export interface Installed {
  integration: IntegrationRow<ManifestIntegration>;
  installation: InstallationRow<ConfigContent>;
  /** The project's say: only mapped fields go out. */
  dropUnmapped: boolean;
}

export interface InstallationCache {
  /** What events say of an installation, its connection among it; undefined when it was deleted. */
  fields(installationId: string): Promise<InstallationFieldsRow | undefined>;
  /** The integration of that id or name, and the group's installation of it, if there are both. */
  ofGroup(projectId: string, integration: string, groupRef: string): Promise<Installed | undefined>;
}

const TABLES = new Set(["projects", "integrations", "installations", "connections"]);

/** Everything is forgotten when any installation or integration changes: rare, and hard to get wrong. */
export function openInstallationCache(deps: { database: Database; changes: Changes }): InstallationCache {
  const affected = (change: Change) => (TABLES.has(change.table) ? () => true : undefined);
  const described = cacheUntilChanged<InstallationFieldsRow>(deps.changes, { most: 10_000, affected });
  const installed = cacheUntilChanged<Installed>(deps.changes, { most: 10_000, affected });
  const { queries } = deps.database;
  return {
    async fields(installationId) {
      const read = async () => (await listInstallationFields(queries, [installationId])).get(installationId);
      return described.get(installationId, read);
    },
    async ofGroup(projectId, integrationName, groupRef) {
      return installed.get(JSON.stringify([projectId, integrationName, groupRef]), async () => {
        const integration = await findIntegration<ManifestIntegration>(queries, projectId, integrationName);
        if (!integration) return undefined;
        const installation = await findInstallationOfGroup<ConfigContent>(
          queries,
          projectId,
          integration.id,
          groupRef,
        );
        if (!installation) return undefined;
        const project = await findProject(queries, projectId);
        return { integration, installation, dropUnmapped: project?.dropUnmappedFields ?? false };
      });
    },
  };
}

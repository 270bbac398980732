/** Caches installations and their integrations, so that a write needs fewer queries. */
import type { ConfigContent } from "../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../manifest/manifest.ts";
import { Problem } from "../../ground/errors.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import { findInstallationFields, type InstallationFieldsRow } from "../store/deliveries/events.ts";
import {
  findInstallation,
  findInstallationOfGroup,
  type InstallationRow,
} from "../store/integrations/installations.ts";
import { findIntegration, type IntegrationRow } from "../store/integrations/integrations.ts";
import { findProject, type ProjectRow } from "../store/access/projects.ts";
import { cacheUntilChanged } from "../store/processes/row-cache.ts";

export interface Installed {
  integration: IntegrationRow<ManifestIntegration>;
  installation: InstallationRow<ConfigContent>;
  /** Setting of the project: only mapped fields are sent. */
  dropUnmapped: boolean;
}

export interface InstallationCache {
  /** Returns the fields that events have of an installation, its connection included; undefined when it was deleted. */
  findFields(installationId: string): Promise<InstallationFieldsRow | undefined>;
  /** Returns the integration of that id or name and the group's installation of it; undefined unless both exist. */
  findOfGroup(projectId: string, integration: string, groupRef: string): Promise<Installed | undefined>;
  /** Returns the installation of that id with its integration; undefined when it was deleted. */
  findById(projectId: string, installationId: string): Promise<Installed | undefined>;
}

/** The fields of an installation, and the ids of the rows that they come from. */
interface Described {
  fields: InstallationFieldsRow;
  rows: string[];
}

/** Entries have about 2 KB, most of it the customer's configuration. */
const MAX_INSTALLATIONS = 50_000;
const MAX_INTEGRATIONS = 2_000;
const MAX_PROJECTS = 10_000;

/** Manifests are kept once for all of their installations; a change forgets what rests on that row, and nothing else. */
export function openInstallationCache(deps: { database: Database; changes: Changes }): InstallationCache {
  const { changes } = deps;
  const { control, data } = deps.database;
  const described = cacheUntilChanged<Described>(changes, {
    max: MAX_INSTALLATIONS,
    tables: ["installations", "connections", "integrations", "groups", "consumers"],
    listRowIds: ({ rows }) => rows,
  });
  const projects = cacheUntilChanged<ProjectRow>(changes, {
    max: MAX_PROJECTS,
    tables: ["projects"],
    listRowIds: ({ id }) => [id],
  });
  const integrations = cacheUntilChanged<IntegrationRow<ManifestIntegration>>(changes, {
    max: MAX_INTEGRATIONS,
    tables: ["integrations"],
    listRowIds: ({ id }) => [id],
  });
  const installations = cacheUntilChanged<InstallationRow<ConfigContent>>(changes, {
    max: MAX_INSTALLATIONS,
    tables: ["installations"],
    listRowIds: ({ id }) => [id],
  });

  const findInstalled = async (
    projectId: string,
    integrationName: string,
    findOne: (integrationId: string) => Promise<InstallationRow<ConfigContent> | undefined>,
  ): Promise<Installed | undefined> => {
    const [project, integration] = await Promise.all([
      projects.get(projectId, () => findProject(data, projectId)),
      integrations.get(`${projectId}/${integrationName}`, () =>
        findIntegration<ManifestIntegration>(data, projectId, integrationName),
      ),
    ]);
    const installation = integration && (await findOne(integration.id));
    return installation && { integration, installation, dropUnmapped: project?.dropUnmappedFields ?? false };
  };

  /** Throws a 503 Problem for an installation whose copy is late: it is there, and its work has to wait. */
  const refuseLateCopy = async (projectId: string, name: string, groupRef: string): Promise<void> => {
    if (control === data) return;
    const integration = await findIntegration<ManifestIntegration>(control, projectId, name);
    if (!integration || !(await findInstallationOfGroup(control, projectId, integration.id, groupRef)))
      return;
    throw new Problem("unavailable", {
      detail: "The installation is not in the second database yet. Nothing was done; try again.",
    });
  };

  return {
    async findFields(installationId) {
      return (await described.get(installationId, () => findInstallationFields(data, installationId)))
        ?.fields;
    },
    async findOfGroup(projectId, name, groupRef) {
      const found = await findInstalled(projectId, name, async (integrationId) =>
        installations.get(`${integrationId}/${groupRef}`, () =>
          findInstallationOfGroup<ConfigContent>(data, projectId, integrationId, groupRef),
        ),
      );
      if (!found) await refuseLateCopy(projectId, name, groupRef);
      return found;
    },
    async findById(projectId, installationId) {
      const find = () => findInstallation<ConfigContent>(data, projectId, installationId);
      const installation = await installations.get(installationId, find, projectId);
      if (installation?.projectId !== projectId) return undefined;
      return findInstalled(projectId, installation.integrationId, async () => installation);
    },
  };
}

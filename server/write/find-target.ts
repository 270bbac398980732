/** Finds the target of a write: integration, installation, connector, and the settings of the object. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import type { Connector } from "../../connector-kit/connector.ts";
import { Problem } from "../../ground/errors.ts";
import type { ManifestIntegration } from "../../manifest/manifest.ts";
import type { Database } from "../store/database/database.ts";
import { findIntegration } from "../store/integrations/integrations.ts";
import { explainNotInstalled, describeMissingIntegration } from "../operations/missing-integration.ts";
import type { InstallationCache, Installed } from "../operations/installation-cache.ts";
import { requireObjectSettings, type ObjectSettings } from "./object-settings.ts";

export interface WriteTarget extends Installed {
  connector: Connector & { write: NonNullable<Connector["write"]> };
  settings: ObjectSettings;
}

export interface WriteTargetServices {
  database: Database;
  catalog: Catalog;
  installations: InstallationCache;
}

interface WriteAddress {
  projectId: string;
  integration: string;
  objectName: string;
  groupRef: string;
  /** Whether the caller may learn which groups there are. Default: false. */
  seesGroups?: boolean;
}

/** Throws a Problem: 404 for the integration, 400 for the group, the object or a provider without writes. */
export async function findTarget(deps: WriteTargetServices, asked: WriteAddress): Promise<WriteTarget> {
  const installed = await deps.installations.findOfGroup(asked.projectId, asked.integration, asked.groupRef);
  if (!installed) throw await findMissing(deps, asked);
  const { integration } = installed;
  const connector = deps.catalog.of(asked.projectId).connector(integration.provider);
  if (!connector?.write) throw refuseNotBuilt(integration.provider);
  const settings = requireObjectSettings(installed, asked.objectName, deps.catalog.of(asked.projectId));
  return { ...installed, connector: { ...connector, write: connector.write }, settings };
}

/** Finds out which of the two is missing. A query of its own, because it is rare. */
async function findMissing(deps: WriteTargetServices, asked: WriteAddress): Promise<Problem> {
  const { projectId, integration, groupRef, seesGroups = false } = asked;
  const found = await findIntegration<ManifestIntegration>(deps.database.control, projectId, integration);
  if (!found) return describeMissingIntegration(deps.database.control, projectId, integration);
  const missing = { projectId, integration: found.name, groupRef, seesGroups };
  const detail = await explainNotInstalled(deps.database.control, missing);
  return new Problem("invalid-request", {
    detail,
    issues: [{ in: "body", name: "groupRef", detail, value: groupRef }],
  });
}

const refuseNotBuilt = (provider: string): Problem =>
  new Problem("unsupported-by-provider", {
    detail: `Busbar cannot write records to ${provider} yet. Call its API through the proxy instead.`,
  });

/** Finds what a write is aimed at: integration, installation, object, connector, and the settings for the object. */
import type { Catalog } from "../../connectors/catalog.ts";
import type { Connector } from "../../connector-kit/connector.ts";
import { Problem } from "../ground/errors.ts";
import type { ManifestIntegration } from "../manifest/manifest.ts";
import type { Database } from "../store/database.ts";
import { findIntegration } from "../store/integrations.ts";
import type { InstallationCache, Installed } from "../operations/installation-cache.ts";
import { objectSettings } from "./object-settings.ts";
import type { ObjectSettings } from "./object-settings.ts";

export interface WriteTarget extends Installed {
  connector: Connector & { write: NonNullable<Connector["write"]> };
  settings: ObjectSettings;
}

export interface TargetServices {
  database: Database;
  catalog: Catalog;
  installations: InstallationCache;
}

interface WriteAddress {
  projectId: string;
  integration: string;
  objectName: string;
  groupRef: string;
}

/** Throws a Problem: 404 for the integration, 400 for what the body or the object's name gets wrong. */
export async function findTarget(deps: TargetServices, asked: WriteAddress): Promise<WriteTarget> {
  const installed = await deps.installations.ofGroup(asked.projectId, asked.integration, asked.groupRef);
  if (!installed) throw await missing(deps, asked);
  const { integration } = installed;
  const connector = deps.catalog.connector(integration.provider);
  if (!connector?.write) throw notBuilt(integration.provider);
  const settings = objectSettings(installed, asked.objectName, deps.catalog);
  return { ...installed, connector: { ...connector, write: connector.write }, settings };
}

/** Which of the two is missing is worth a query only when something is. */
async function missing(deps: TargetServices, asked: WriteAddress): Promise<Problem> {
  const { projectId, integration, groupRef } = asked;
  const found = await findIntegration<ManifestIntegration>(deps.database.queries, projectId, integration);
  if (!found) {
    return new Problem("not-found", {
      detail: `There is no integration \`${integration}\` in this project.`,
    });
  }
  const detail = `The group \`${groupRef}\` has not installed \`${found.name}\`. Create an installation first, or check the groupRef.`;
  return new Problem("invalid-request", {
    detail,
    issues: [{ in: "body", name: "groupRef", detail, value: groupRef }],
  });
}

const notBuilt = (provider: string): Problem =>
  new Problem("unsupported-by-provider", {
    detail: `Busbar cannot write records to ${provider} yet. Call its API through the proxy instead.`,
  });

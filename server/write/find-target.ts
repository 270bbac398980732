/** Finds what a write is aimed at: integration, installation, object, connection, and the settings for the object. */
import type { Catalog } from "../../connectors/catalog.ts";
import type { Connector } from "../../connectors/kit/connector.ts";
import { ProviderError } from "../../connectors/kit/errors.ts";
import type { LiveConnection, LiveConnections } from "../credentials/live-connections.ts";
import { Problem } from "../ground/errors.ts";
import type { ConfigContent } from "../manifest/config.ts";
import type { ManifestIntegration } from "../manifest/manifest.ts";
import type { Database } from "../store/database.ts";
import { findInstallationOfGroup, type InstallationRow } from "../store/installations.ts";
import { findIntegration, type IntegrationRow } from "../store/integrations.ts";
import { objectSettings } from "./object-settings.ts";
import type { ObjectSettings } from "./plan.ts";

export interface WriteTarget {
  integration: IntegrationRow<ManifestIntegration>;
  installation: InstallationRow<ConfigContent>;
  connection: LiveConnection;
  connector: Connector & { write: NonNullable<Connector["write"]> };
  settings: ObjectSettings;
}

export interface TargetServices {
  database: Database;
  catalog: Catalog;
  connections: LiveConnections;
}

/** Throws a Problem: 404 for the integration, 400 for what the body or the object's name gets wrong. */
export async function findTarget(
  on: TargetServices,
  asked: { projectId: string; integration: string; objectName: string; groupRef: string },
): Promise<WriteTarget> {
  const { projectId, objectName, groupRef } = asked;
  const { queries } = on.database;
  const integration = await findIntegration<ManifestIntegration>(queries, projectId, asked.integration);
  if (!integration) {
    throw new Problem("not-found", {
      detail: `There is no integration \`${asked.integration}\` in this project.`,
    });
  }
  const installation = await findInstallationOfGroup<ConfigContent>(
    queries,
    projectId,
    integration.id,
    groupRef,
  );
  if (!installation) throw notInstalled(integration.name, groupRef);
  const connector = on.catalog.connector(integration.provider);
  if (!connector?.write) throw notBuilt(integration.provider);
  const settings = objectSettings(integration, installation.config.content, objectName, on.catalog);
  const connection = await liveConnection(on, projectId, installation.connectionId);
  return {
    integration,
    installation,
    connection,
    connector: { ...connector, write: connector.write },
    settings,
  };
}

/** `unauthorized` and the like are the business of the write that follows, so they are carried, not thrown here. */
async function liveConnection(on: TargetServices, projectId: string, id: string): Promise<LiveConnection> {
  try {
    const connection = await on.connections.find(projectId, id);
    if (connection) return connection;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const slug = error.kind === "unavailable" ? "provider-unreachable" : "provider-refused";
    throw new Problem(slug, { detail: error.message, cause: error });
  }
  throw new Problem("invalid-request", {
    detail: "The installation's connection no longer exists. Connect again.",
  });
}

const notInstalled = (integration: string, groupRef: string): Problem => {
  const detail = `The group \`${groupRef}\` has not installed \`${integration}\`. Create an installation first, or check the groupRef.`;
  return new Problem("invalid-request", {
    detail,
    issues: [{ in: "body", name: "groupRef", detail, value: groupRef }],
  });
};

const notBuilt = (provider: string): Problem =>
  new Problem("unsupported-by-provider", {
    detail: `Busbar cannot write records to ${provider} yet. Call its API through the proxy instead.`,
  });

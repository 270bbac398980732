/** Finds the connection and the connector for a customer's objects. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import {
  canCreateFields,
  findFieldsConnector,
  type CustomFieldsConnector,
  type FieldsConnector,
} from "../../../connector-kit/fields.ts";
import { Problem } from "../../../ground/errors.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import { listConnections } from "../../store/connections/connections.ts";
import { findInstallationOfGroup } from "../../store/integrations/installations.ts";
import { getIntegrationRow, type Integration } from "../integration.ts";
import { explainMissingProvider } from "../explain-missing-provider.ts";

/** Finds the group's connection to a provider. Throws a 404 Problem. */
export async function findGroupConnection(
  deps: CallServices,
  projectId: string,
  asked: { provider: string; groupRef: string },
): Promise<string> {
  const { provider, groupRef } = asked;
  const catalog = deps.catalog.of(projectId);
  if (!catalog.find(provider)) {
    throw new Problem("not-found", { detail: explainMissingProvider(catalog, provider) });
  }
  const [connection] = await listConnections(deps.database.control, projectId, asked);
  if (connection) return connection.id;
  throw new Problem("not-found", {
    detail: `The group \`${groupRef}\` has no connection to ${provider}. Connect it first, or check the groupRef.`,
  });
}

/** Finds the connection of the group's installation of an integration. Throws a 404 Problem. */
export async function findInstallationConnection(
  deps: CallServices,
  projectId: string,
  asked: { integrationId: string; groupRef: string },
): Promise<{ integration: Integration; connectionId: string }> {
  const { control, data } = deps.database;
  const { integrationId, groupRef } = asked;
  const integration = await getIntegrationRow(control, projectId, integrationId);
  const installation = await findInstallationOfGroup(data, projectId, integration.id, groupRef);
  if (installation) return { integration, connectionId: installation.connectionId };
  throw new Problem("not-found", {
    detail: `The group \`${groupRef}\` has not installed \`${integration.name}\`. Create an installation first, or check the groupRef.`,
  });
}

interface FieldsTarget {
  projectId: string;
  provider: string;
  module?: string;
}

/** Returns the connector's part that describes an object. Throws a Problem where Busbar has none. */
export function getFieldsConnector(
  catalog: Catalog,
  { projectId, provider, module }: FieldsTarget,
  objectName: string,
): FieldsConnector {
  const fields = findFieldsConnector(catalog.of(projectId).connector(provider) ?? {}, objectName);
  if (fields && (!module || !fields.module || module === fields.module)) return fields;
  throw refuseNotBuilt(`does not know the fields of \`${objectName}\` of`, provider, module);
}

/** Returns the connector's part that creates custom fields. Throws a Problem where Busbar has none. */
export function requireCustomFieldsConnector(
  catalog: Catalog,
  { projectId, provider, module }: FieldsTarget,
): CustomFieldsConnector {
  const fields = catalog.of(projectId).connector(provider)?.fields;
  if (fields && canCreateFields(fields) && (!module || !fields.module || module === fields.module))
    return fields;
  throw refuseNotBuilt("cannot create fields of", provider, module);
}

const refuseNotBuilt = (lack: string, provider: string, module: string | undefined): Problem =>
  new Problem("unsupported-by-provider", {
    detail: `Busbar ${lack} ${provider}${module ? ` (module ${module})` : ""}. Call its API through the proxy instead.`,
  });

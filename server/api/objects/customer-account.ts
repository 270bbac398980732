/** Finds the account that objects are read or changed in: connection, the connector's part for fields, a way to call. */
import type { Catalog } from "../../../connectors/catalog.ts";
import type { ProviderFetch } from "../../../connector-kit/provider-fetch.ts";
import { ProviderError } from "../../../connector-kit/provider-error.ts";
import type { FieldsConnector } from "../../../connector-kit/fields.ts";
import { authorizedFetch } from "../../calls/authorized-fetch.ts";
import type { LiveConnection } from "../../calls/live-connection.ts";
import type { LiveConnections } from "../../calls/live-connections.ts";
import type { Egress } from "../../egress/open-egress.ts";
import { Problem } from "../../ground/errors.ts";
import type { ManifestIntegration } from "../../manifest/manifest.ts";
import { listConnections } from "../../store/connections.ts";
import type { Database } from "../../store/database.ts";
import { findInstallationOfGroup } from "../../store/installations.ts";
import { findIntegration, type IntegrationRow } from "../../store/integrations.ts";

export interface AccountServices {
  database: Database;
  catalog: Catalog;
  connections: LiveConnections;
  egress: Egress;
  /** How long a provider may take to answer one request. */
  providerTimeoutMs?: number;
}

export interface CustomerAccount {
  connection: LiveConnection;
  fields: FieldsConnector;
  fetch: ProviderFetch;
}

/** The group's connection to a provider. Throws a 404 Problem. */
export async function connectionOfGroup(
  deps: AccountServices,
  projectId: string,
  asked: { provider: string; groupRef: string },
): Promise<string> {
  const { provider, groupRef } = asked;
  if (!deps.catalog.find(provider)) {
    throw new Problem("not-found", { detail: `There is no provider \`${provider}\` in the catalog.` });
  }
  const [connection] = await listConnections(deps.database.queries, projectId, asked);
  if (connection) return connection.id;
  throw new Problem("not-found", {
    detail: `The group \`${groupRef}\` has no connection to ${provider}. Connect it first, or check the groupRef.`,
  });
}

/** The connection that the group's installation of an integration uses. Throws a 404 Problem. */
export async function connectionOfInstallation(
  deps: AccountServices,
  projectId: string,
  asked: { integrationId: string; groupRef: string },
): Promise<{ integration: IntegrationRow<ManifestIntegration>; connectionId: string }> {
  const { queries } = deps.database;
  const { integrationId, groupRef } = asked;
  const integration = await findIntegration<ManifestIntegration>(queries, projectId, integrationId);
  if (!integration) {
    throw new Problem("not-found", {
      detail: `There is no integration \`${integrationId}\` in this project.`,
    });
  }
  const installation = await findInstallationOfGroup(queries, projectId, integration.id, groupRef);
  if (installation) return { integration, connectionId: installation.connectionId };
  throw new Problem("not-found", {
    detail: `The group \`${groupRef}\` has not installed \`${integration.name}\`. Create an installation first, or check the groupRef.`,
  });
}

/**
 * The account behind a connection. Throws a Problem where Busbar knows nothing of the provider's fields, and
 * `ProviderError` where the connection cannot be used.
 */
export async function openAccount(
  deps: AccountServices,
  target: { projectId: string; connectionId: string; provider: string; module?: string },
): Promise<CustomerAccount> {
  const { projectId, connectionId, provider, module } = target;
  const connector = deps.catalog.connector(provider);
  const fields = connector?.fields;
  if (!fields || (module && fields.module && module !== fields.module)) throw notBuilt(provider, module);
  const connection = await deps.connections.find(projectId, connectionId);
  if (!connection) throw new ProviderError({ kind: "forbidden", message: "The connection was deleted" });
  const fetch = authorizedFetch(deps, connection, { connector, timeoutMs: deps.providerTimeoutMs });
  return { connection, fields, fetch };
}

const notBuilt = (provider: string, module: string | undefined): Problem =>
  new Problem("unsupported-by-provider", {
    detail: `Busbar neither reads nor makes fields of ${provider}${module ? ` (module ${module})` : ""}. Call its API through the proxy instead.`,
  });

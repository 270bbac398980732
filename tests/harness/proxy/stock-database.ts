/** Fills an empty database with one customer of one provider: what a proxied call needs, and nothing else. */
import {
  sealCredentials,
  type StoredCredentials,
} from "../../../server/credentials/stored/credential-envelope.ts";
import { newApiKey, newId } from "../../../ground/ids.ts";
import { Sealer } from "../../../ground/seal.ts";
import { insertApiKey } from "../../../server/store/access/api-keys.ts";
import { insertConnection } from "../../../server/store/connections/connections.ts";
import { upsertConsumer, upsertGroup } from "../../../server/store/access/customers.ts";
import type { Queries } from "../../../server/store/database/database.ts";
import { insertInstallation } from "../../../server/store/integrations/installations.ts";
import { findIntegration, upsertIntegration } from "../../../server/store/integrations/integrations.ts";
import { insertOrganization } from "../../../server/store/access/organizations.ts";
import { insertProject } from "../../../server/store/access/projects.ts";

export const PROVIDER = "acme";
export const INTEGRATION = "acme-sync";
export const GROUP_REF = "customer-1";

export const testSealer = (): Sealer => new Sealer([{ id: "test", secret: Buffer.alloc(32, 7) }]);

export interface Stock {
  projectId: string;
  apiKey: string;
  frontendKey: string;
  installationId: string;
  connectionId: string;
}

export interface Stocking {
  projectName?: string;
  credentials?: StoredCredentials;
  manifest?: object;
  config?: object;
}

export const MANIFEST = { name: INTEGRATION, provider: PROVIDER, proxy: { enabled: true } };
export const CONFIG = { provider: PROVIDER, proxy: { enabled: true } };

export async function stockDatabase(queries: Queries, stocking: Stocking = {}): Promise<Stock> {
  const { projectName = "default", credentials = { scheme: "apiKey", apiKey: "provider-key" } } = stocking;
  const { id: orgId } = await insertOrganization(queries, "Test");
  const { id: projectId } = await insertProject(queries, { orgId, name: projectName, appName: projectName });
  const apiKey = newApiKey();
  const frontendKey = newApiKey();
  await insertApiKey(queries, { key: apiKey, projectId, label: "server", scopes: ["full"] });
  await insertApiKey(queries, { key: frontendKey, projectId, label: "browser", scopes: ["frontend"] });
  await deploy(queries, projectId, stocking.manifest ?? MANIFEST);
  const { id: groupId } = await upsertGroup(queries, { projectId, groupRef: GROUP_REF });
  const { id: consumerId } = await upsertConsumer(queries, { projectId, consumerRef: "admin" });
  const connectionId = newId();
  await insertConnection(queries, {
    id: connectionId,
    projectId,
    provider: PROVIDER,
    groupId,
    consumerId,
    authScheme: credentials.scheme,
    providerMetadata: {},
    credentialsSealed: sealCredentials(testSealer(), { id: connectionId, projectId }, credentials),
  });
  const installationId = await install(queries, {
    projectId,
    groupId,
    connectionId,
    config: stocking.config,
  });
  return { projectId, apiKey, frontendKey, installationId, connectionId };
}

/** A new revision of the integration. */
export const deploy = (queries: Queries, projectId: string, manifest: object): Promise<{ id: string }> =>
  upsertIntegration(queries, {
    projectId,
    name: INTEGRATION,
    provider: PROVIDER,
    specVersion: "1.0.0",
    content: manifest,
    createdBy: "system",
  });

export async function install(
  queries: Queries,
  busbar: { projectId: string; groupId: string; connectionId: string; config?: object },
): Promise<string> {
  const { projectId, groupId, connectionId, config } = busbar;
  const integration = await findIntegration(queries, projectId, INTEGRATION);
  if (!integration) throw new Error("nothing is deployed");
  const { id } = await insertInstallation(queries, {
    projectId,
    integrationId: integration.id,
    groupId,
    connectionId,
    createdBy: "api:test",
    revisionId: integration.latestRevision.id,
    content: config ?? CONFIG,
  });
  return id;
}

/** Finds what a check needs: installation, connection, objects, and where messages go. */
import type { FieldsConnector } from "../../connector-kit/fields.ts";
import type { Log } from "../../ground/log.ts";
import type { ConfigContent } from "../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../manifest/manifest.ts";
import type { CallServices } from "../operations/call-provider.ts";
import { findDestination } from "../store/deliveries/destinations.ts";
import { listInstallationFields, type InstallationFieldsRow } from "../store/deliveries/events.ts";
import { findInstallation } from "../store/integrations/installations.ts";
import { findIntegration } from "../store/integrations/integrations.ts";
import { listReadObjects } from "../store/reads/read-objects.ts";
import { buildBaselineAccount } from "../store/integrations/schema-baselines.ts";
import type { SchemaCheck } from "../store/integrations/schema-checks.ts";
import {
  readWatchedChanges,
  listWatchedObjects,
  type WatchedChanges,
  type WatchedObject,
} from "./watched-objects.ts";

export interface SchemaCheckServices extends CallServices {
  log: Log;
  minuteMs: number;
}

export interface SchemaCheckTarget {
  projectId: string;
  installationId: string;
  connectionId: string;
  connector: FieldsConnector;
  destinationId: string;
  /** Names the account: fields of another account are not compared. */
  account: string;
  workspace: string | undefined;
  installationUpdateTime: Date;
  fields: InstallationFieldsRow;
  objects: WatchedObject[];
  watched: WatchedChanges;
}

/**
 * Returns undefined if there is nothing to check now: the watch or the installation is gone, the credentials are
 * rejected, or the destination is missing or disabled. Then baselines stay, and the next check reports what changed since.
 */
export async function findSchemaCheckTarget(
  deps: SchemaCheckServices,
  check: SchemaCheck,
): Promise<SchemaCheckTarget | undefined> {
  const { control, data } = deps.database;
  const { projectId, installationId } = check;
  const [installation, integration] = await Promise.all([
    findInstallation<ConfigContent>(data, projectId, installationId),
    findIntegration<ManifestIntegration>(data, projectId, check.integrationId),
  ]);
  const manifest = integration?.latestRevision.content;
  if (!installation || !integration || !manifest?.watchSchema) return undefined;
  const { connectionId } = installation;
  const [connection, fields, destination, read] = await Promise.all([
    deps.connections.find(projectId, connectionId),
    listInstallationFields(data, [installationId]),
    findDestination(control, projectId, manifest.watchSchema.destination ?? ""),
    listReadObjects(data, projectId, installationId),
  ]);
  const described = fields.get(installationId);
  if (!connection || !described || connection.status === "bad_credentials") return undefined;
  const connector = deps.catalog.of(projectId).connector(integration.provider)?.fields;
  if (!connector || (manifest.module && connector.module && manifest.module !== connector.module))
    return undefined;
  if (!destination || destination.disabledTime) {
    const name = manifest.watchSchema.destination;
    deps.log.warn(
      { projectId, integration: integration.name, destination: name },
      "the schema is not watched: its destination is missing or disabled",
    );
    return undefined;
  }
  const running = new Map(
    read.flatMap(({ objectName, messageName, disabled }) => (disabled ? [] : [[objectName, messageName]])),
  );
  const workspace = connection.providerWorkspaceRef ?? undefined;
  return {
    projectId,
    installationId,
    connectionId,
    connector,
    destinationId: destination.id,
    account: buildBaselineAccount(connectionId, connection.providerWorkspaceRef),
    workspace,
    installationUpdateTime: installation.updateTime ?? installation.createTime,
    fields: described,
    objects: listWatchedObjects(manifest, installation.config.content, running),
    watched: readWatchedChanges(manifest),
  };
}

/** Gathers what processing the events of a subscription needs: definition, connector, destination. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { Connector } from "../../../connector-kit/connector.ts";
import type { ReadConnector } from "../../../connector-kit/read-connector.ts";
import type { SubscribeConnector } from "../../../connector-kit/subscribe-connector.ts";
import type { Installed, InstallationCache } from "../../operations/installation-cache.ts";
import { listReadableDefinitions, type ReadDefinition } from "../../read/definition/read-definition.ts";
import { toMessageDestination, type MessageDestination } from "../../read/definition/read-target.ts";
import { readSources } from "../../read/definition/read-sources.ts";
import type { Database } from "../../store/database/database.ts";
import { findDestination } from "../../store/deliveries/destinations.ts";
import type { InstallationFieldsRow } from "../../store/deliveries/events.ts";
import { subscribeDefinitions, type SubscribeDefinition } from "./subscribe-definition.ts";

export type SubscribingConnector = Connector & { read: ReadConnector; subscribe: SubscribeConnector };

export interface SubscriptionTarget {
  installed: Installed;
  /** What events and messages say of the installation. */
  fields: InstallationFieldsRow;
  connector: SubscribingConnector;
  /** Undefined: the installation does not subscribe to the object any more. */
  definition: SubscribeDefinition | undefined;
  /** Every object that the manifest reads, installed or not, for records at the other end of an association. */
  reads: ReadDefinition[];
  /** Undefined: there is no such destination, or it is disabled. */
  destination: MessageDestination | undefined;
}

interface SubscriptionTargetServices {
  database: Database;
  catalog: Catalog;
  installations: InstallationCache;
}

/** Returns undefined when the installation was deleted, or the provider has no subscriptions here. */
export async function findSubscriptionTarget(
  deps: SubscriptionTargetServices,
  {
    projectId,
    installationId,
    objectName,
  }: { projectId: string; installationId: string; objectName: string },
): Promise<SubscriptionTarget | undefined> {
  const { control, data } = deps.database;
  const installed = await deps.installations.findById(projectId, installationId);
  const fields = await deps.installations.findFields(installationId);
  const connector = installed && findSubscribingConnector(deps.catalog, installed.integration.provider);
  if (!installed || !fields || !connector) return undefined;
  const { integration, installation } = installed;
  const { content } = installation.config;
  const sources = await readSources(data, integration, content);
  const definition = subscribeDefinitions(sources).find((one) => one.objectName === objectName);
  const destination = definition?.destination
    ? await findDestination(control, projectId, definition.destination)
    : undefined;
  return {
    installed,
    fields,
    connector,
    definition,
    reads: listReadableDefinitions(sources),
    destination: destination?.disabledTime === null ? toMessageDestination(destination) : undefined,
  };
}

/** Returns the connector if records of the provider can be subscribed to. */
export function findSubscribingConnector(
  catalog: Catalog,
  provider: string,
): SubscribingConnector | undefined {
  const connector = catalog.connector(provider);
  return connector?.read && connector.subscribe
    ? { ...connector, read: connector.read, subscribe: connector.subscribe }
    : undefined;
}

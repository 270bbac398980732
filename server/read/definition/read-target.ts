/** Finds the object's definition, the connector and the destination of a claimed run. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { Connector } from "../../../connector-kit/connector.ts";
import { DESTINATIONS } from "../../../destinations/index.gen.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { ReadConnector } from "../../../connector-kit/read-connector.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { Installed, InstallationCache } from "../../operations/installation-cache.ts";
import type { Database } from "../../store/database/database.ts";
import { findDestination, type DestinationRow } from "../../store/deliveries/destinations.ts";
import type { InstallationFieldsRow } from "../../store/deliveries/events.ts";
import { findConfig } from "../../store/integrations/installations.ts";
import type { ClaimedRun } from "../../store/reads/read-runs.ts";
import { findReadDefinition, type ReadDefinition } from "./read-definition.ts";
import { readSources } from "./read-sources.ts";

/** The installation that a run reads for. */
export interface RunOwner {
  installed: Installed;
  /** Fields of the installation in events and messages. */
  fields: InstallationFieldsRow;
}

export interface MessageDestination {
  id: string;
  /** Largest message that it takes; undefined if only the limit of all messages counts. */
  maxBytes: number | undefined;
  /** Where no object says it. */
  ownWrites?: "exclude" | undefined;
}

export interface ReadTarget extends RunOwner {
  definition: ReadDefinition;
  connector: Connector & { read: ReadConnector };
  /** Records that the provider leaves out of the object's list, in words. */
  notRead: readonly string[];
  /** The connection's workspace, if it has one. */
  workspace: string | undefined;
  /** Undefined while nothing can be delivered. */
  destination: MessageDestination | undefined;
}

type RunDestination = Pick<
  ClaimedRun,
  "destinationId" | "destinationType" | "destinationDisabled" | "destinationOwnWrites"
>;

interface ReadTargetServices {
  database: Database;
  catalog: Catalog;
  installations: InstallationCache;
}

/** Returns undefined when the installation was deleted, and the run with it. */
export async function findRunOwner(
  { installations }: ReadTargetServices,
  { projectId, installationId }: Pick<ClaimedRun, "projectId" | "installationId">,
): Promise<RunOwner | undefined> {
  const installed = await installations.findById(projectId, installationId);
  const fields = await installations.findFields(installationId);
  return installed && fields && { installed, fields };
}

/** Throws `ProviderError` (`invalid`) when the object can no longer be read. */
export async function findReadTarget(
  deps: ReadTargetServices,
  run: Pick<ClaimedRun, "projectId" | "configId" | "objectName" | "workspace" | keyof RunDestination>,
  { installed, fields }: RunOwner,
): Promise<ReadTarget> {
  const { objectName } = run;
  const definition = await findDefinition(deps, installed, run);
  if (!definition) throw buildRefusal(`The manifest has no read object \`${objectName}\` any more.`);
  const { provider } = installed.integration;
  const catalog = deps.catalog.of(run.projectId);
  const connector = catalog.connector(provider);
  if (!connector?.read) throw buildRefusal(`Busbar cannot read from ${provider}.`);
  return {
    installed,
    fields,
    definition,
    connector: { ...connector, read: connector.read },
    notRead: catalog.find(provider)?.evidence?.notRead?.[definition.objectName] ?? [],
    workspace: run.workspace ?? undefined,
    destination: await findMessageDestination(deps.database, run, definition),
  };
}

/** Finds the definition in the configuration with which the run began. */
async function findDefinition(
  { database }: ReadTargetServices,
  { integration, installation }: Installed,
  { projectId, configId, objectName }: Pick<ClaimedRun, "projectId" | "configId" | "objectName">,
): Promise<ReadDefinition | undefined> {
  const { control } = database;
  const content =
    installation.config.id === configId
      ? installation.config.content
      : ((await findConfig<ConfigContent>(control, projectId, configId)) ?? installation.config.content);
  return findReadDefinition(await readSources(control, integration, content, [objectName]), objectName);
}

async function findMessageDestination(
  { control }: Database,
  run: Pick<ClaimedRun, "projectId"> & RunDestination,
  { destination }: ReadDefinition,
): Promise<MessageDestination | undefined> {
  if (run.destinationId && run.destinationType)
    return run.destinationDisabled
      ? undefined
      : toMessageDestination({
          id: run.destinationId,
          type: run.destinationType,
          ownWrites: run.destinationOwnWrites,
        });
  const row = destination === "" ? undefined : await findDestination(control, run.projectId, destination);
  return row && row.disabledTime === null ? toMessageDestination(row) : undefined;
}

export const toMessageDestination = ({
  id,
  type,
  ownWrites,
}: Pick<DestinationRow, "id" | "type" | "ownWrites">): MessageDestination => ({
  id,
  maxBytes: DESTINATIONS[type]?.maxMessageBytes,
  ...(ownWrites === "exclude" && { ownWrites }),
});

const buildRefusal = (message: string): ProviderError => new ProviderError({ kind: "invalid", message });

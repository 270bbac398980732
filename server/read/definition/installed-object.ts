/** Finds the object that a request names, with the installation of the request's group. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { Connector } from "../../../connector-kit/connector.ts";
import type { ReadConnector } from "../../../connector-kit/read-connector.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { suggestName } from "../../../ground/closest.ts";
import type { InstallationCache, Installed } from "../../operations/installation-cache.ts";
import { explainNotInstalled, describeMissingIntegration } from "../../operations/missing-integration.ts";
import type { Database } from "../../store/database/database.ts";
import type { ControlQueries, DataQueries } from "../../store/database/sides.ts";
import { findIntegration } from "../../store/integrations/integrations.ts";
import { listReadObjects } from "../../store/reads/read-objects.ts";
import { findReadDefinition, type ReadDefinition } from "./read-definition.ts";
import { readSources } from "./read-sources.ts";

export interface InstalledObject {
  installed: Installed;
  definition: ReadDefinition;
}

export interface ReadableObject extends InstalledObject {
  connector: Connector & { read: ReadConnector };
}

export interface ObjectServices {
  database: Database;
  installations: InstallationCache;
}

/** Enough to recognise the right one. */
const MAX_NAMES = 50;

interface NamedObject {
  projectId: string;
  /** Id or name. */
  integration: string;
  groupRef: string;
  /** Mapped or the provider's. */
  objectName: string;
  /** Where the request names the object. */
  in: Issue["in"];
  /** Whether the caller may learn which groups there are. Default: false. */
  seesGroups?: boolean;
}

/** Throws a Problem: 404 for integration or group, 400 for an object that the manifest does not read. */
export async function findInstalledObject(
  deps: ObjectServices,
  named: NamedObject,
): Promise<InstalledObject> {
  const { projectId, integration: name, groupRef, objectName } = named;
  const installed = await deps.installations.findOfGroup(projectId, name, groupRef);
  if (!installed) throw await findMissing(deps.database.control, named);
  const { integration, installation } = installed;
  const { content } = installation.config;
  const { control, data } = deps.database;
  const find = async (running: string[]) =>
    findReadDefinition(await readSources(control, integration, content, running), objectName);
  const definition = (await find([])) ?? (await find(await listRunningObjects(data, installation)));
  if (definition) return { installed, definition };
  const objects = integration.latestRevision.content.read?.objects ?? [];
  const known = objects.flatMap(({ objectName: native, mapToName }) => [native, mapToName ?? native]);
  const remedy = suggestName(objectName, known, describeRead(objects));
  throw refuseObject(
    named,
    `The integration \`${integration.name}\` does not read \`${objectName}\`.`,
    remedy,
  );
}

/** Finds out which of the two is missing. A query of its own, because it is rare. */
async function findMissing(queries: ControlQueries, named: NamedObject): Promise<Problem> {
  const { projectId, integration, groupRef, seesGroups = false } = named;
  const found = await findIntegration(queries, projectId, integration);
  if (!found) return describeMissingIntegration(queries, projectId, integration);
  const missing = { projectId, integration: found.name, groupRef, seesGroups };
  return new Problem("not-found", { detail: await explainNotInstalled(queries, missing) });
}

function describeRead(objects: readonly { objectName: string; mapToName?: string }[]): string {
  if (objects.length === 0) return "Its manifest has no `read` with objects.";
  const names = objects.map(({ objectName, mapToName }) => mapToName ?? objectName);
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : "";
  return `It reads: ${names.slice(0, MAX_NAMES).join(", ")}${more}.`;
}

/** Lists the objects that an installation reads already; the newest manifest may have no more of them. */
async function listRunningObjects(
  queries: DataQueries,
  { projectId, id }: Installed["installation"],
): Promise<string[]> {
  return (await listReadObjects(queries, projectId, id)).map(({ objectName }) => objectName);
}

/** Finds an object whose records can be read now. Throws a 400 Problem for one that is disabled, or without a reader. */
export async function findReadableObject(
  deps: ObjectServices & { catalog: Catalog },
  named: NamedObject,
): Promise<ReadableObject> {
  const { installed, definition } = await findInstalledObject(deps, named);
  const { provider, latestRevision } = installed.integration;
  const connector = deps.catalog.of(named.projectId).connector(provider);
  const { module } = latestRevision.content;
  if (!connector?.read || (module && connector.read.module && module !== connector.read.module)) {
    throw new Problem("unsupported-by-provider", {
      detail: `Busbar cannot read records of ${provider}${module ? ` (module ${module})` : ""}. Call its API through the proxy instead.`,
    });
  }
  const { objectName } = definition;
  if (connector.read.isReadable?.(objectName) === false) {
    throw new Problem("unsupported-by-provider", {
      detail: `Busbar does not read \`${objectName}\` of ${provider}. Call its API through the proxy instead.`,
    });
  }
  if (definition.disabled) {
    const detail = `The customer's configuration has disabled \`${named.objectName}\`.`;
    throw refuseObject(named, detail, "Set `disabled: false` for the object to read or search it.");
  }
  return { installed, definition, connector: { ...connector, read: connector.read } };
}

/** Returns a 400 Problem about the object that the request names. */
export function refuseObject(
  { in: place, objectName }: Pick<NamedObject, "in" | "objectName">,
  detail: string,
  remedy: string,
): Problem {
  const issue: Issue = { in: place, name: "objectName", detail, value: objectName, remedy };
  return new Problem("invalid-request", { detail: `${detail} ${remedy}`, issues: [issue] });
}

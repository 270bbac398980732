/** The objects of a customer's installations, with what an agent may do with each; and the one that a call means. */
import { findClosest } from "../../ground/closest.ts";
import type { Catalog } from "../../connector-kit/catalog.ts";
import { Problem, type Issue } from "../../ground/errors.ts";
import { findDeclaredReadObject } from "../../manifest/object-fields.ts";
import type { InstallationCache, Installed } from "../operations/installation-cache.ts";
import { listReadableDefinitions, type ReadDefinition } from "../read/definition/read-definition.ts";
import { readSources } from "../read/definition/read-sources.ts";
import type { Database } from "../store/database/database.ts";
import { requireObjectSettings, type ObjectSettings } from "../write/object-settings.ts";
import type { AgentSession, CustomerScope } from "./agent-session.ts";
import type { Right } from "./agent-tool.ts";
import { decide, type ActKind, type AgentPolicy, type AgentTool } from "./policy/policy.ts";

export interface CustomerObjectServices {
  database: Database;
  catalog: Catalog;
  installations: InstallationCache;
}

type ObjectAction = "search" | "get" | "create" | "update" | "upsert" | "delete";

export interface CustomerObject {
  installed: Installed;
  /** The builder's name, or else the provider's. */
  name: string;
  /** The provider's. */
  objectName: string;
  /** Absent where nothing reads it. */
  definition?: ReadDefinition;
  /** Absent where nothing writes it. */
  settings?: ObjectSettings;
  /** What installation, credential and policy allow. */
  actions: ObjectAction[];
}

export interface CustomerIntegration {
  name: string;
  installed: Installed;
  /** Status of the connection. */
  status: string;
  objects: CustomerObject[];
  mayProxy: boolean;
}

interface Caller {
  session: AgentSession;
  policy: AgentPolicy;
}

const TOOLS: Record<ObjectAction, { tool: AgentTool; kind: ActKind; right: Right }> = {
  search: { tool: "search_records", kind: "read", right: "read" },
  get: { tool: "get_record", kind: "read", right: "read" },
  create: { tool: "create_record", kind: "write", right: "write" },
  update: { tool: "update_record", kind: "write", right: "write" },
  upsert: { tool: "upsert_record", kind: "write", right: "write" },
  delete: { tool: "delete_record", kind: "delete", right: "write" },
};

/** Lists what the customer has installed, in the order of the integrations' names. */
export async function listCustomerIntegrations(
  deps: CustomerObjectServices,
  by: Caller,
  installed: CustomerScope["installed"],
): Promise<CustomerIntegration[]> {
  const { project, groupRef } = by.session;
  const statuses = new Map(installed.map(({ id, status }) => [id, status]));
  const found = await Promise.all(installed.map(({ id }) => deps.installations.findById(project.id, id)));
  const integrations = found.flatMap((one) => (one?.installation.groupRef === groupRef ? one : []));
  const described = integrations.map(async (one) => ({
    name: one.integration.name,
    installed: one,
    status: statuses.get(one.installation.id) ?? "unknown",
    objects: await listObjects(deps, one, by),
    mayProxy: mayProxy(deps.catalog.of(project.id), one),
  }));
  const all = await Promise.all(described);
  return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function mayProxy(catalog: Catalog, { integration, installation }: Installed): boolean {
  const { provider, latestRevision } = integration;
  return (
    latestRevision.content.proxy?.enabled === true &&
    installation.config.content.proxy?.enabled !== false &&
    catalog.built(provider, "proxy", latestRevision.content.module)
  );
}

async function listObjects(
  deps: CustomerObjectServices,
  installed: Installed,
  by: Caller,
): Promise<CustomerObject[]> {
  const { integration, installation } = installed;
  const catalog = deps.catalog.of(installation.projectId);
  const manifest = integration.latestRevision.content;
  const sources = await readSources(deps.database.control, integration, installation.config.content);
  const definitions = new Map(
    listReadableDefinitions(sources).flatMap((one) =>
      isReadable(catalog, installed, one) ? [[one.objectName, one]] : [],
    ),
  );
  const written = (manifest.write?.objects ?? []).map(({ objectName }) => objectName);
  return [...new Set([...definitions.keys(), ...written])].toSorted().map((objectName): CustomerObject => {
    const definition = definitions.get(objectName);
    const settings = written.includes(objectName) ? writeSettings(catalog, installed, objectName) : undefined;
    const name =
      findDeclaredReadObject(manifest, objectName)?.mapToName || definition?.messageName || objectName;
    const object = {
      installed,
      name,
      objectName,
      ...(definition && { definition }),
      ...(settings && { settings }),
    };
    return { ...object, actions: listActionsOn(catalog, object, by) };
  });
}

/** Returns whether the object can be read, by the rules of `findReadableObject`. */
function isReadable(
  catalog: Catalog,
  { integration }: Installed,
  { objectName, disabled }: ReadDefinition,
): boolean {
  const read = catalog.connector(integration.provider)?.read;
  const { module } = integration.latestRevision.content;
  if (!read || disabled || (module && read.module && module !== read.module)) return false;
  return read.isReadable?.(objectName) !== false;
}

/** Returns undefined where the customer's configuration does not enable writing the object. */
function writeSettings(
  catalog: Catalog,
  installed: Installed,
  objectName: string,
): ObjectSettings | undefined {
  if (!catalog.connector(installed.integration.provider)?.write) return undefined;
  try {
    return requireObjectSettings(installed, objectName, catalog);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function listActionsOn(
  catalog: Catalog,
  { installed, name, objectName, definition, settings }: Omit<CustomerObject, "actions">,
  { session, policy }: Caller,
): ObjectAction[] {
  const { provider, name: integration, latestRevision } = installed.integration;
  const write = catalog.connector(provider)?.write?.abilities;
  const { upsert = false } = write ?? {};
  const can: Record<ObjectAction, boolean> = {
    search: definition !== undefined && catalog.built(provider, "search", latestRevision.content.module),
    get: definition !== undefined,
    create: settings !== undefined,
    update: settings !== undefined,
    upsert: settings !== undefined && (upsert === true || (upsert && Object.hasOwn(upsert, objectName))),
    delete: settings?.deletionEnabled === true && write?.delete === true,
  };
  return (Object.keys(TOOLS) as ObjectAction[]).filter((action) => {
    const { tool, kind, right } = TOOLS[action];
    if (!can[action] || !session.rights.has(right)) return false;
    return decide(policy, { tool, kind, integration, object: [name, objectName] }) !== "forbid";
  });
}

interface NamedByAgent {
  integration?: string | undefined;
  object: string;
}

/** Finds the object that a call names, by the builder's or the provider's name. Throws a 400 Problem with the nearest names. */
export function findObject(all: readonly CustomerIntegration[], asked: NamedByAgent): CustomerObject {
  const within = asked.integration === undefined ? all : [findCustomerIntegration(all, asked.integration)];
  const wanted = asked.object.toLowerCase();
  const objects = within.flatMap((one) => one.objects);
  const byName = objects.filter(({ name }) => name.toLowerCase() === wanted);
  const found =
    byName.length > 0 ? byName : objects.filter(({ objectName }) => objectName.toLowerCase() === wanted);
  const [first, ...others] = found;
  if (!first) throw refuseUnknownObject(asked.object, within, objects);
  if (others.length === 0) return first;
  throw refuseAmbiguous(
    "object",
    asked.object,
    found.map(({ installed }) => installed.integration.name),
  );
}

/** Finds an integration by its name; without one, the only one that fits. Throws a 400 Problem. */
export function findCustomerIntegration(
  all: readonly CustomerIntegration[],
  name: string | undefined,
  fits: (one: CustomerIntegration) => boolean = () => true,
): CustomerIntegration {
  if (name !== undefined) {
    const wanted = name.toLowerCase();
    const found = all.find(
      (one) => one.name.toLowerCase() === wanted || one.installed.integration.id === wanted,
    );
    if (found) return found;
    const detail = `The customer has not installed an integration \`${name}\`.`;
    throw refuseName(
      "integration",
      name,
      detail,
      suggest(
        name,
        all.map(({ name: known }) => known),
        "list_integrations",
      ),
    );
  }
  const [first, ...others] = all.filter(fits);
  if (!first) {
    throw new Problem("invalid-request", {
      detail:
        "The customer has installed no integration that can do this. list_integrations shows what there is; connect_account gives " +
        "an address at which the customer connects an account.",
    });
  }
  if (others.length === 0) return first;
  throw refuseAmbiguous(
    "integration",
    undefined,
    [first, ...others].map(({ name: known }) => known),
  );
}

function refuseUnknownObject(
  name: string,
  within: readonly CustomerIntegration[],
  objects: readonly CustomerObject[],
): Problem {
  const where =
    within.length === 1 && within[0] ? `The integration \`${within[0].name}\`` : "The customer's account";
  const names = objects.flatMap((one) => [one.name, one.objectName]);
  return refuseName(
    "object",
    name,
    `${where} has no object \`${name}\`.`,
    suggest(name, names, "find_objects"),
  );
}

const refuseAmbiguous = (
  member: string,
  value: string | undefined,
  integrations: readonly string[],
): Problem =>
  refuseName(
    "integration",
    undefined,
    `Several integrations ${member === "object" ? `have the object \`${value}\`` : "can do this"}: ${integrations.join(", ")}.`,
    "Name one of them in `integration`.",
  );

/** Enough to recognise the right one. */
const MAX_NAMES = 20;

export function suggest(wanted: string, names: readonly string[], tool: string): string {
  const near = findClosest(wanted, names);
  if (near !== undefined) return `Did you mean "${near}"?`;
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return `${tool} shows what there is.`;
  const more = distinct.length > MAX_NAMES ? `, and more that ${tool} shows` : "";
  return `There are: ${distinct.slice(0, MAX_NAMES).join(", ")}${more}.`;
}

/** Returns a 400 Problem about one argument. */
function refuseName(name: string, value: unknown, detail: string, remedy: string): Problem {
  const issue: Issue = { in: "body", name, detail, remedy, ...(value !== undefined && { value }) };
  return new Problem("invalid-request", { detail: `${name}: ${detail} ${remedy}`, issues: [issue] });
}

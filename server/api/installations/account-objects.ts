/** Compares the objects that an installation reads, subscribes to and writes with those of the customer's account. */
import { findFieldsConnector } from "../../../connector-kit/fields.ts";
import type { Connector } from "../../../connector-kit/connector.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { Issue } from "../../../ground/errors.ts";
import { suggestName } from "../../../ground/closest.ts";
import { formatName } from "../../../manifest/config-issue.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { callProvider } from "../../operations/call-provider.ts";
import { readDefinitions } from "../../read/definition/read-definition.ts";
import { subscribeDefinitions, wantsEvents } from "../../subscribe/definition/subscribe-definition.ts";
import type { Integration } from "../integration.ts";
import { describeObjects } from "../objects/describe-objects.ts";
import type { AccountServices, ConfigChange } from "./account-fields.ts";
import { placeOfObject, type ConfigAction } from "./config-mask.ts";
import type { InstallationWarning } from "./installation.ts";

interface UsedObject {
  action: ConfigAction;
  objectName: string;
}

/** A used object that does not exist, and the provider's words where it was asked. */
interface UnknownObject extends UsedObject {
  refusal?: ProviderError;
}

interface UnknownObjects {
  /** Unknown objects that the configuration reads or subscribes to. */
  issues: Issue[];
  /** Unknown objects that the configuration writes. */
  warnings: InstallationWarning[];
}

/**
 * Finds the objects that the installation did not use before and that neither the account nor the provider's
 * description has. Objects whose existence cannot be checked are left out.
 */
export async function findUnknownObjects(
  deps: AccountServices,
  integration: Integration,
  { connectionId, before, after }: ConfigChange,
): Promise<UnknownObjects> {
  const known = new Set(before && listUsedObjects(integration, before).map(getKey));
  const used = listUsedObjects(integration, after).filter((object) => !known.has(getKey(object)));
  const connector = deps.catalog.of(integration.projectId).connector(integration.provider);
  if (!connector || used.length === 0) return { issues: [], warnings: [] };
  const account = { connector, connectionId };
  const names = remember(() => listNames(deps, integration, account));
  const unknown = await listUnknownAmong(deps, integration, { ...account, used, names });
  const suggested = unknown.length > 0 ? await names() : [];
  const reported = unknown.map((object) => ({
    action: object.action,
    ...describeUnknown(object, integration, after, suggested),
  }));
  return {
    issues: reported.flatMap(({ action, value, ...warning }) =>
      action === "write" ? [] : [{ in: "body" as const, ...warning, value }],
    ),
    warnings: reported.flatMap(({ action, value: _value, ...warning }) =>
      action === "write" ? [warning] : [],
    ),
  };
}

function remember<Value>(find: () => Promise<Value>): () => Promise<Value> {
  let found: Promise<Value> | undefined;
  return () => (found ??= find());
}

function listUsedObjects({ latestRevision }: Integration, config: ConfigContent): UsedObject[] {
  const manifest = latestRevision.content;
  const sources = { revisions: [manifest], config };
  const written = Object.entries(config.write?.objects ?? {}).map(
    ([key, { objectName }]) => objectName || key,
  );
  const declared = (manifest.write?.objects ?? []).map(({ objectName }) => objectName);
  const toUsedObjects = (action: ConfigAction, names: string[]): UsedObject[] =>
    names.map((objectName) => ({ action, objectName }));
  return [
    ...toUsedObjects(
      "read",
      readDefinitions(sources).flatMap(({ objectName, disabled }) => (disabled ? [] : [objectName])),
    ),
    ...toUsedObjects(
      "subscribe",
      subscribeDefinitions(sources).flatMap((one) => (wantsEvents(one) ? [one.objectName] : [])),
    ),
    // Without write objects in the configuration all objects of the manifest may be written.
    ...toUsedObjects("write", written.length > 0 ? written : declared),
  ];
}

const getKey = ({ action, objectName }: UsedObject): string => `${action} ${objectName}`;

interface Account {
  connector: Connector;
  connectionId: string;
}

async function listUnknownAmong(
  deps: AccountServices,
  { projectId, latestRevision }: Integration,
  { connector, connectionId, used, names }: Account & { used: UsedObject[]; names: () => Promise<string[]> },
): Promise<UnknownObject[]> {
  const { provider, module } = latestRevision.content;
  const objects = listKnownObjects(connector, module);
  if (objects)
    return used.filter(
      ({ action, objectName }) => !objects.can(action === "write" ? "write" : "read", objectName),
    );
  const asked = used.filter(({ objectName }) => isDeclarative(connector, objectName, module));
  // One request for all: the description of an object costs HubSpot three, and nothing else needs it of a written object.
  const isListed = asked.some(({ action }) => action === "write") ? isListedIn(await names()) : () => false;
  const toDescribe = asked.filter(({ action, objectName }) => action !== "write" || !isListed(objectName));
  const answers = await describeObjects(
    deps,
    { projectId, connectionId, provider, module },
    toDescribe.map(({ objectName }) => objectName),
  );
  return toDescribe.flatMap((object) => {
    const refusal = answers.get(object.objectName);
    return refusal instanceof ProviderError && ["not_found", "invalid"].includes(refusal.kind)
      ? [{ ...object, refusal }]
      : [];
  });
}

function isListedIn(names: string[]): (objectName: string) => boolean {
  const listed = new Set(names.map((name) => name.toLowerCase()));
  return (objectName) => listed.has(objectName.toLowerCase());
}

/** Returns what is known without the account; undefined where only the account knows, or for another module. */
const listKnownObjects = ({ objects }: Connector, module: string | undefined): Connector["objects"] =>
  objects && (!module || !objects.module || module === objects.module) ? objects : undefined;

function isDeclarative(connector: Connector, objectName: string, module: string | undefined): boolean {
  const fields = findFieldsConnector(connector, objectName);
  return fields !== undefined && (!module || !fields.module || module === fields.module);
}

/** Returns the names to suggest; none if the provider does not list them now. */
async function listNames(
  deps: AccountServices,
  { projectId, latestRevision }: Integration,
  { connector, connectionId }: Account,
): Promise<string[]> {
  const described = listKnownObjects(connector, latestRevision.content.module);
  if (described) return described.names("read");
  const { fields } = connector;
  try {
    return await callProvider(deps, { projectId, connectionId }, async ({ fetch }) =>
      fields?.listObjects ? fields.listObjects(fetch) : [],
    );
  } catch (error) {
    if (error instanceof ProviderError) return [];
    throw error;
  }
}

const MAX_NAMES = 20;

function describeUnknown(
  { action, objectName, refusal }: UnknownObject,
  { provider }: Integration,
  after: ConfigContent,
  names: string[],
): InstallationWarning & { value: string } {
  const listed = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length > MAX_NAMES ? ", …" : "";
  const otherwise =
    names.length > 0
      ? `It has ${listed}${more}.`
      : "Correct the name in the manifest, or create the object there first.";
  const words = refusal?.message
    .trim()
    .replaceAll(/\s+/g, " ")
    .replace(/[^.?!]$/, "$&.");
  return {
    name: formatName(placeOfObject(after, objectName, action)),
    detail:
      words === undefined
        ? `${provider} has no object \`${objectName}\` that Busbar can ${action === "write" ? "write" : "read"}.`
        : `The customer's account at ${provider} has no object \`${objectName}\`, or does not show it: ${words}`,
    value: objectName,
    remedy: suggestName(objectName, names, otherwise),
  };
}

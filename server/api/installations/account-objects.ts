/** Compares the objects that an installation reads and subscribes to with those of the customer's account. */
import { fieldsOf, type FieldsConnector } from "../../../connector-kit/fields.ts";
import type { Connector } from "../../../connector-kit/connector.ts";
import { ProviderError } from "../../../connector-kit/provider-error.ts";
import type { Issue } from "../../../ground/errors.ts";
import { didYouMean } from "../../../ground/closest.ts";
import { formatName } from "../../../manifest/config-issue.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { callProvider } from "../../operations/call-provider.ts";
import { readDefinitions } from "../../read/read-definition.ts";
import { subscribeDefinitions, wantsEvents } from "../../subscribe/subscribe-definition.ts";
import type { Integration } from "../integration.ts";
import { describeObjects } from "../objects/describe-objects.ts";
import type { AccountServices, ConfigChange } from "./account-fields.ts";
import { placeOfObject } from "./config-mask.ts";

interface UsedObject {
  action: "read" | "subscribe";
  objectName: string;
}

/** A used object that does not exist, and the provider's words where it was asked. */
interface UnknownObject extends UsedObject {
  refusal?: ProviderError;
}

/**
 * Returns one issue for each object that the installation reads or subscribes to, did not before, and the account or the
 * provider's description does not have. Objects of which nobody can know have no issue.
 */
export async function findUnknownObjects(
  deps: AccountServices,
  integration: Integration,
  { connectionId, before, after }: ConfigChange,
): Promise<Issue[]> {
  const known = new Set(before && usedObjects(integration, before).map(keyOf));
  const used = usedObjects(integration, after).filter((object) => !known.has(keyOf(object)));
  const connector = deps.catalog.of(integration.projectId).connector(integration.provider);
  if (!connector || used.length === 0) return [];
  const unknown = await unknownOf(deps, integration, { connector, connectionId, used });
  if (unknown.length === 0) return [];
  const names = await listNames(deps, integration, { connector, connectionId });
  return unknown.map((object) => toIssue(object, integration, after, names));
}

function usedObjects({ latestRevision }: Integration, config: ConfigContent): UsedObject[] {
  const sources = { revisions: [latestRevision.content], config };
  return [
    ...readDefinitions(sources).flatMap(({ objectName, disabled }) =>
      disabled ? [] : [{ action: "read" as const, objectName }],
    ),
    ...subscribeDefinitions(sources).flatMap((definition) =>
      wantsEvents(definition) ? [{ action: "subscribe" as const, objectName: definition.objectName }] : [],
    ),
  ];
}

const keyOf = ({ action, objectName }: UsedObject): string => `${action} ${objectName}`;

interface Account {
  connector: Connector;
  connectionId: string;
}

async function unknownOf(
  deps: AccountServices,
  { projectId, latestRevision }: Integration,
  { connector, connectionId, used }: Account & { used: UsedObject[] },
): Promise<UnknownObject[]> {
  const { provider, module } = latestRevision.content;
  const described = knownObjects(connector, module);
  if (described) return used.filter(({ objectName }) => !described.can("read", objectName));
  const names = used.flatMap(({ objectName }) =>
    fieldsFor(connector, objectName, module) ? [objectName] : [],
  );
  const answers = await describeObjects(deps, { projectId, connectionId, provider, module }, names);
  return used.flatMap((object) => {
    const refusal = answers.get(object.objectName);
    return refusal instanceof ProviderError && ["not_found", "invalid"].includes(refusal.kind)
      ? [{ ...object, refusal }]
      : [];
  });
}

/** Returns what is known without the account; undefined where only the account knows, or for another module. */
const knownObjects = ({ objects }: Connector, module: string | undefined): Connector["objects"] =>
  objects && (!module || !objects.module || module === objects.module) ? objects : undefined;

function fieldsFor(
  connector: Connector,
  objectName: string,
  module: string | undefined,
): FieldsConnector | undefined {
  const fields = fieldsOf(connector, objectName);
  return fields && (!module || !fields.module || module === fields.module) ? fields : undefined;
}

/** Returns the names to suggest; none if the provider does not list them now. */
async function listNames(
  deps: AccountServices,
  { projectId, latestRevision }: Integration,
  { connector, connectionId }: Account,
): Promise<string[]> {
  const described = knownObjects(connector, latestRevision.content.module);
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

const MOST_NAMES = 20;

function toIssue(
  { action, objectName, refusal }: UnknownObject,
  { provider }: Integration,
  after: ConfigContent,
  names: string[],
): Issue {
  const words = refusal ? `: ${refusal.message.trim().replaceAll(/\s+/g, " ")}` : "";
  const listed = names.slice(0, MOST_NAMES).join(", ");
  const more = names.length > MOST_NAMES ? ", …" : "";
  const otherwise =
    names.length > 0
      ? `It has ${listed}${more}.`
      : "Correct the name in the manifest, or create the object there first.";
  return {
    in: "body",
    name: formatName(placeOfObject(after, objectName, action)),
    detail: refusal
      ? `The customer's account at ${provider} has no object \`${objectName}\`, or does not show it${words}`.replace(
          /[^.?!]$/,
          "$&.",
        )
      : `${provider} has no object \`${objectName}\` that Busbar can read.`,
    value: objectName,
    remedy: didYouMean(objectName, names, otherwise),
  };
}

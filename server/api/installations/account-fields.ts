/** Compares the fields that a configuration names with those of the customer's account. */
import type { ObjectMetadata } from "../../../connector-kit/fields.ts";
import type { Issue } from "../../../ground/errors.ts";
import { findClosest } from "../../../ground/closest.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { formatName } from "../../../manifest/config-issue.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import { readDefinitions, type ReadDefinition } from "../../read/definition/read-definition.ts";
import type { FieldNames } from "../../read/definition/read-set.ts";
import { listUnknownFields, type UnknownField } from "../../read/definition/list-unknown-fields.ts";
import type { Integration } from "../integration.ts";
import { describeObjects } from "../objects/describe-objects.ts";
import { placeOfObject, getValueAt } from "./config-mask.ts";

export type AccountServices = CallServices & { metadata: MetadataMemory };

export interface ConfigChange {
  connectionId: string;
  /** Absent: the installation is new, or gets another connection. */
  before?: ConfigContent;
  after: ConfigContent;
}

/**
 * Returns one issue for each selected, mapped or filtered name that leads to nothing in the account, and of an object that is new for each
 * field that the manifest requires. Checks only what differs from `before`. Objects that cannot be described have no issues.
 */
export async function findUnknownFields(
  deps: AccountServices,
  integration: Integration,
  { connectionId, before, after }: ConfigChange,
): Promise<Issue[]> {
  const manifest = integration.latestRevision.content;
  const known = new Set(before && readObjectNames(manifest, before));
  const definitions = readDefinitions({ revisions: [manifest], config: after }).filter(
    ({ objectName, disabled }) =>
      !disabled &&
      (!known.has(objectName) || namesFields(findObject(after, objectName), findObject(before, objectName))),
  );
  if (definitions.length === 0) return [];
  const names = deps.catalog.of(integration.projectId).connector(integration.provider)?.read ?? ANY_NAMES;
  const { projectId } = integration;
  const { provider, module } = manifest;
  const find = async (objects: ReadDefinition[]): Promise<Issue[]> => {
    const target = { projectId, connectionId, provider, module };
    const described = await describeObjects(
      deps,
      target,
      objects.map(({ objectName }) => objectName),
    );
    return objects.flatMap((definition) => {
      const metadata = described.get(definition.objectName);
      if (!metadata || metadata instanceof Error) return [];
      const chosen = {
        after: findObject(after, definition.objectName),
        before: findObject(before, definition.objectName),
      };
      return listUnknownFields(definition, metadata, names).flatMap((unknown) => {
        const isRequired =
          !known.has(definition.objectName) && isOfManifest(unknown, definition, chosen.after);
        if (!isRequired && !isChosen(unknown.path, chosen)) return [];
        return [
          toIssue(unknown, metadata, { place: placeOfObject(after, definition.objectName), isRequired }),
        ];
      });
    });
  };
  if ((await find(definitions)).length === 0) return [];
  // The metadata may be a minute old, and somebody may just have created the field.
  deps.metadata.forget(connectionId);
  return find(definitions);
}

const readObjectNames = (manifest: ManifestIntegration, config: ConfigContent): string[] =>
  readDefinitions({ revisions: [manifest], config }).flatMap(({ objectName, disabled }) =>
    disabled ? [] : [objectName],
  );

/** For providers without a reader: names in any case, and paths into a field are taken as they are. */
const ANY_NAMES: FieldNames = {
  fieldKey: (name) => name.toLowerCase(),
  fieldBeyond: (steps) => (steps.length > 1 ? steps[0] : undefined),
};

const MEMBERS = ["selectedFields", "selectedFieldMappings", "fieldFilters", "backfill"];

const namesFields = (after: JsonObject, before: JsonObject): boolean =>
  MEMBERS.some((member) => after[member] !== undefined && !isSame(after[member], before[member]));

/** Returns whether the manifest requires the field, and the configuration does not name it. */
const isOfManifest = (
  { path }: UnknownField,
  { requiredMappings }: ReadDefinition,
  after: JsonObject,
): boolean =>
  path.length === 0 ||
  (path[0] === "selectedFieldMappings" &&
    requiredMappings.includes(String(path[1])) &&
    getMemberAt(after, path) === undefined);

/** Returns whether the configuration names the field, not only the manifest, and did not do so before. */
function isChosen(
  path: UnknownField["path"],
  { after, before }: { after: JsonObject; before: JsonObject },
): boolean {
  if (path.length === 0) return false;
  const value = getMemberAt(after, path);
  return value !== undefined && !isSame(value, getMemberAt(before, path));
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function getMemberAt(object: JsonObject, path: UnknownField["path"]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    object,
  );
}

const findObject = (content: ConfigContent | undefined, objectName: string): JsonObject =>
  asObject(getValueAt(asObject(content), placeOfObject(content, objectName)));

const asObject = (value: unknown): JsonObject => (isJsonObject(value as Json) ? (value as JsonObject) : {});

function toIssue(
  { fieldName, path, plainField }: UnknownField,
  { displayName, name, fields }: ObjectMetadata,
  { place, isRequired }: { place: readonly string[]; isRequired: boolean },
): Issue {
  const required = isRequired ? ", which the integration's manifest requires" : "";
  const issue = {
    in: "body",
    name: formatName(isRequired ? [...place] : [...place, ...path]),
    value: fieldName,
  } as const;
  const object = displayName ?? name;
  if (plainField !== undefined)
    return {
      ...issue,
      detail: `\`${plainField}\` of ${object} is one value, without entries or members: nothing is at \`${fieldName}\`${required}.`,
      remedy: `Name the field itself: "${plainField}".`,
    };
  return {
    ...issue,
    detail: `The customer's account has no field \`${fieldName}\` of ${object}${required}.`,
    remedy: suggestField(fieldName, Object.keys(fields)),
  };
}

/** Compares the first step of a path. */
function suggestField(fieldName: string, names: string[]): string {
  const [, first = fieldName, further = ""] = /^\$\['([^']+)'\](.*)$/.exec(fieldName) ?? [];
  const near = findClosest(first, names);
  if (near === undefined) return "Choose one of the account's fields, or create it there first.";
  return `Did you mean "${first === fieldName ? near : `$['${near}']${further}`}"?`;
}

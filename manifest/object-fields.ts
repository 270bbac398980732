/** Translates the builder's names of objects and fields to those of the provider, for writes and filters. */
import type { ConfigInput } from "./installation-config.ts";
import type { ManifestIntegration, ReadObject, WriteObject } from "./manifest.ts";

export interface FieldMappings {
  /** Provider field by mapped name; undefined if the customer chose none, so that values are dropped. */
  mappedToProvider: Map<string, string | undefined>;
  /** Keys: mapped names and provider fields. Values: from the delivered value to the provider's. */
  valueMappings: Map<string, Map<string, string>>;
}

/**
 * Finds the object for a write to `objectName`: the one of that name, or the one that inherits the mapping of a read
 * object with that mapped name. Undefined if the manifest has none.
 */
export function findDeclaredWriteObject(
  integration: ManifestIntegration,
  objectName: string,
  config?: ConfigInput,
): WriteObject | undefined {
  const objects = integration.write?.objects ?? [];
  const exact = objects.find((object) => object.objectName === objectName);
  if (exact) return exact;
  const native = integration.read?.objects?.find(({ mapToName }) => mapToName === objectName)?.objectName;
  const mapped = objects.find((object) => object.objectName === native);
  return mapped && inheritsMapping(mapped, config) ? mapped : undefined;
}

/** True if the manifest or the installation sets it. */
export function inheritsMapping(object: WriteObject, config?: ConfigInput): boolean {
  if (object.inheritMapping === true) return true;
  return findConfigObject(config?.write?.objects, object.objectName)?.inheritMapping === true;
}

/** Finds the read object whose mapping a write to `objectName`, native or mapped, can inherit. */
export function findDeclaredReadObject(
  integration: ManifestIntegration,
  objectName: string,
): ReadObject | undefined {
  const objects = integration.read?.objects ?? [];
  return (
    objects.find((object) => object.objectName === objectName) ??
    objects.find(({ mapToName }) => mapToName === objectName)
  );
}

/** Lists the objects of the manifest that an installation may write. */
export const listWritableObjects = (
  integration: ManifestIntegration,
  config: ConfigInput | undefined,
): WriteObject[] =>
  (integration.write?.objects ?? []).filter(({ objectName }) => isSelectedForWriting(config, objectName));

/**
 * Returns whether an object may be written. Without write objects in the configuration all those of the manifest may, otherwise only
 * those that it has.
 */
export function isSelectedForWriting(config: ConfigInput | undefined, objectName: string): boolean {
  const objects = config?.write?.objects;
  if (!objects || Object.keys(objects).length === 0) return true;
  return findConfigObject(objects, objectName) !== undefined;
}

/** Finds an entry in an installation's map of objects; the key is the default of `objectName`. */
export function findConfigObject<T extends { objectName?: string }>(
  objects: Record<string, T> | undefined,
  objectName: string,
): T | undefined {
  if (!objects) return undefined;
  return Object.entries(objects).find(([key, object]) => (object.objectName || key) === objectName)?.[1];
}

/**
 * Returns the mappings of the read object of that name, native or mapped. The customer's choice overrides the
 * manifest's mapping. Names without a mapping are not in the result.
 */
export function listFieldMappings(
  integration: ManifestIntegration,
  config: ConfigInput | undefined,
  objectName: string,
): FieldMappings {
  const declared = findDeclaredReadObject(integration, objectName);
  const configured = findConfigObject(config?.read?.objects, declared?.objectName ?? objectName);
  const mappedToProvider = new Map<string, string | undefined>();
  for (const field of [...(declared?.requiredFields ?? []), ...(declared?.optionalFields ?? [])]) {
    if (field.mapToName) mappedToProvider.set(field.mapToName, field.fieldName || undefined);
  }
  for (const entry of configured?.dynamicMappingsInput ?? []) {
    if (!entry.mapToName) continue;
    mappedToProvider.set(entry.mapToName, entry.fieldName || mappedToProvider.get(entry.mapToName));
  }
  for (const [mapped, field] of Object.entries(configured?.selectedFieldMappings ?? {})) {
    // Empty means not chosen; the manifest's mapping then applies.
    mappedToProvider.set(mapped, field || mappedToProvider.get(mapped));
  }
  return {
    mappedToProvider,
    valueMappings: listValueMappings(configured?.selectedValueMappings ?? {}, mappedToProvider),
  };
}

function listValueMappings(
  selected: Record<string, Record<string, string>>,
  mappedToProvider: ReadonlyMap<string, string | undefined>,
): FieldMappings["valueMappings"] {
  const byField = new Map(
    Object.entries(selected).map(([field, values]) => [field, pickChosenValues(values)]),
  );
  for (const [mapped, field] of mappedToProvider) {
    if (field === undefined) continue;
    const values = byField.get(mapped) ?? byField.get(field);
    if (!values) continue;
    if (!byField.has(mapped)) byField.set(mapped, values);
    if (!byField.has(field)) byField.set(field, values);
  }
  return byField;
}

const pickChosenValues = (values: Record<string, string>): Map<string, string> =>
  new Map(Object.entries(values).filter(([, value]) => value !== ""));

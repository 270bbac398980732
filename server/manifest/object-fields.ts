/** How the names that a builder uses for one object translate to those of the provider, for writes and filters. */
import type { ConfigInput } from "./installation-config.ts";
import type { ManifestIntegration, ReadObject, WriteObject } from "./manifest.ts";

export interface FieldMappings {
  /** By mapped name; undefined: a mapping that the customer left open, so its values are dropped. */
  mappedToProvider: Map<string, string | undefined>;
  /** By field, under its mapped name and under the provider's: delivered value to the provider's value. */
  valueMappings: Map<string, Map<string, string>>;
}

/**
 * The object that a write to `objectName` means: the one of that name, or the one whose read object is mapped to that
 * name when it inherits the mapping. Undefined when the manifest has none.
 */
export function findWriteObject(
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

/** The manifest or the installation may say so; either is enough. */
export function inheritsMapping(object: WriteObject, config?: ConfigInput): boolean {
  if (object.inheritMapping === true) return true;
  return configObject(config?.write?.objects, object.objectName)?.inheritMapping === true;
}

/** The read object whose mapping a write to `objectName`, native or mapped, may inherit. */
export function findReadObject(integration: ManifestIntegration, objectName: string): ReadObject | undefined {
  const objects = integration.read?.objects ?? [];
  return (
    objects.find((object) => object.objectName === objectName) ??
    objects.find(({ mapToName }) => mapToName === objectName)
  );
}

/** The entry of an installation's map of objects; the key counts where `objectName` is left out. */
export function configObject<T extends { objectName?: string }>(
  objects: Record<string, T> | undefined,
  objectName: string,
): T | undefined {
  if (!objects) return undefined;
  return Object.entries(objects).find(([key, object]) => (object.objectName || key) === objectName)?.[1];
}

/**
 * The mappings of the read object of that name, native or mapped. What the customer chose wins over what the manifest
 * maps in advance. Names that nobody mapped are not in the result.
 */
export function fieldMappings(
  integration: ManifestIntegration,
  config: ConfigInput | undefined,
  objectName: string,
): FieldMappings {
  const declared = findReadObject(integration, objectName);
  const configured = configObject(config?.read?.objects, declared?.objectName ?? objectName);
  const mappedToProvider = new Map<string, string | undefined>();
  for (const field of [...(declared?.requiredFields ?? []), ...(declared?.optionalFields ?? [])]) {
    if (field.mapToName) mappedToProvider.set(field.mapToName, field.fieldName || undefined);
  }
  for (const entry of configured?.dynamicMappingsInput ?? []) {
    if (!entry.mapToName) continue;
    mappedToProvider.set(entry.mapToName, entry.fieldName || mappedToProvider.get(entry.mapToName));
  }
  for (const [mapped, field] of Object.entries(configured?.selectedFieldMappings ?? {})) {
    // Empty means not chosen; a mapping made in advance then stands.
    mappedToProvider.set(mapped, field || mappedToProvider.get(mapped));
  }
  return {
    mappedToProvider,
    valueMappings: valueMappings(configured?.selectedValueMappings ?? {}, mappedToProvider),
  };
}

function valueMappings(
  selected: Record<string, Record<string, string>>,
  mappedToProvider: ReadonlyMap<string, string | undefined>,
): FieldMappings["valueMappings"] {
  const byField = new Map(Object.entries(selected).map(([field, values]) => [field, chosenValues(values)]));
  for (const [mapped, field] of mappedToProvider) {
    if (field === undefined) continue;
    const values = byField.get(mapped) ?? byField.get(field);
    if (!values) continue;
    if (!byField.has(mapped)) byField.set(mapped, values);
    if (!byField.has(field)) byField.set(field, values);
  }
  return byField;
}

const chosenValues = (values: Record<string, string>): Map<string, string> =>
  new Map(Object.entries(values).filter(([, value]) => value !== ""));

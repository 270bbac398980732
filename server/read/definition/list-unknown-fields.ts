/** Finds names in manifest and configuration that lead to nothing in the provider's object. Pure. */
import type { ObjectMetadata } from "../../../connector-kit/fields.ts";
import type { Path } from "../../../manifest/finding.ts";
import type { ReadDefinition } from "./read-definition.ts";
import { locateFields, type FieldNames } from "./read-set.ts";

export interface UnknownField {
  /** The provider's name that was not found. */
  fieldName: string;
  /** The member of the object's configuration that names it; empty if only the manifest does. */
  path: Path;
  /** The field that is there, and has one plain value, into which no path leads. */
  plainField?: string;
}

/** Returns one entry for each member of the configuration, or field of the manifest, that names an unknown field. */
export function listUnknownFields(
  { fields, mappings, filters, backfillFilters }: ReadDefinition,
  metadata: ObjectMetadata,
  names: FieldNames,
): UnknownField[] {
  const locate = locateFields(metadata, names);
  const named: UnknownField[] = [
    ...fields.required.map((fieldName) => ({ fieldName, path: [] })),
    ...fields.selected
      .filter((name) => !mappings.has(name))
      .map((fieldName) => ({ fieldName, path: ["selectedFields", fieldName] })),
    ...[...mappings].map(([mapped, fieldName]) => ({ fieldName, path: ["selectedFieldMappings", mapped] })),
    ...filters.map(({ fieldName }, index) => ({ fieldName, path: ["fieldFilters", index, "fieldName"] })),
    ...(backfillFilters === filters ? [] : backfillFilters).map(({ fieldName }, index) => ({
      fieldName,
      path: ["backfill", "fieldFilters", index, "fieldName"],
    })),
  ];
  const isFilter = ({ path }: UnknownField): boolean => path.includes("fieldFilters");
  return named.flatMap((entry): UnknownField[] => {
    if (isFilter(entry) && mappings.has(entry.fieldName)) return [];
    const { isKnown, field, source } = locate(entry.fieldName);
    if (!isKnown) return [entry];
    const leadsInto = field && source.length > 1 && names.isPlain?.(field) === true;
    return leadsInto ? [{ ...entry, plainField: field.fieldName }] : [];
  });
}

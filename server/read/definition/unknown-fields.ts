/** Finds names in manifest and configuration that the provider's object does not have. Pure. */
import type { ObjectMetadata } from "../../../connector-kit/fields.ts";
import type { Path } from "../../../manifest/finding.ts";
import type { ReadDefinition } from "./read-definition.ts";
import { locateFields, type FieldNames } from "./read-set.ts";

export interface UnknownField {
  /** The provider's name that was not found. */
  fieldName: string;
  /** The member of the object's configuration that names it; empty if only the manifest does. */
  path: Path;
}

/** Returns one entry for each member of the configuration, or field of the manifest, that names an unknown field. */
export function unknownFields(
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
  return named.filter(
    (entry) => !locate(entry.fieldName).isKnown && !(isFilter(entry) && mappings.has(entry.fieldName)),
  );
}

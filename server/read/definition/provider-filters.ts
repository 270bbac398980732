/** Translates filters from the builder's names and values to the provider's. Pure. */
import type { ObjectMetadata } from "../../../connector-kit/fields.ts";
import type { FieldFilter } from "../../../connector-kit/read-connector.ts";
import { toProviderValue } from "./translate-values.ts";
import type { ReadDefinition } from "./read-definition.ts";
import { locateFields, listFieldTables, type FieldNames } from "./read-set.ts";

/** A filter of a configuration or of a search. */
export interface NamedFilter {
  fieldName: string;
  value: string | number | boolean;
}

/**
 * Returns a configuration's filters. Its names are the provider's; a mapped name counts where the object has no field of
 * that name.
 */
export function resolveFilters(
  filters: readonly NamedFilter[],
  definition: ReadDefinition,
  metadata: ObjectMetadata | undefined,
  names: FieldNames,
): FieldFilter[] {
  const locate = locateFields(metadata, names);
  const translate = createTranslator(definition, locate, names);
  return filters.map((filter) => translate(filter, locate(filter.fieldName).field !== undefined));
}

/** Returns the filters of a search. Its names are mapped ones; the provider's count where there is no such mapping. */
export function searchFilters(
  filters: readonly NamedFilter[],
  definition: ReadDefinition,
  metadata: ObjectMetadata | undefined,
  names: FieldNames,
): FieldFilter[] {
  const translate = createTranslator(definition, locateFields(metadata, names), names);
  return filters.map((filter) => translate(filter, false));
}

/** Returns the position of the first filter whose field an earlier one has, to refuse it. */
export function findRepeatedFilter(
  filters: readonly FieldFilter[],
  { fieldKey }: FieldNames,
): number | undefined {
  const keys = filters.map(({ fieldName }) => fieldKey(fieldName));
  const index = keys.findIndex((key, place) => keys.indexOf(key) < place);
  return index < 0 ? undefined : index;
}

function createTranslator(
  definition: ReadDefinition,
  locate: ReturnType<typeof locateFields>,
  names: FieldNames,
): (filter: NamedFilter, isNative: boolean) => FieldFilter {
  const { mappings, valueMappings } = definition;
  const tables = listFieldTables(definition, names);
  return ({ fieldName, value }, isNative) => {
    const field = isNative ? undefined : mappings.get(fieldName);
    const native = field ?? fieldName;
    const own = field === undefined ? undefined : valueMappings.get(fieldName);
    const table = own ?? tables.get(names.fieldKey(native));
    return { fieldName: locate(native).request, value: toProviderValue(table, value) };
  };
}

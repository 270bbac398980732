/** Decides which fields of an object are asked for in a run, and under which names each is delivered. Pure. */
import type { FieldMetadata, ObjectMetadata } from "../../../connector-kit/fields.ts";
import type { ReadConnector } from "../../../connector-kit/read-connector.ts";
import { isFieldPath, parseFieldPath, parseValuePath, type PathStep } from "../../../ground/field-path.ts";
import { listRequiredFieldNames, type ReadDefinition } from "./read-definition.ts";

/** What a connector knows about names. */
export type FieldNames = Pick<ReadConnector, "fieldKey" | "isReadWithAll" | "isPlain" | "fieldBeyond">;

export interface ReadSet {
  /** For `ReadPlan.fields`: each once, in the spelling of the metadata where it has the field. */
  fields: string[];
  /** The fields that the manifest requires: a run fails if one is missing. */
  required: string[];
  /** Delivered in `fields`. */
  shown: ReadField[];
  /** Delivered in `mappedFields`. */
  mapped: ReadField[];
}

/** One value of a record, and where it is delivered. */
export interface ReadField {
  /** Name as spelled in the manifest, the configuration or the metadata. */
  name: string;
  /** Where the value is in the record; the first step is a name. */
  source: PathStep[];
  /** Where the value is delivered. */
  target: string[];
  /** Delivered value to the provider's. */
  values?: Map<string, string>;
  /** A text may be several values, separated by semicolons. */
  isMultiple: boolean;
}

/**
 * Returns the fields to read: required, selected and mapped ones. Without metadata every name is taken as it is, and
 * `selectedFieldsAuto: all` is not expanded. The connector adds id and change time.
 */
export function readSet(
  definition: ReadDefinition,
  metadata: ObjectMetadata | undefined,
  names: FieldNames,
): ReadSet {
  const { fields, mappings, valueMappings } = definition;
  const locate = locateFields(metadata, names);
  const tables = listFieldTables(definition, names);
  const toField = (name: string, target: string[], table?: Map<string, string>): ReadField => {
    const { source, field } = locate(name);
    const values = table ?? tables.get(names.fieldKey(name));
    return { name, source, target, ...(values && { values }), isMultiple: isMultiple(field) };
  };
  const shown = dropDuplicates(
    [
      ...fields.required,
      // A name that is no field of the object may be that of a mapping, which is read anyway.
      ...fields.selected.filter((name) => !mappings.has(name) || locate(name).field !== undefined),
      ...(fields.all ? listOtherFields(definition, metadata, names) : []),
    ],
    names,
  );
  const listRequested = (all: string[]) =>
    dropDuplicates(
      all.map((name) => locate(name).request),
      names,
    ).filter((name) => names.fieldKey(name) !== "id");
  return {
    fields: listRequested([...shown, ...mappings.values()]),
    required: listRequested(listRequiredFieldNames(definition)),
    shown: shown.map((name) => toField(name, isFieldPath(name) ? targetSteps(name) : [names.fieldKey(name)])),
    mapped: [...mappings].map(([mapped, name]) =>
      toField(name, targetSteps(mapped), valueMappings.get(mapped)),
    ),
  };
}

/** Returns whether `readSet` needs metadata: to know every field, or what a path leads to. */
export const needsMetadata = ({ fields, mappings }: ReadDefinition, { fieldBeyond }: FieldNames): boolean =>
  fields.all ||
  (fieldBeyond !== undefined &&
    [...fields.required, ...fields.selected, ...mappings.values()].some(
      (name) => isFieldPath(name) || name.includes("."),
    ));

interface FieldPlace {
  /** The name to ask the provider for. */
  request: string;
  source: PathStep[];
  /** The field that holds the value or, for a path, the first step; undefined if the metadata has none. */
  field?: FieldMetadata;
  /** The object has such a value, or there is no metadata to know. */
  isKnown: boolean;
}

/** Returns a function that finds where the value of a name or path is. */
export function locateFields(
  metadata: ObjectMetadata | undefined,
  names: FieldNames,
): (name: string) => FieldPlace {
  const known = new Map(
    Object.values(metadata?.fields ?? {}).map((field) => [names.fieldKey(field.fieldName), field]),
  );
  return (name) => {
    const steps = parsePath(name);
    const first = readFirstStep(name);
    const field = known.get(names.fieldKey(first));
    if (field)
      return { request: field.fieldName, source: [field.fieldName, ...steps.slice(1)], field, isKnown: true };
    const path = isFieldPath(name) ? listNamesBefore(steps) : name.split(".");
    const beyond = metadata && names.fieldBeyond?.(path, metadata);
    if (beyond !== undefined)
      return { request: beyond, source: [...path, ...steps.slice(path.length)], isKnown: true };
    return { request: first, source: steps, isKnown: !metadata || names.fieldKey(name) === "id" };
  };
}

/** Splits a path in brackets. A malformed one is a plain name: manifests and configurations are checked when saved. */
function parsePath(name: string): PathStep[] {
  const path = parseValuePath(name);
  return "steps" in path && path.steps.length > 0 ? path.steps : [name];
}

/** Returns the field that a name or path begins with. */
export function readFirstStep(name: string): string {
  const [first] = parsePath(name);
  return typeof first === "string" ? first : name;
}

/** Returns the names before the first entry of a list. */
function listNamesBefore(steps: readonly PathStep[]): string[] {
  const names: string[] = [];
  for (const step of steps) {
    if (typeof step !== "string") break;
    names.push(step);
  }
  return names;
}

/** Returns where a value is delivered under a name; one out of a list stands under the path itself. */
function targetSteps(name: string): string[] {
  const path = parseFieldPath(name);
  return "steps" in path && path.steps.length > 0 ? path.steps : [name];
}

/** Without metadata nobody knows whether a text with semicolons is one value. */
const isMultiple = (field: FieldMetadata | undefined): boolean => !field || field.valueType === "multiSelect";

/** Returns what `selectedFieldsAuto: all` adds: what is neither excluded nor delivered under a mapped name. */
function listOtherFields(
  { fields, mappings }: ReadDefinition,
  metadata: ObjectMetadata | undefined,
  names: FieldNames,
): string[] {
  const without = new Set([...fields.excluded, ...mappings.values()].map((name) => names.fieldKey(name)));
  return Object.values(metadata?.fields ?? {}).flatMap((field) =>
    without.has(names.fieldKey(field.fieldName)) || names.isReadWithAll?.(field) === false
      ? []
      : [field.fieldName],
  );
}

/** Returns the tables of values by the provider's field. */
export function listFieldTables(
  { mappings, valueMappings }: ReadDefinition,
  names: FieldNames,
): Map<string, Map<string, string>> {
  const tables = new Map<string, Map<string, string>>();
  for (const [name, table] of valueMappings) {
    const field = mappings.get(name);
    // A mapped name that is also the name of another field means the mapping.
    if (field === undefined || names.fieldKey(field) === names.fieldKey(name)) {
      tables.set(names.fieldKey(name), table);
    }
  }
  return tables;
}

/** Removes duplicates; the first spelling of each name stays. */
function dropDuplicates(all: readonly string[], names: FieldNames): string[] {
  const byKey = new Map<string, string>();
  for (const name of all) {
    const key = names.fieldKey(name);
    if (!byKey.has(key)) byKey.set(key, name);
  }
  return [...byKey.values()];
}

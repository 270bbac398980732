/** Compares the fields of an object with those of the last check. Pure. */
import type { FieldMetadata, ObjectMetadata } from "../../connector-kit/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";

/** A field as it is remembered: without the values that can be chosen, which do not count. */
type KnownField = Omit<FieldMetadata, "values">;

export interface FieldChanges {
  created: FieldMetadata[];
  deleted: KnownField[];
  changed: { oldSchema: KnownField; newSchema: KnownField }[];
  any: boolean;
}

/** The members whose change counts. */
const COMPARED = ["valueType", "providerType", "displayName", "description", "readOnly"] as const;

/** Returns the changes in the order of the fields' names. A renamed field is deleted and created. */
export function compareFields(
  known: ReadonlyMap<string, KnownField>,
  fields: Readonly<Record<string, FieldMetadata>>,
): FieldChanges {
  const created = Object.values(fields).filter(({ fieldName }) => !known.has(fieldName));
  const deleted = [...known.values()].filter(({ fieldName }) => !Object.hasOwn(fields, fieldName));
  const changed = Object.values(fields).flatMap((field) => {
    const oldSchema = known.get(field.fieldName);
    if (!oldSchema || COMPARED.every((member) => oldSchema[member] === field[member])) return [];
    return [{ oldSchema, newSchema: withoutValues(field) }];
  });
  return {
    created: created.toSorted(compareNames),
    deleted: deleted.toSorted(compareNames),
    changed: changed.toSorted((left, right) => compareNames(left.newSchema, right.newSchema)),
    any: created.length + deleted.length + changed.length > 0,
  };
}

/** Returns what is to be remembered of an object. */
export const toKnownFields = ({ fields }: ObjectMetadata): KnownField[] =>
  Object.values(fields).map(withoutValues);

/** Reads what was remembered. */
export function readKnownFields(stored: Json): Map<string, KnownField> {
  const fields = Array.isArray(stored) ? stored : [];
  return new Map(fields.flatMap((field) => (isKnownField(field) ? [[field.fieldName, field]] : [])));
}

/** Checks one member; the others are always stored together with it. */
const isKnownField = (field: Json): field is JsonObject & KnownField =>
  isJsonObject(field) && typeof field["fieldName"] === "string";

const withoutValues = ({ values: _values, ...field }: FieldMetadata): KnownField => field;

const compareNames = (left: KnownField, right: KnownField): number =>
  left.fieldName < right.fieldName ? -1 : 1;

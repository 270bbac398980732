/** Finds Salesforce fields by names in any case. */
import type { FieldMetadata, ObjectMetadata } from "../../connector-kit/fields.ts";
import { buildRefusedField } from "../../connector-kit/calls/build-refused-field.ts";

/** Fields of a description by their names in lower case; descriptions are kept for many pages. */
const known = new WeakMap<ObjectMetadata, Map<string, FieldMetadata>>();

/** Returns the description of a field; undefined for a field of a parent and without metadata. */
export function findField(name: string, metadata: ObjectMetadata | undefined): FieldMetadata | undefined {
  if (!metadata) return undefined;
  let fields = known.get(metadata);
  if (!fields) {
    fields = new Map(Object.values(metadata.fields).map((field) => [field.fieldName.toLowerCase(), field]));
    known.set(metadata, fields);
  }
  return fields.get(name.toLowerCase());
}

/** Returns the name in Salesforce's own spelling. Throws `ProviderError` for a text that cannot be a field's name. */
export function getName(name: string, metadata: ObjectMetadata | undefined): string {
  if (/^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/.test(name)) return findField(name, metadata)?.fieldName ?? name;
  throw buildRefusedField(name, `"${name}" is not the name of a Salesforce field`);
}

/** Returns `Parent.Field` for steps that begin with a relation of the object, for example `Owner` or `Region__r`. */
export function findParentPath(steps: string[], metadata: ObjectMetadata): string | undefined {
  const [relation = ""] = steps;
  if (steps.length < 2 || !steps.every((step) => /^[A-Za-z]\w*$/.test(step))) return undefined;
  const reference = /__r$/i.test(relation) ? `${relation.slice(0, -1)}c` : `${relation}Id`;
  return findField(reference, metadata)?.referenceTo ? steps.join(".") : undefined;
}

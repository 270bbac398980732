/** Rules for field definitions that hold for every provider. */
import type { FieldOutcome, DefinitionFault, FieldDefinition, FieldKind } from "./fields.ts";
import { ProviderError } from "./calls/provider-error.ts";

/** Returns the kind of field: a text with listed values is a choice, a text with an association a reference. */
export function toFieldKind({ valueType, stringOptions, association }: FieldDefinition): FieldKind {
  if (valueType !== "string") return valueType;
  if (association) return "reference";
  return stringOptions?.values?.length ? "singleSelect" : "string";
}

export const isChoice = (kind: FieldKind | "other"): boolean =>
  kind === "singleSelect" || kind === "multiSelect";

/** Lists faults in the values of a choice, in the default, and in members that do not fit the kind. */
export function listCommonFaults(definition: FieldDefinition): DefinitionFault[] {
  const kind = toFieldKind(definition);
  const faults: DefinitionFault[] = [];
  const fault = (member: string, message: string) => void faults.push({ member, message });
  const { values = [], defaultValue } = definition.stringOptions ?? {};
  if (isChoice(kind)) {
    if (values.length === 0) fault("stringOptions.values", `a ${kind} needs the values that can be chosen`);
    const repeated = values.find((value, index) => values.indexOf(value) !== index);
    if (repeated !== undefined) fault("stringOptions.values", `the value "${repeated}" is listed twice`);
    if (kind === "multiSelect" && values.some((value) => value.includes(";")))
      fault("stringOptions.values", "values of a multiSelect cannot hold ;, which separates them in records");
    if (defaultValue !== undefined && values.length > 0 && !values.includes(defaultValue))
      fault("stringOptions.defaultValue", "the default is not among the values");
  }
  if (kind === "boolean" && defaultValue !== undefined && !/^(true|false)$/.test(defaultValue))
    fault("stringOptions.defaultValue", "the default of a boolean is true or false");
  if (kind === "reference" && !definition.association)
    fault("association", "a reference needs the object it points to, as association.targetObject");
  return faults;
}

/** Lists members that have no meaning for this kind of field. */
export function listStrayMembers(definition: FieldDefinition): string[] {
  const kind = toFieldKind(definition);
  const { stringOptions, numericOptions, association } = definition;
  const stray: string[] = [];
  if (numericOptions && kind !== "int" && kind !== "float") stray.push("numericOptions");
  if (association && kind !== "reference") stray.push("association");
  if (stringOptions?.values?.length && !isChoice(kind)) stray.push("stringOptions.values");
  if (stringOptions?.length !== undefined && kind !== "string") stray.push("stringOptions.length");
  return stray.map((member) => `${member} was left out: it says nothing about a ${kind}`);
}

/** The error for a definition whose field exists with another type. */
export const buildConflict = (message: string): ProviderError =>
  new ProviderError({ kind: "conflict", message });

/** Returns the outcomes after a conflict: nothing is written, and the `pending` definitions get that as their error. */
export function withholdDefinitions(planned: FieldOutcome[], pending: number[]): FieldOutcome[] {
  const message = "not written, because another field of the request is in conflict with one that exists";
  return planned.map((outcome, index) =>
    pending.includes(index) && !outcome.error
      ? { ...outcome, error: new ProviderError({ kind: "invalid", message }) }
      : outcome,
  );
}

/** Maps a definition to a Salesforce custom field: name, type, members, and faults. */
import { listCommonFaults, isChoice, toFieldKind } from "../../connector-kit/field-definitions.ts";
import type { DefinitionFault, FieldDefinition, FieldRequest } from "../../connector-kit/fields.ts";
import { readDefaultMembers } from "./default-value.ts";
import { findObjectFault } from "./request.ts";
import { buildElement, UNWRITABLE, type Element } from "./xml.ts";

/** Returns for example `Score__c`; the ending, which all custom names have, may be left out. */
export const toCustomName = (fieldName: string): string => `${findStem(fieldName)}__c`;

/** Returns for example `Account.Score__c`. */
export const buildFullName = ({ objectName, definition }: FieldRequest): string =>
  `${objectName}.${toCustomName(definition.fieldName)}`;

const findStem = (fieldName: string): string => fieldName.replace(/__c$/i, "");

const LONGEST_TEXT = 255;
const LONGEST_LONG_TEXT = 131_072;
export const MAX_DIGITS = 18;
/** Digits behind the point if the definition names none. */
const USUAL_SCALE = 6;

type FieldType =
  | "Text"
  | "LongTextArea"
  | "Checkbox"
  | "Date"
  | "DateTime"
  | "Picklist"
  | "MultiselectPicklist"
  | "Number"
  | "Lookup"
  | "IndirectLookup";

export function chooseType(definition: FieldDefinition): FieldType {
  switch (toFieldKind(definition)) {
    case "string":
      return chooseLength(definition) > LONGEST_TEXT ? "LongTextArea" : "Text";
    case "boolean":
      return "Checkbox";
    case "date":
      return "Date";
    case "datetime":
      return "DateTime";
    case "singleSelect":
      return "Picklist";
    case "multiSelect":
      return "MultiselectPicklist";
    case "int":
    case "float":
      return "Number";
    case "reference":
      return refersById(definition) ? "Lookup" : "IndirectLookup";
  }
}

const chooseLength = ({ stringOptions }: FieldDefinition): number => stringOptions?.length ?? LONGEST_TEXT;

const refersById = ({ association }: FieldDefinition): boolean =>
  /^(id)?$/i.test(association?.targetField ?? "");

/** Digits in total and behind the point: 18 and none for whole numbers. */
export function chooseDigits(definition: FieldDefinition): { precision: number; scale: number } {
  const { precision = MAX_DIGITS, scale } = definition.numericOptions ?? {};
  if (toFieldKind(definition) === "int") return { precision, scale: 0 };
  return { precision, scale: scale ?? Math.min(USUAL_SCALE, Math.floor(precision / 2)) };
}

export function findFieldFaults(request: FieldRequest): DefinitionFault[] {
  const { objectName, definition } = request;
  const faults = listCommonFaults(definition);
  const fault = (member: string, message: string) => void faults.push({ member, message });
  if (findObjectFault(objectName)) fault("", `"${objectName}" is not the name of a Salesforce object`);
  const stem = findStem(definition.fieldName);
  if (!/^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(stem) || stem.includes("__") || stem.endsWith("_")) {
    const rule = "a letter, then letters, digits and single underscores, at most 40 and no underscore last";
    fault("fieldName", `Salesforce names custom fields with ${rule}, before the ending __c`);
  }
  faults.push(
    ...findLengthFaults(definition),
    ...findNumberFaults(definition),
    ...findReferenceFaults(definition),
  );
  const member = findUnwritableMember(definition);
  if (member) fault(member, "it holds control characters, which Salesforce's Metadata API cannot carry");
  const wrong = readDefaultMembers(definition);
  if (typeof wrong === "string") fault("stringOptions.defaultValue", wrong);
  return faults;
}

function findLengthFaults(definition: FieldDefinition): DefinitionFault[] {
  if (toFieldKind(definition) !== "string" || chooseLength(definition) <= LONGEST_LONG_TEXT) return [];
  return [
    { member: "stringOptions.length", message: `Salesforce takes at most ${LONGEST_LONG_TEXT} characters` },
  ];
}

function findNumberFaults(definition: FieldDefinition): DefinitionFault[] {
  if (chooseType(definition) !== "Number") return [];
  const { precision, scale } = chooseDigits(definition);
  if (precision > MAX_DIGITS)
    return [{ member: "numericOptions.precision", message: `Salesforce keeps at most ${MAX_DIGITS} digits` }];
  if (scale > precision)
    return [{ member: "numericOptions.scale", message: "it is larger than the precision" }];
  if (toFieldKind(definition) === "int" && (definition.numericOptions?.scale ?? 0) > 0)
    return [
      { member: "numericOptions.scale", message: "an int has no digits behind the point; define a float" },
    ];
  return [];
}

function findReferenceFaults({ association }: FieldDefinition): DefinitionFault[] {
  if (!association) return [];
  const faults: DefinitionFault[] = [];
  if (findObjectFault(association.targetObject))
    faults.push({ member: "association.targetObject", message: "it is not the name of a Salesforce object" });
  const { onDelete, reverseLookupFieldName: relationship } = association;
  if (onDelete !== undefined && !Object.hasOwn(CONSTRAINTS, onDelete.toLowerCase()))
    faults.push({ member: "association.onDelete", message: "it must be setNull, restrict or cascade" });
  if (relationship !== undefined && !/^[A-Za-z]\w{0,79}$/.test(relationship)) {
    const message = "a relationship is named with letters, digits and _, a letter first";
    faults.push({ member: "association.reverseLookupFieldName", message });
  }
  return faults;
}

function findUnwritableMember({
  displayName,
  description,
  stringOptions,
}: FieldDefinition): string | undefined {
  const texts = {
    displayName: [displayName],
    description: [description ?? ""],
    "stringOptions.values": stringOptions?.values ?? [],
    "stringOptions.defaultValue": [stringOptions?.defaultValue ?? ""],
  };
  return Object.entries(texts).find(([, all]) => all.some((text) => UNWRITABLE.test(text)))?.[0];
}

const CONSTRAINTS: Record<string, string> = { setnull: "SetNull", restrict: "Restrict", cascade: "Cascade" };

/** A required reference keeps the referenced record from being deleted. */
function deleteConstraint(definition: FieldDefinition): string | undefined {
  if (chooseType(definition) !== "Lookup") return undefined;
  const asked = CONSTRAINTS[definition.association?.onDelete?.toLowerCase() ?? ""];
  return isRequired(definition) && asked !== "Cascade" ? "Restrict" : asked;
}

export const isRequired = ({ required, association }: FieldDefinition): boolean =>
  required === true || association?.required === true;

/** Types that can be required. */
export const CAN_BE_REQUIRED: FieldType[] = [
  "Text",
  "Date",
  "DateTime",
  "Picklist",
  "MultiselectPicklist",
  "Number",
  "Lookup",
];
export const CAN_BE_UNIQUE: FieldType[] = ["Text", "Number"];

/** Returns the members of a new field, with the defaults that Salesforce requires. */
export function buildField(request: FieldRequest): Element {
  const { definition } = request;
  const type = chooseType(definition);
  const members: Record<string, string | undefined> = {
    fullName: buildFullName(request),
    label: definition.displayName,
    description: definition.description,
    type,
    ...chooseMembers(definition),
    ...listTypeMembers(definition, type),
  };
  const written = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [buildElement(name, value)],
  );
  return buildElement(
    "metadata",
    isChoice(toFieldKind(definition)) ? [...written, buildValueSet(definition)] : written,
  );
}

/** Returns the members that the definition sets and the type can hold. */
export function chooseMembers(definition: FieldDefinition): Record<string, string> {
  const type = chooseType(definition);
  const { required, association, unique, indexed } = definition;
  const members: Record<string, string> = {};
  if (CAN_BE_REQUIRED.includes(type) && (required ?? association?.required) !== undefined)
    members["required"] = String(isRequired(definition));
  if (CAN_BE_UNIQUE.includes(type)) {
    if (unique !== undefined) members["unique"] = String(unique);
    // Salesforce indexes external ids.
    if (indexed !== undefined) members["externalId"] = String(indexed);
  }
  const { reverseLookupFieldName, labels } = association ?? {};
  if (association && reverseLookupFieldName) members["relationshipName"] = reverseLookupFieldName;
  if (association && labels?.plural) members["relationshipLabel"] = labels.plural;
  const constraint = deleteConstraint(definition);
  if (constraint) members["deleteConstraint"] = constraint;
  const defaults = readDefaultMembers(definition);
  return { ...members, ...(typeof defaults === "object" && defaults) };
}

function listTypeMembers(definition: FieldDefinition, type: FieldType): Record<string, string | undefined> {
  const { precision, scale } = chooseDigits(definition);
  switch (type) {
    case "Text":
      return { length: String(chooseLength(definition)) };
    case "LongTextArea":
      return { length: String(chooseLength(definition)), visibleLines: "10" };
    case "Checkbox":
      return { defaultValue: definition.stringOptions?.defaultValue ?? "false" };
    case "Number":
      return { precision: String(precision), scale: String(scale) };
    case "MultiselectPicklist":
      return { visibleLines: "10" };
    case "Lookup":
      return { referenceTo: definition.association?.targetObject };
    case "IndirectLookup":
      return {
        referenceTo: definition.association?.targetObject,
        referenceTargetField: definition.association?.targetField,
      };
    default:
      return {};
  }
}

function buildValueSet({ stringOptions = {} }: FieldDefinition): Element {
  const { values = [], valuesRestricted = false, defaultValue } = stringOptions;
  return buildElement("valueSet", [
    buildElement("restricted", String(valuesRestricted)),
    buildElement("valueSetDefinition", [
      buildElement("sorted", "false"),
      ...values.map((value) => buildValue(value, value === defaultValue)),
    ]),
  ]);
}

export const buildValue = (value: string, isDefault: boolean): Element =>
  buildElement("value", [
    buildElement("fullName", value),
    buildElement("default", String(isDefault)),
    buildElement("label", value),
  ]);

/** Plans the change of a HubSpot property: create, patch, none, or an error. */
import type { JsonObject } from "../../ground/json.ts";
import {
  listCommonFaults,
  buildConflict,
  isChoice,
  toFieldKind,
  listStrayMembers,
} from "../../connector-kit/field-definitions.ts";
import type {
  DefinitionFault,
  FieldDefinition,
  FieldKind,
  FieldOutcome,
  FieldRequest,
} from "../../connector-kit/fields.ts";
import { classifyProperty, type Property } from "./property.ts";
import { GROUP } from "./property-request.ts";
import { findObjectFault } from "./request.ts";

export interface PropertyPlan {
  objectName: string;
  definition: FieldDefinition;
  outcome: FieldOutcome;
  /** The body of the create or the patch; undefined if nothing is to do. */
  body?: JsonObject;
}

/** Returns the name in lower case, as HubSpot requires. */
export const toPropertyName = ({ definition }: FieldRequest): string => definition.fieldName.toLowerCase();

export function findPropertyFaults(request: FieldRequest): DefinitionFault[] {
  const { objectName, definition } = request;
  const faults = listCommonFaults(definition);
  if (findObjectFault(objectName)) {
    faults.unshift({ member: "", message: `"${objectName}" is not the name of a HubSpot object` });
  }
  if (!/^[a-z][a-z0-9_]{0,99}$/.test(toPropertyName(request))) {
    const message = "a HubSpot property is named with letters, digits and _, a letter first, at most 100";
    faults.push({ member: "fieldName", message });
  }
  if (toFieldKind(definition) === "reference") {
    const message = "HubSpot has no fields that refer to records; associate the records instead";
    faults.push({ member: definition.association ? "association" : "valueType", message });
  }
  return faults;
}

export function planProperty(request: FieldRequest, existing: Property | undefined): PropertyPlan {
  const { objectName, definition } = request;
  const name = toPropertyName(request);
  const warnings = [...warnOfUnheld(definition), ...listStrayMembers(definition)];
  if (name !== definition.fieldName) warnings.unshift(`HubSpot names are in lower case: it is ${name} there`);
  const outcome: FieldOutcome = { fieldName: existing?.name ?? name, action: "none", warnings };
  const plan: PropertyPlan = { objectName, definition, outcome };
  if (!existing) return { ...plan, body: buildProperty(name, definition) };

  outcome.metadata = existing.raw;
  const obstacle = findTypeConflict(definition, existing);
  if (obstacle) return { ...plan, outcome: { ...outcome, error: buildConflict(obstacle) } };
  const body = compareDefinition(definition, existing, warnings);
  return Object.keys(body).length > 0 ? { ...plan, body } : plan;
}

/** A datetime has the field type `date` too; only a checkbox list takes several options. */
const TYPES: Record<Exclude<FieldKind, "reference">, { type: string; fieldType: string }> = {
  string: { type: "string", fieldType: "text" },
  boolean: { type: "bool", fieldType: "booleancheckbox" },
  date: { type: "date", fieldType: "date" },
  datetime: { type: "datetime", fieldType: "date" },
  singleSelect: { type: "enumeration", fieldType: "select" },
  multiSelect: { type: "enumeration", fieldType: "checkbox" },
  int: { type: "number", fieldType: "number" },
  float: { type: "number", fieldType: "number" },
};

const LONG_TEXT = 255;

function buildProperty(name: string, definition: FieldDefinition): JsonObject {
  const kind = toFieldKind(definition);
  const types = TYPES[kind === "reference" ? "string" : kind];
  const long = kind === "string" && (definition.stringOptions?.length ?? 0) > LONG_TEXT;
  const options =
    kind === "boolean"
      ? [buildOption("true", 1, "True"), buildOption("false", 2, "False")]
      : isChoice(kind)
        ? listWantedValues(definition).map((value, index) => buildOption(value, index + 1))
        : [];
  return {
    name,
    label: definition.displayName,
    groupName: GROUP,
    type: types.type,
    fieldType: long ? "textarea" : types.fieldType,
    ...(definition.description !== undefined && { description: definition.description }),
    ...(definition.unique === true && { hasUniqueValue: true }),
    ...(options.length > 0 && { options }),
  };
}

const buildOption = (value: string, displayOrder: number, label = value): JsonObject => ({
  label,
  value,
  displayOrder,
  hidden: false,
});

const listWantedValues = ({ stringOptions }: FieldDefinition): string[] => stringOptions?.values ?? [];

function findTypeConflict(definition: FieldDefinition, existing: Property): string | undefined {
  const wanted = toFieldKind(definition);
  const present = classifyProperty(existing);
  // HubSpot has one type of number.
  if (wanted === present || (wanted === "int" && present === "float")) return undefined;
  const what = `\`${existing.name}\` is already there as a ${present} (${existing.type}/${existing.fieldType}), not as a ${wanted}`;
  const remedy = present === "other" || present === "reference" ? "" : `define it as ${present}, or `;
  return `${what}, and HubSpot does not change the type of a property: ${remedy}choose another fieldName`;
}

/** Returns the members that differ. The customer's options stay in their order, new ones follow. */
function compareDefinition(definition: FieldDefinition, existing: Property, warnings: string[]): JsonObject {
  const change: JsonObject = {};
  const { displayName, description } = definition;
  if (displayName !== existing.label) change.label = displayName;
  if (description !== undefined && description !== existing.description) change.description = description;
  if (existing.readOnlyDefinition && Object.keys(change).length > 0) {
    warnings.push(
      `${existing.name} is HubSpot's own: its ${Object.keys(change).join(" and ")} cannot be changed`,
    );
    for (const member of Object.keys(change)) delete change[member];
  }
  if (definition.unique !== undefined && definition.unique !== existing.hasUniqueValue) {
    const now = existing.hasUniqueValue ? "unique" : "not unique";
    warnings.push(`${existing.name} is ${now}, and HubSpot does not change that once a property exists`);
  }
  if (existing.readOnlyValue || existing.calculated)
    warnings.push(`${existing.name} is set by HubSpot alone: writes to it are refused`);
  if (!isChoice(toFieldKind(definition))) return change;

  const present = new Set(existing.options.map(({ value }) => value));
  const missing = listWantedValues(definition).filter((value) => !present.has(value));
  if (missing.length === 0) return change;
  if (existing.readOnlyOptions) {
    warnings.push(`${existing.name} lacks the values ${missing.join(", ")}, and HubSpot lets nobody add any`);
    return change;
  }
  const last = Math.max(0, ...existing.options.map(({ displayOrder }) => Number(displayOrder) || 0));
  change.options = [
    ...existing.options.map((option, index) => ({ displayOrder: index + 1, hidden: false, ...option })),
    ...missing.map((value, index) => buildOption(value, last + index + 1)),
  ];
  return change;
}

/** Returns a warning for each part that HubSpot cannot hold. */
function warnOfUnheld(definition: FieldDefinition): string[] {
  const { stringOptions = {}, numericOptions = {} } = definition;
  const kind = toFieldKind(definition);
  const warnings: string[] = [];
  const unless = (held: boolean, warning: string) => {
    if (!held) warnings.push(warning);
  };
  unless(
    definition.required !== true,
    "required: HubSpot requires no property of a record made through its API",
  );
  unless(definition.indexed !== true, "indexed: HubSpot has no such setting; every property can be searched");
  unless(
    kind !== "string" || stringOptions.length === undefined,
    "stringOptions.length: HubSpot limits no text",
  );
  unless(stringOptions.pattern === undefined, "stringOptions.pattern: HubSpot checks no patterns");
  const defaulted = stringOptions.defaultValue !== undefined || numericOptions.defaultValue !== undefined;
  unless(!defaulted, "defaultValue: HubSpot has no default values");
  unless(
    !isChoice(kind) || stringOptions.valuesRestricted !== false,
    "stringOptions.valuesRestricted: HubSpot takes the listed values only",
  );
  unless(kind !== "int", "int: HubSpot has one type of number, which takes fractions too");
  if (kind === "int" || kind === "float") {
    const limits = (["precision", "scale", "min", "max"] as const).filter(
      (limit) => numericOptions[limit] !== undefined,
    );
    for (const limit of limits) warnings.push(`numericOptions.${limit}: HubSpot limits no numbers`);
  }
  return warnings;
}

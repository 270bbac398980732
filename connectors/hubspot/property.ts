/** Reads the definition of a HubSpot property and maps it to one of the nine kinds of field. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { FieldMetadata } from "../../connector-kit/fields.ts";

export interface Property {
  name: string;
  label: string;
  description: string;
  type: string;
  fieldType: string;
  /** Options as HubSpot sent them, to be returned unchanged. */
  options: JsonObject[];
  referencedObjectType?: string;
  calculated: boolean;
  /** Formula of a property that an account computes; empty for others. */
  formula: string;
  hubspotDefined: boolean;
  hasUniqueValue: boolean;
  readOnlyValue: boolean;
  readOnlyDefinition: boolean;
  readOnlyOptions: boolean;
  /** The whole definition. */
  raw: JsonObject;
}

/** Returns undefined if the value is no property. */
export function readProperty(raw: Json | undefined): Property | undefined {
  if (!isJsonObject(raw) || typeof raw.name !== "string" || raw.name === "") return undefined;
  const rules = isJsonObject(raw.modificationMetadata) ? raw.modificationMetadata : {};
  const readOnlyDefinition = rules.readOnlyDefinition === true;
  return {
    name: raw.name,
    label: readText(raw.label) || raw.name,
    description: readText(raw.description),
    type: readText(raw.type),
    fieldType: readText(raw.fieldType),
    options: Array.isArray(raw.options) ? raw.options.filter(isJsonObject) : [],
    ...(readText(raw.referencedObjectType) && { referencedObjectType: readText(raw.referencedObjectType) }),
    calculated: raw.calculated === true,
    formula: readText(raw.calculationFormula),
    hubspotDefined: raw.hubspotDefined === true,
    hasUniqueValue: raw.hasUniqueValue === true,
    readOnlyValue: rules.readOnlyValue === true,
    readOnlyDefinition,
    readOnlyOptions: typeof rules.readOnlyOptions === "boolean" ? rules.readOnlyOptions : readOnlyDefinition,
    raw,
  };
}

export function classifyProperty(property: Property): FieldMetadata["valueType"] {
  if (property.referencedObjectType) return "reference";
  switch (property.type) {
    case "string":
    case "phone_number":
      return "string";
    case "number":
      return "float";
    case "bool":
      return "boolean";
    case "date":
    case "datetime":
      return property.type;
    case "enumeration":
      if (property.fieldType === "booleancheckbox") return "boolean";
      return property.fieldType === "checkbox" ? "multiSelect" : "singleSelect";
    default:
      return "other";
  }
}

const readText = (value: Json | undefined): string => (typeof value === "string" ? value : "");

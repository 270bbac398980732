// Custom fields in the Metadata API: the rules for definitions, and the resulting fields.

import type { SaveError } from "./errors.ts";
import { defineField as makeField, type Field, type PicklistValue } from "./fields.ts";
import type { ObjectStore, Org } from "./org.ts";
import { findChild, listChildren, readChildText, type Element } from "./xml.ts";

type CustomFieldPlan = { store: ObjectStore; field: Field; existing: Field | undefined };

const TYPES: Record<string, string> = {
  Text: "string",
  TextArea: "textarea",
  LongTextArea: "textarea",
  Html: "textarea",
  Checkbox: "boolean",
  Date: "date",
  DateTime: "datetime",
  Picklist: "picklist",
  MultiselectPicklist: "multipicklist",
  Number: "double",
  Currency: "currency",
  Percent: "percent",
  Email: "email",
  Phone: "phone",
  Url: "url",
  Lookup: "reference",
  IndirectLookup: "reference",
};

export function planCustomField(org: Org, element: Element): CustomFieldPlan | { error: SaveError } {
  const fullName = readChildText(element, "fullName") ?? "";
  const named = locateField(org, fullName);
  if ("error" in named) return named;
  const type = readChildText(element, "type") ?? "";
  const kind = TYPES[type];
  if (kind === undefined)
    return { error: buildFault("INVALID_FIELD", `'${type}' is not a valid value for the enum 'FieldType'`) };
  const existing = named.store.definition.fields.get(named.name.toLowerCase());
  if (existing !== undefined && existing.type !== kind)
    return { error: buildFault("FIELD_INTEGRITY_EXCEPTION", "Cannot change field type") };
  const broken = findBrokenRule(org, element, type);
  if (broken !== undefined) return { error: buildFault("FIELD_INTEGRITY_EXCEPTION", broken) };
  return { store: named.store, field: readField(element, named.name, type, kind, existing), existing };
}

function buildFault(code: string, message: string): SaveError {
  return { code, message };
}

/** Finds object and field of a name like `Account.Score__c`. */
export function locateField(
  org: Org,
  fullName: string,
): { store: ObjectStore; name: string } | { error: SaveError } {
  const [objectName = "", name = "", ...rest] = fullName.split(".");
  const store = org.find(objectName);
  if (rest.length > 0 || name === "")
    return { error: buildFault("INVALID_FULL_NAME", `Invalid fullName: ${fullName}`) };
  if (store === undefined) {
    return {
      error: buildFault(
        "INVALID_CROSS_REFERENCE_KEY",
        `Entity of type 'CustomObject' named '${objectName}' cannot be found`,
      ),
    };
  }
  if (!name.endsWith("__c"))
    return { error: buildFault("INVALID_FULL_NAME", `The name ${name} must end with __c`) };
  const stem = name.slice(0, -3);
  if (!/^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(stem) || stem.includes("__") || stem.endsWith("_")) {
    const message = `The Custom Field API Name "${stem}" can only contain underscores and alphanumeric characters, must begin with a letter and be at most 40 characters long.`;
    return { error: buildFault("INVALID_FULL_NAME", message) };
  }
  return { store, name };
}

function findBrokenRule(org: Org, element: Element, type: string): string | undefined {
  const has = (name: string): boolean => (readChildText(element, name) ?? "") !== "";
  const must = (name: string): string | undefined =>
    has(name) ? undefined : `Must specify '${name}' for a CustomField of type ${type}`;
  const required = readChildText(element, "required") === "true";
  const length = Number(readChildText(element, "length"));
  if (!has("label")) return must("label");
  switch (type) {
    case "Text":
      return (
        must("length") ??
        (length < 1 || length > 255 ? "Invalid length, must be between 1 and 255" : undefined)
      );
    case "LongTextArea":
    case "Html":
      if (required) return `Can not specify 'required' for a CustomField of type ${type}`;
      if (has("length") && length < 256) return "Invalid length, minimum is: 256";
      if (length > 131_072) return "Invalid length, maximum is: 131072";
      return must("length") ?? must("visibleLines");
    case "Checkbox":
      if (required) return "Can not specify 'required' for a CustomField of type Checkbox";
      return must("defaultValue");
    case "Number":
    case "Currency":
    case "Percent":
      return must("precision") ?? must("scale") ?? checkNumber(element);
    case "Picklist":
      return checkPicklist(element, type);
    case "MultiselectPicklist":
      return checkPicklist(element, type) ?? must("visibleLines");
    case "Lookup":
    case "IndirectLookup":
      return must("referenceTo") ?? checkReference(org, element);
    default:
      return undefined;
  }
}

function checkNumber(element: Element): string | undefined {
  const [precision, scale] = [
    Number(readChildText(element, "precision")),
    Number(readChildText(element, "scale")),
  ];
  if (precision < 1 || precision > 18) return "Precision must be between 1 and 18";
  return scale < 0 || scale > precision ? "Scale must not be greater than precision" : undefined;
}

function checkPicklist(element: Element, type: string): string | undefined {
  const values = listChildren(findChild(findChild(element, "valueSet"), "valueSetDefinition"), "value");
  if (values.length === 0) return `Must specify 'valueSet' for a CustomField of type ${type}`;
  const names = values.map((value) => readChildText(value, "fullName") ?? "");
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) return `Duplicate picklist value specified: ${repeated}`;
  const defaults = values.filter((value) => readChildText(value, "default") === "true");
  return defaults.length > 1 ? "Only one picklist value may be the default" : undefined;
}

function checkReference(org: Org, element: Element): string | undefined {
  const target = readChildText(element, "referenceTo") ?? "";
  return org.find(target) === undefined
    ? `referenceTo value of '${target}' does not resolve to a valid sObject type`
    : undefined;
}

/** Builds a field from a definition, which replaces the previous one completely: missing members get their defaults. */
function readField(
  element: Element,
  name: string,
  type: string,
  kind: string,
  existing: Field | undefined,
): Field {
  const text = (key: string): string | undefined => readChildText(element, key);
  const required = text("required") === "true";
  const base = makeField(name, kind, {
    required,
    unique: text("unique") === "true",
    externalId: text("externalId") === "true",
    ...(text("referenceTo") === undefined ? {} : { to: text("referenceTo") ?? "" }),
  });
  const valueSet = findChild(element, "valueSet");
  const number = kind === "double" || kind === "currency" || kind === "percent";
  return {
    ...base,
    label: text("label") ?? base.label,
    length: text("length") === undefined ? base.length : Number(text("length")),
    precision: number ? Number(text("precision")) : 0,
    scale: number ? Number(text("scale")) : 0,
    defaultValue: type === "Checkbox" ? text("defaultValue") === "true" : base.defaultValue,
    picklist: readPicklist(valueSet),
    restricted: readChildText(valueSet, "restricted") === "true",
    access: existing?.access ?? "none",
    ...(existing !== undefined && (existing.seeded === true || existing.metadata === undefined)
      ? { seeded: true }
      : {}),
    metadata: { ...readMetadata(element), required },
  };
}

function readPicklist(valueSet: Element | undefined): PicklistValue[] {
  return listChildren(findChild(valueSet, "valueSetDefinition"), "value").map((value) => ({
    value: readChildText(value, "fullName") ?? "",
    label: readChildText(value, "label") ?? readChildText(value, "fullName") ?? "",
    active: true,
    defaultValue: readChildText(value, "default") === "true",
  }));
}

/** Reads the content of an element as plain values, for returning the definition. */
function readMetadata(element: Element): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const part of element.children) {
    const value = part.children.length > 0 ? readMetadata(part) : part.text.trim();
    const present = content[part.name];
    content[part.name] =
      present === undefined ? value : [...(Array.isArray(present) ? present : [present]), value];
  }
  return content;
}

/** Builds the metadata of an initial field. */
export function buildFieldMetadata(field: Field): Record<string, unknown> {
  if (field.metadata !== undefined) return field.metadata;
  const type = Object.keys(TYPES).find((name) => TYPES[name] === field.type) ?? "Text";
  return {
    label: field.label,
    type,
    required: !field.nillable && field.type !== "boolean",
    ...(field.type === "string" ? { length: field.length, unique: field.unique } : {}),
    externalId: field.externalId,
    ...(field.type === "boolean" ? { defaultValue: field.defaultValue === true } : {}),
    ...(field.precision > 0 ? { precision: field.precision, scale: field.scale } : {}),
    ...(field.referenceTo.length > 0
      ? { referenceTo: field.referenceTo[0], relationshipName: field.relationshipName }
      : {}),
  };
}

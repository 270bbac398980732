/** Plans the change of a Salesforce field: create, change, none, or an error. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import {
  buildConflict,
  isChoice,
  toFieldKind,
  listStrayMembers,
} from "../../connector-kit/field-definitions.ts";
import type { FieldDefinition, FieldKind, FieldOutcome, FieldRequest } from "../../connector-kit/fields.ts";
import {
  CAN_BE_REQUIRED,
  CAN_BE_UNIQUE,
  toCustomName,
  chooseDigits,
  buildFullName,
  isRequired,
  MAX_DIGITS,
  buildField,
  buildValue,
  chooseType,
  chooseMembers,
} from "./custom-field.ts";
import { findChildElement, listChildElements, getChildText, buildElement, type Element } from "./xml.ts";

export interface FieldPlan {
  fullName: string;
  outcome: FieldOutcome;
  /** The complete definition to send: Salesforce resets members that are left out. */
  component?: Element;
  /** Required fields are visible to everybody and take no permission. */
  required: boolean;
}

/** `existing` is the definition from the Metadata API, undefined if there is no such field. */
export function planField(request: FieldRequest, existing: Element | undefined): FieldPlan {
  const { definition } = request;
  const fullName = buildFullName(request);
  const fieldName = toCustomName(definition.fieldName);
  const warnings = [...warnOfUnheld(definition), ...listStrayMembers(definition)];
  if (fieldName !== definition.fieldName)
    warnings.unshift(`Salesforce ends the names of custom fields in __c: it is ${fieldName} there`);
  const outcome: FieldOutcome = { fieldName, action: "none", warnings };
  if (!existing) {
    const component = buildField(request);
    outcome.metadata = toJson(component);
    return { fullName, outcome, component, required: isTrue(component, "required") };
  }
  outcome.metadata = toJson(existing);
  const obstacle = findTypeConflict(definition, existing);
  if (obstacle) outcome.error = buildConflict(`\`${fieldName}\` ${obstacle}`);
  const component = obstacle ? existing : mergeDefinition(definition, existing, warnings);
  const changed = component !== existing;
  if (changed) outcome.metadata = toJson(component);
  return {
    fullName,
    outcome,
    ...(changed && { component }),
    required: isTrue(component, "required") || getChildText(component, "type") === "MasterDetail",
  };
}

const KIND_OF_TYPE: Record<string, FieldKind> = {
  Text: "string",
  TextArea: "string",
  LongTextArea: "string",
  Html: "string",
  Email: "string",
  Phone: "string",
  Url: "string",
  EncryptedText: "string",
  Checkbox: "boolean",
  Date: "date",
  DateTime: "datetime",
  Picklist: "singleSelect",
  MultiselectPicklist: "multiSelect",
  Currency: "float",
  Percent: "float",
  Lookup: "reference",
  IndirectLookup: "reference",
  MasterDetail: "reference",
  Hierarchy: "reference",
};

function findTypeConflict(definition: FieldDefinition, existing: Element): string | undefined {
  const type = getChildText(existing, "type") ?? "";
  const elsewhere = "choose another fieldName";
  if (getChildText(existing, "formula") !== undefined)
    return `is already there as a formula, which nothing can be written to: ${elsewhere}`;
  const wanted = toFieldKind(definition);
  const numeric = wanted === "int" || wanted === "float";
  const scale = getChildText(existing, "scale") ?? "0";
  const present = type === "Number" ? (Number(scale) > 0 ? "float" : "int") : KIND_OF_TYPE[type];
  if (present !== wanted && !(numeric && (present === "int" || present === "float"))) {
    const what = `is already there as a ${type || "field of unknown type"}, not as a ${wanted}`;
    const remedy = present ? `define it as ${present}, or ${elsewhere}` : elsewhere;
    return `${what}, and changing the type could lose data: ${remedy}`;
  }
  if (wanted === "string" && chooseType(definition) === "LongTextArea" && type === "Text")
    return `is already there as a Text, which holds at most 255 characters: ask for less, or ${elsewhere}`;
  if (wanted !== "reference") return undefined;
  const target = getChildText(existing, "referenceTo") ?? "";
  if (target.toLowerCase() === definition.association?.targetObject.toLowerCase()) return undefined;
  return `already refers to ${target}: make that the targetObject, or ${elsewhere}`;
}

/** Returns the existing definition with the requested changes; the same object if nothing changes. */
function mergeDefinition(definition: FieldDefinition, existing: Element, warnings: string[]): Element {
  const type = getChildText(existing, "type") ?? "";
  const wanted: Record<string, string> = {
    label: definition.displayName,
    ...(definition.description !== undefined && { description: definition.description }),
    ...chooseMembers(definition),
    ...widenMembers(definition, existing, type, warnings),
  };
  if (type !== chooseType(definition)) leaveRules(wanted, type, warnings);
  const differing = Object.entries(wanted).filter(
    ([name, value]) => (getChildText(existing, name) ?? getAbsentText(name)) !== value,
  );
  const values = isChoice(toFieldKind(definition)) ? mergeValues(definition, existing, warnings) : undefined;
  if (differing.length === 0 && !values) return existing;
  const replaced = new Map(differing.map(([name, value]) => [name, buildElement(name, value)]));
  if (values) replaced.set("valueSet", values);
  const kept = existing.children.filter(({ name }) => !replaced.has(name));
  return { ...existing, children: [...kept, ...replaced.values()] };
}

/** Removes members that a new field may have, but not an existing field of another type, and warns of them. */
function leaveRules(wanted: Record<string, string>, type: string, warnings: string[]): void {
  for (const member of ["required", "unique", "externalId", "deleteConstraint"]) {
    const asked = wanted[member];
    delete wanted[member];
    if (asked !== undefined && asked !== "false")
      warnings.push(`${member}: left as it is, because the field is of type ${type}`);
  }
}

const getAbsentText = (name: string): string =>
  ["required", "unique", "externalId"].includes(name) ? "false" : "";

/** Lets lengths and digits only grow, so that stored values still fit. */
function widenMembers(
  definition: FieldDefinition,
  existing: Element,
  type: string,
  warnings: string[],
): Record<string, string> {
  const { length } = definition.stringOptions ?? {};
  const present = Number(getChildText(existing, "length"));
  if (length !== undefined && toFieldKind(definition) === "string" && present > 0) {
    if (length > present && (type === "Text" || type === "LongTextArea")) return { length: String(length) };
    if (length !== present)
      warnings.push(`stringOptions.length: the field holds ${present} characters, and stays so`);
  }
  if (type !== "Number") return {};
  const precision = Number(getChildText(existing, "precision") ?? 0);
  const scale = Number(getChildText(existing, "scale") ?? 0);
  const { numericOptions = {} } = definition;
  const given = numericOptions.precision !== undefined || numericOptions.scale !== undefined;
  const needsFraction = toFieldKind(definition) === "float" && scale === 0;
  if (!given && !needsFraction) return {};
  const asked = chooseDigits(definition);
  const after = Math.max(scale, asked.scale);
  const before = Math.max(precision - scale, given ? asked.precision - asked.scale : 0);
  if (after + before > MAX_DIGITS) {
    const reported = `${precision} digits, ${scale} of them behind the point, and cannot have more`;
    warnings.push(`numericOptions: the field has ${reported}`);
    return {};
  }
  return { precision: String(after + before), scale: String(after) };
}

/** Returns the value set with missing values added; undefined if it stays the same. */
function mergeValues(
  definition: FieldDefinition,
  existing: Element,
  warnings: string[],
): Element | undefined {
  const { values = [], valuesRestricted, defaultValue } = definition.stringOptions ?? {};
  const set = findChildElement(existing, "valueSet") ?? buildElement("valueSet", []);
  const globalName = getChildText(set, "valueSetName");
  if (globalName) {
    warnings.push(
      `stringOptions: the values come from the global set ${globalName}; add any that are missing there`,
    );
    return undefined;
  }
  const list = findChildElement(set, "valueSetDefinition") ?? buildElement("valueSetDefinition", []);
  const present = listChildElements(list, "value");
  const known = new Map(present.map((value) => [getChildText(value, "fullName") ?? "", value]));
  const resting = values.filter((value) => getChildText(known.get(value), "isActive") === "false");
  if (resting.length > 0)
    warnings.push(`stringOptions.values: ${resting.join(", ")} exist, but were deactivated in Salesforce`);
  const missing = values.filter((value) => !known.has(value));
  const current = present.find((value) => isTrue(value, "default"));
  const redefault = defaultValue !== undefined && getChildText(current, "fullName") !== defaultValue;
  const rerestrict = valuesRestricted !== undefined && isTrue(set, "restricted") !== valuesRestricted;
  if (missing.length === 0 && !redefault && !rerestrict) return undefined;
  const all = [...present, ...missing.map((value) => buildValue(value, false))].map((value) =>
    redefault
      ? withMember(value, "default", String(getChildText(value, "fullName") === defaultValue))
      : value,
  );
  const others = list.children.filter(({ name }) => name !== "value");
  const changed = withChild(set, { ...list, children: [...others, ...all] });
  return rerestrict ? withMember(changed, "restricted", String(valuesRestricted)) : changed;
}

const withMember = (parent: Element, name: string, value: string): Element =>
  withChild(parent, buildElement(name, value));

const withChild = (parent: Element, child: Element): Element => ({
  ...parent,
  children: [...parent.children.filter(({ name }) => name !== child.name), child],
});

const isTrue = (parent: Element, name: string): boolean => getChildText(parent, name) === "true";

/** Returns a warning for each part that a Salesforce field of this type cannot hold. */
function warnOfUnheld(definition: FieldDefinition): string[] {
  const { stringOptions = {}, numericOptions = {}, association, unique, indexed } = definition;
  const type = chooseType(definition);
  const warnings: string[] = [];
  if (isRequired(definition) && !CAN_BE_REQUIRED.includes(type))
    warnings.push(`required: Salesforce cannot require a ${type}`);
  if (unique && !CAN_BE_UNIQUE.includes(type)) warnings.push(`unique: Salesforce has no unique ${type}`);
  if (indexed && !CAN_BE_UNIQUE.includes(type))
    warnings.push(`indexed: Salesforce does not index a ${type} on demand`);
  if (stringOptions.pattern !== undefined)
    warnings.push(
      "stringOptions.pattern: Salesforce checks patterns with validation rules, not in the field",
    );
  for (const limit of ["min", "max"] as const) {
    if (numericOptions[limit] !== undefined && type === "Number")
      warnings.push(
        `numericOptions.${limit}: Salesforce checks limits with validation rules, not in the field`,
      );
  }
  if (association && !/^many[\s_-]?to[\s_-]?one$/i.test(association.cardinality ?? "many-to-one"))
    warnings.push("association.cardinality: a Salesforce reference is many-to-one");
  if (type === "IndirectLookup" && association?.onDelete)
    warnings.push("association.onDelete: Salesforce has none for an indirect lookup");
  if (type === "Lookup" && isRequired(definition) && /^setnull$/i.test(association?.onDelete ?? ""))
    warnings.push("association.onDelete: a required reference cannot be emptied, so deleting is restricted");
  if (association && stringOptions.defaultValue !== undefined)
    warnings.push("defaultValue: a reference has none at Salesforce");
  return warnings;
}

/** Returns the definition as plain values; repeated members become lists. */
export function toJson(component: Element): JsonObject {
  const result: JsonObject = {};
  for (const child of component.children) {
    const value: Json = child.children.length > 0 ? toJson(child) : child.text;
    const before = Object.hasOwn(result, child.name) ? result[child.name] : undefined;
    if (before === undefined) result[child.name] = value;
    else
      result[child.name] =
        Array.isArray(before) && !isJsonObject(before) ? [...before, value] : [before, value];
  }
  return result;
}

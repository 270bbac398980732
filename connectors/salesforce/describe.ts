/** Describes a Salesforce object as the connected user sees it, without fields hidden from that user. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { isChoice } from "../../connector-kit/field-definitions.ts";
import type { ChildObject, FieldMetadata, ObjectMetadata } from "../../connector-kit/fields.ts";
import { classify } from "./classify.ts";
import { DATA, findObjectFault } from "./request.ts";

export async function describeObject(objectName: string, fetch: ProviderFetch): Promise<ObjectMetadata> {
  const fault = findObjectFault(objectName);
  if (fault) throw fault;
  const path = `${DATA}/sobjects/${objectName}/describe`;
  const answer = await send({ method: "GET", path, repeatable: true }, fetch, classify);
  if (answer.error) throw toUnknownObject(objectName, answer.error);
  const description = isJsonObject(answer.body) ? answer.body : {};
  const described = pickObjects(description.fields);
  const fields = described.flatMap((field) => toField(field) ?? []);
  return {
    name: readLabel(description.name) ?? objectName,
    displayName: readLabel(description.label) ?? objectName,
    fields: Object.fromEntries(fields.map((field) => [field.fieldName, field])),
    isReadable: description.queryable !== false,
    unfilterable: described.flatMap(({ name, filterable }) =>
      typeof name === "string" && filterable === false ? [name] : [],
    ),
    computedFrom: findParts(described),
    children: pickObjects(description.childRelationships).flatMap((child) => toChild(child) ?? []),
  };
}

/** Compounds are described at their parts (`Name` at `LastName`), formulas by their text. */
function findParts(described: readonly JsonObject[]): Record<string, string[]> {
  const names = new Map(
    described.flatMap(({ name }) => (typeof name === "string" ? [[name.toLowerCase(), name] as const] : [])),
  );
  const computedFrom = new Map<string, string[]>();
  const add = (whole: string, parts: string[]) =>
    computedFrom.set(whole, [...(computedFrom.get(whole) ?? []), ...parts]);
  for (const { name, compoundFieldName, calculatedFormula } of described) {
    if (typeof name !== "string") continue;
    if (typeof compoundFieldName === "string" && compoundFieldName !== name) add(compoundFieldName, [name]);
    if (typeof calculatedFormula !== "string") continue;
    const words = calculatedFormula.match(/[a-z]\w*/gi) ?? [];
    add(
      name,
      words.flatMap((word) => names.get(word.toLowerCase()) ?? []),
    );
  }
  return Object.fromEntries(computedFrom);
}

/** Returns the objects that the connected user may see. */
export async function listObjects(fetch: ProviderFetch): Promise<string[]> {
  const path = `${DATA}/sobjects`;
  const answer = await send({ method: "GET", path, repeatable: true }, fetch, classify);
  if (answer.error) throw answer.error;
  const { sobjects } = isJsonObject(answer.body) ? answer.body : {};
  return pickObjects(sobjects).flatMap(({ name }) => readLabel(name) ?? []);
}

/** Relations without a name cannot be read from the parent. */
function toChild({ childSObject, field, relationshipName }: JsonObject): ChildObject | undefined {
  if (typeof childSObject !== "string" || typeof field !== "string") return undefined;
  if (typeof relationshipName !== "string" || relationshipName === "") return undefined;
  return { objectName: childSObject, fieldName: field, relationshipName };
}

function toUnknownObject(objectName: string, error: ProviderError): ProviderError {
  if (error.kind !== "not_found") return error;
  const { code, status, rawResponse } = error;
  const message = `Salesforce has no object \`${objectName}\`, or the connected user may not see it`;
  return new ProviderError({ kind: "not_found", message, code, status, rawResponse, cause: error });
}

function toField(field: JsonObject): FieldMetadata | undefined {
  const { name, type, custom, createable, updateable, nillable, defaultedOnCreate } = field;
  if (typeof name !== "string" || typeof type !== "string") return undefined;
  const valueType = toFieldKind(type, field.scale);
  const referenceTo = Array.isArray(field.referenceTo)
    ? field.referenceTo.filter((target) => typeof target === "string")
    : [];
  const description = readLabel(field.inlineHelpText);
  return {
    fieldName: name,
    displayName: readLabel(field.label) ?? name,
    ...(description !== undefined && { description }),
    valueType,
    providerType: type,
    readOnly: createable !== true && updateable !== true,
    isCustom: custom === true,
    isRequired: createable === true && nillable === false && defaultedOnCreate !== true,
    ...(referenceTo.length > 0 && { referenceTo }),
    ...(isChoice(valueType) && { values: listValues(field) }),
  };
}

const KINDS: Record<string, FieldMetadata["valueType"]> = {
  string: "string",
  textarea: "string",
  url: "string",
  email: "string",
  phone: "string",
  id: "string",
  encryptedstring: "string",
  reference: "reference",
  boolean: "boolean",
  int: "int",
  long: "int",
  currency: "float",
  percent: "float",
  date: "date",
  datetime: "datetime",
  picklist: "singleSelect",
  combobox: "singleSelect",
  multipicklist: "multiSelect",
};

/** All custom numbers are doubles; those without decimal places are integers. */
function toFieldKind(type: string, scale: Json | undefined): FieldMetadata["valueType"] {
  if (type === "double") return scale === 0 ? "int" : "float";
  return (Object.hasOwn(KINDS, type) ? KINDS[type] : undefined) ?? "other";
}

const listValues = ({ picklistValues }: JsonObject): NonNullable<FieldMetadata["values"]> =>
  pickObjects(picklistValues).flatMap(({ value, label, active }) =>
    typeof value === "string" && active !== false ? [{ value, displayValue: readLabel(label) ?? value }] : [],
  );

const pickObjects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const readLabel = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

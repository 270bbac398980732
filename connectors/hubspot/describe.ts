/** Describes a HubSpot object: its properties, and the stages of pipelines from their own endpoint. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { isChoice } from "../../connector-kit/field-definitions.ts";
import type { FieldMetadata, ObjectMetadata } from "../../connector-kit/fields.ts";
import { classify } from "./classify.ts";
import { findCollection, COLLECTION_NAMES } from "./collection.ts";
import { STANDARD_OBJECTS } from "./event-objects.ts";
import { classifyProperty, readProperty, type Property } from "./property.ts";
import { getSchema, listPipelines, listSensitive, LIST_SCHEMAS } from "./property-request.ts";
import { findObjectFault } from "./request.ts";
import { readProperties } from "./upsert-properties.ts";

export async function describeObject(objectName: string, fetch: ProviderFetch): Promise<ObjectMetadata> {
  const collection = findCollection(objectName);
  if (collection) return collection.metadata;
  const fault = findObjectFault(objectName);
  if (fault) throw fault;
  const usual = await readProperties(objectName, fetch);
  const properties = [...usual.values()];
  const sensitive = (await readSensitive(objectName, fetch)).filter(({ name }) => !usual.has(name));
  // Labels and required properties need a scope that the customer may not have granted.
  const schema = await readIfAllowed(getSchema(objectName), fetch);
  const required = Array.isArray(schema.requiredProperties) ? schema.requiredProperties : [];
  const labels = isJsonObject(schema.labels) ? schema.labels : {};
  const staged = properties.some(isStaged) ? await readPipelines(objectName, fetch) : undefined;
  const fields = [
    ...properties.map((property) => toField(property, required.includes(property.name), staged)),
    ...sensitive.map((property) => ({
      ...toField(property, required.includes(property.name), staged),
      isSensitive: true,
    })),
  ];
  return {
    name: objectName,
    displayName: toLabel(readLabel(labels.plural) ?? readLabel(labels.singular) ?? objectName),
    fields: Object.fromEntries(fields.map((field) => [field.fieldName, field])),
    computedFrom: findParts(properties),
  };
}

/**
 * Returns the properties with sensitive data. Their definitions need no scope of their own, their values do
 * (https://developers.hubspot.com/docs/api-reference/latest/crm/properties/sensitive-data).
 */
async function readSensitive(objectName: string, fetch: ProviderFetch): Promise<Property[]> {
  const found: Property[] = [];
  for (const level of ["sensitive", "highly_sensitive"]) {
    const { results } = await readIfAllowed(listSensitive(objectName, level), fetch);
    found.push(...pickObjects(results).flatMap((raw) => readProperty(raw) ?? []));
  }
  return found;
}

/** Formulas name properties; those that HubSpot computes itself have none. */
function findParts(properties: readonly Property[]): Record<string, string[]> {
  const names = new Set(properties.map(({ name }) => name));
  return Object.fromEntries(
    properties.flatMap(({ name, formula }) =>
      formula === "" ? [] : [[name, (formula.match(/[a-z]\w*/gi) ?? []).filter((word) => names.has(word))]],
    ),
  );
}

/** Returns the standard objects, and the custom ones as far as the customer lets them be listed. */
export async function listObjects(fetch: ProviderFetch): Promise<string[]> {
  const { results } = await readIfAllowed(LIST_SCHEMAS, fetch);
  const custom = pickObjects(results).flatMap(({ name, fullyQualifiedName }) => [
    readLabel(name) ?? [],
    readLabel(fullyQualifiedName) ?? [],
  ]);
  return [...STANDARD_OBJECTS, ...COLLECTION_NAMES, ...custom.flat()];
}

/** Capitalizes labels: those of standard objects look like names. */
const toLabel = (label: string): string => label.charAt(0).toUpperCase() + label.slice(1);

type Value = NonNullable<FieldMetadata["values"]>[number];

interface Staged {
  pipelines: Value[];
  stages: Value[];
}

function toField(property: Property, isRequired: boolean, staged: Staged | undefined): FieldMetadata {
  const { name, label, description, type, referencedObjectType } = property;
  const valueType = classifyProperty(property);
  return {
    fieldName: name,
    displayName: label,
    ...(description && { description }),
    valueType,
    providerType: type,
    readOnly: property.readOnlyValue || property.calculated,
    isCustom: !property.hubspotDefined,
    isRequired,
    ...(referencedObjectType && { referenceTo: [referencedObjectType] }),
    ...(isChoice(valueType) && { values: listValues(property, staged) }),
  };
}

function listValues(property: Property, staged: Staged | undefined): Value[] {
  if (staged && isStaged(property)) return property.name.endsWith("stage") ? staged.stages : staged.pipelines;
  return property.options.flatMap(({ value, label, hidden }) =>
    typeof value === "string" && hidden !== true ? [{ value, displayValue: readLabel(label) ?? value }] : [],
  );
}

const STAGED = new Set(["pipeline", "dealstage", "hs_pipeline", "hs_pipeline_stage"]);

const isStaged = ({ name, options }: Property): boolean => STAGED.has(name) && options.length === 0;

async function readPipelines(objectName: string, fetch: ProviderFetch): Promise<Staged> {
  const { results } = await readIfAllowed(listPipelines(objectName), fetch);
  const pipelines = pickObjects(results);
  return {
    pipelines: toValues(pipelines),
    stages: pipelines.flatMap(({ stages }) => toValues(pickObjects(stages))),
  };
}

const toValues = (items: JsonObject[]): Value[] =>
  items.flatMap(({ id, label }) =>
    typeof id === "string" ? [{ value: id, displayValue: readLabel(label) ?? id }] : [],
  );

/** Returns an empty object if HubSpot refuses. Throws `ProviderError` if no usable answer came. */
async function readIfAllowed(request: ProviderRequest, fetch: ProviderFetch): Promise<JsonObject> {
  const answer = await send(request, fetch, classify);
  return !answer.error && isJsonObject(answer.body) ? answer.body : {};
}

const pickObjects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const readLabel = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

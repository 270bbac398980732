/** The fields of an object as an agent sees them: by the builder's names, and without hidden ones. */
import { findFieldsConnector, type FieldMetadata, type ObjectMetadata } from "../../connector-kit/fields.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ReadConnector } from "../../connector-kit/read-connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { listFieldMappings, type FieldMappings } from "../../manifest/object-fields.ts";
import { callProvider, type CallServices } from "../operations/call-provider.ts";
import type { MetadataMemory } from "../operations/metadata-memory.ts";
import type { ReadDefinition } from "../read/definition/read-definition.ts";
import { readProblem } from "../read/definition/read-problem.ts";
import { locateFields, readSet, type ReadField } from "../read/definition/read-set.ts";
import type { CustomerObject } from "./customer-objects.ts";
import {
  splitFieldSteps,
  listHiddenFields,
  isHidden,
  nameHidden,
  type AgentPolicy,
} from "./policy/policy.ts";

type FieldServices = CallServices & { metadata: MetadataMemory };

export interface AgentField {
  /** The builder's name, or else the provider's. */
  name: string;
  /** The provider's name, or the path to the value. */
  providerName: string;
  displayName?: string;
  type: string;
  required: boolean;
  /** The installation reads it. */
  readable: boolean;
  writable: boolean;
  values?: { value: string; displayValue: string }[];
  /** Where a record that was read has the value. */
  place?: { of: "fields" | "mappedFields"; steps: string[] };
}

export interface AgentFields {
  displayName?: string;
  fields: AgentField[];
  /** All that is not hidden, also what is neither returned nor written. */
  filterable: Pick<AgentField, "name" | "providerName">[];
  /** The builder's names and the provider's, and what is made of these fields. */
  hidden: ReadonlySet<string>;
  /** The object's definition without hidden fields, so that they are not even asked for. */
  definition?: ReadDefinition;
}

/** Reads the object's fields in the customer's account, or remembers them for a minute. Throws a Problem. */
export async function describeFields(
  deps: FieldServices,
  object: CustomerObject,
  policy: AgentPolicy,
): Promise<AgentFields> {
  const { installed, definition } = object;
  const metadata = await describe(deps, object);
  const hidden = withComputed(listHiddenNames(object, policy), metadata);
  const connector = deps.catalog
    .of(installed.installation.projectId)
    .connector(installed.integration.provider);
  const visible = definition && withoutHidden(definition, metadata, hidden);
  const read = connector?.read && visible ? readFields(visible, metadata, connector.read) : [];
  const known = new Set(read.map(({ providerName }) => providerName.toLowerCase()));
  const written = object.settings ? listWrittenFields(object, metadata) : [];
  // Where nothing lists the fields, each is sent as it is named.
  const takesAny = metadata === undefined && object.settings?.dropUnmapped === false;
  const fields = [
    ...read.map((field) => withWriting(field, written, takesAny)),
    ...written.filter((field) => !known.has(field.providerName.toLowerCase())),
  ];
  const shown = fields.filter((field) => !isHidden(hidden, field.name, field.providerName));
  return {
    ...(metadata && { displayName: metadata.displayName }),
    fields: shown,
    filterable: [...shown, ...listOtherFields(metadata, shown, hidden)],
    hidden,
    ...(visible && { definition: visible }),
  };
}

/** A value that is made of a hidden one is hidden, too: `Name` with `LastName`. */
function withComputed(hidden: Set<string>, metadata: ObjectMetadata | undefined): ReadonlySet<string> {
  if (hidden.size === 0) return hidden;
  const wholes = Object.entries(metadata?.computedFrom ?? {});
  for (let size = -1; size !== hidden.size;) {
    size = hidden.size;
    for (const [whole, parts] of wholes) {
      if (parts.some((part) => isHidden(hidden, part))) hidden.add(nameHidden(whole));
    }
  }
  return hidden;
}

function listOtherFields(
  metadata: ObjectMetadata | undefined,
  shown: readonly AgentField[],
  hidden: ReadonlySet<string>,
): AgentFields["filterable"] {
  const known = new Set(shown.map(({ providerName }) => providerName.toLowerCase()));
  return Object.values(metadata?.fields ?? {}).flatMap(({ fieldName: name }) =>
    known.has(name.toLowerCase()) || isHidden(hidden, name) ? [] : [{ name, providerName: name }],
  );
}

/** Returns undefined where nothing describes the object: then only the manifest knows its fields. */
async function describe(
  deps: FieldServices,
  { installed, objectName }: CustomerObject,
): Promise<ObjectMetadata | undefined> {
  const { installation, integration } = installed;
  const { projectId, connectionId } = installation;
  const connector = deps.catalog.of(projectId).connector(integration.provider);
  const described = connector && findFieldsConnector(connector, objectName);
  const { module } = integration.latestRevision.content;
  if (!described || (module && described.module && module !== described.module)) return undefined;
  const ask = () =>
    callProvider(deps, { projectId, connectionId }, ({ connection: { account }, fetch }) =>
      described.describe(objectName, fetch, account),
    );
  try {
    const connection = await deps.connections.find(projectId, connectionId);
    return await (connection ? deps.metadata.get(connection, objectName, ask) : ask());
  } catch (error) {
    if (error instanceof ProviderError) throw readProblem(error, connectionId);
    throw error;
  }
}

type NamedObject = Pick<CustomerObject, "installed" | "name" | "objectName">;

/** Returns the hidden fields of an object under all their names: what is hidden by one name is hidden by the other, too. */
export function listHiddenNames(
  { installed, name, objectName }: NamedObject,
  policy: AgentPolicy,
): Set<string> {
  const hidden = listHiddenFields(policy, [name, objectName]);
  if (hidden.size === 0) return hidden;
  for (const [own, providerName] of findMappings(installed, objectName).mappedToProvider) {
    if (!isHidden(hidden, own, ...(providerName === undefined ? [] : [providerName]))) continue;
    hidden.add(nameHidden(own));
    if (providerName !== undefined) hidden.add(nameHidden(providerName));
  }
  return hidden;
}

const findMappings = (
  { integration, installation }: CustomerObject["installed"],
  objectName: string,
): FieldMappings =>
  listFieldMappings(integration.latestRevision.content, installation.config.content, objectName);

/** Returns the provider's name of each field that the builder has named. */
export const listProviderNames = ({ installed, objectName }: NamedObject): Map<string, string> =>
  new Map(
    [...findMappings(installed, objectName).mappedToProvider].flatMap(([name, field]): [string, string][] =>
      field === undefined ? [] : [[name, field]],
    ),
  );

/** Returns whether a value that is a whole has a hidden part: `address` with `city`, where `address.city` is hidden. */
export function containsHidden(hidden: ReadonlySet<string>, name: string, value: Json | undefined): boolean {
  const whole = splitFieldSteps(name);
  return [...hidden].some((path) => {
    const steps = path.split(".");
    const isPart = steps.length > whole.length && whole.every((step, at) => step === steps[at]);
    return isPart && value !== undefined && hasPart(value, steps.slice(whole.length));
  });
}

function hasPart(value: Json, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (Array.isArray(value)) return value.some((entry) => hasPart(entry, [first, ...rest]));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([name, inner]) => name.toLowerCase() === first && inner !== undefined && hasPart(inner, rest),
  );
}

function withoutHidden(
  definition: ReadDefinition,
  metadata: ObjectMetadata | undefined,
  hidden: ReadonlySet<string>,
): ReadDefinition {
  if (hidden.size === 0) return definition;
  const { fields, mappings } = definition;
  const showFields = (names: readonly string[]) => names.filter((name) => !isHidden(hidden, name));
  const withheld = Object.keys(metadata?.fields ?? {}).filter((name) => isHidden(hidden, name));
  return {
    ...definition,
    fields: {
      ...fields,
      required: showFields(fields.required),
      selected: showFields(fields.selected),
      excluded: [...fields.excluded, ...withheld],
    },
    mappings: new Map([...mappings].filter(([name, field]) => !isHidden(hidden, name, field))),
  };
}

/** Lists the fields that can be read. A field that the builder has renamed is listed by its new name only. */
function readFields(
  definition: ReadDefinition,
  metadata: ObjectMetadata | undefined,
  names: ReadConnector,
): AgentField[] {
  const set = readSet(definition, metadata, names);
  const locate = locateFields(metadata, names);
  const renamed = new Set([...definition.mappings.values()].map((field) => names.fieldKey(field)));
  const mappedNames = [...definition.mappings.keys()];
  const toField = (
    of: "fields" | "mappedFields",
    { name, target, values }: ReadField,
    own?: string,
  ): AgentField => {
    const { field } = locate(name);
    const providerName =
      field && names.fieldKey(field.fieldName) === names.fieldKey(name) ? field.fieldName : name;
    return {
      ...describeField(field, values),
      name: own ?? providerName,
      providerName,
      readable: true,
      writable: false,
      place: { of, steps: target },
    };
  };
  return [
    ...set.mapped.map((field, index) => toField("mappedFields", field, mappedNames[index])),
    ...set.shown
      .filter(({ name }) => !renamed.has(names.fieldKey(name)))
      .map((field) => toField("fields", field)),
  ];
}

/** Returns what may be written: the fields that the builder named, and unless only those are sent, every field that can be set. */
function listWrittenFields(
  { installed, objectName, settings }: CustomerObject,
  metadata: ObjectMetadata | undefined,
): AgentField[] {
  const { mappedToProvider, valueMappings } = findMappings(installed, objectName);
  const known = new Map(
    Object.values(metadata?.fields ?? {}).map((field) => [field.fieldName.toLowerCase(), field]),
  );
  const mapped = [...mappedToProvider].flatMap(([name, providerName]): AgentField[] => {
    if (providerName === undefined) return [];
    const field = known.get(providerName.toLowerCase());
    const described = describeField(field, valueMappings.get(name));
    return [{ ...described, name, providerName, readable: false, writable: field?.readOnly !== true }];
  });
  const renamed = new Set(mapped.map(({ providerName }) => providerName.toLowerCase()));
  const others = settings?.dropUnmapped ? [] : [...known.values()];
  return [
    ...mapped,
    ...others.flatMap((field): AgentField[] =>
      field.readOnly || renamed.has(field.fieldName.toLowerCase())
        ? []
        : [
            {
              ...describeField(field),
              name: field.fieldName,
              providerName: field.fieldName,
              readable: false,
              writable: true,
            },
          ],
    ),
  ];
}

function withWriting(field: AgentField, written: readonly AgentField[], takesAny: boolean): AgentField {
  const key = field.providerName.toLowerCase();
  const isWhole = splitFieldSteps(field.providerName).length === 1;
  return {
    ...field,
    writable:
      (takesAny && isWhole) || written.some((one) => one.writable && one.providerName.toLowerCase() === key),
  };
}

type Described = Pick<AgentField, "displayName" | "type" | "required" | "values">;

/** With mapped values, those are the values that an agent reads and writes. */
function describeField(field: FieldMetadata | undefined, mapped?: ReadonlyMap<string, string>): Described {
  const values = mapped
    ? [...mapped].map(([value, own]) => ({
        value,
        displayValue: field?.values?.find((one) => one.value === own)?.displayValue ?? own,
      }))
    : field?.values?.map(({ value, displayValue }) => ({ value, displayValue }));
  return {
    ...(field && { displayName: field.displayName }),
    type: field?.valueType ?? "other",
    required: field?.isRequired ?? false,
    ...(values && values.length > 0 && { values }),
  };
}

interface ReadEntry {
  id: string;
  fields: JsonObject;
  mappedFields: JsonObject;
}

/** Returns a record under the names that an agent knows, without what is hidden. */
export function toAgentRecord(
  entry: ReadEntry,
  fields: readonly AgentField[],
  hidden: ReadonlySet<string>,
): { id: string; fields: JsonObject } {
  const values = fields.flatMap((field): [string, Json][] => {
    const { place } = field;
    const value = place && getValueAt(entry[place.of], place.steps);
    return value === undefined ? [] : [[field.name, withoutParts(value, field, hidden)]];
  });
  return { id: entry.id, fields: Object.fromEntries(values) };
}

function getValueAt(values: JsonObject, steps: readonly string[]): Json | undefined {
  let value: Json | undefined = values;
  for (const step of steps) {
    value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Leaves out hidden parts of a value that is a whole: `address.city` of `address`. */
function withoutParts(value: Json, { name, providerName }: AgentField, hidden: ReadonlySet<string>): Json {
  let left = value;
  for (const path of hidden) {
    const steps = path.split(".");
    for (const whole of [splitFieldSteps(name), splitFieldSteps(providerName)]) {
      const isPart = steps.length > whole.length && whole.every((step, at) => step === steps[at]);
      if (isPart) left = withoutPart(left, steps.slice(whole.length));
    }
  }
  return left;
}

function withoutPart(value: Json, [first, ...rest]: readonly string[]): Json {
  if (first === undefined) return value;
  if (Array.isArray(value)) return value.map((entry) => withoutPart(entry, [first, ...rest]));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
      if (inner === undefined || name.toLowerCase() !== first)
        return inner === undefined ? [] : [[name, inner]];
      return rest.length === 0 ? [] : [[name, withoutPart(inner, rest)]];
    }),
  );
}

/** Describing an account's fields, and creating or changing custom ones. */
import type { JsonObject } from "../ground/json.ts";
import type { Account, ProviderFetch } from "./calls/provider-fetch.ts";
import type { ProviderError } from "./calls/provider-error.ts";

export const FIELD_KINDS = [
  "string",
  "boolean",
  "date",
  "datetime",
  "singleSelect",
  "multiSelect",
  "int",
  "float",
  "reference",
] as const;

export type FieldKind = (typeof FIELD_KINDS)[number];

export interface FieldMetadata {
  /** The provider's name. */
  fieldName: string;
  displayName: string;
  /** The provider's explanation; absent if there is none. */
  description?: string;
  /** `other`: none of the nine kinds. */
  valueType: FieldKind | "other";
  /** The provider's name of the type. */
  providerType: string;
  /** True if neither a create nor an update can set it. */
  readOnly: boolean;
  isCustom: boolean;
  /** True if its values need a permission of their own. A read of all fields leaves it out. */
  isSensitive?: boolean;
  /** True if a create without it is refused. */
  isRequired: boolean;
  /** The objects that a reference can point to. */
  referenceTo?: string[];
  /** The values that can be chosen. */
  values?: { value: string; displayValue: string }[];
}

export interface ObjectMetadata {
  /** The provider's name. */
  name: string;
  displayName: string;
  /** Metadata by field name. */
  fields: Record<string, FieldMetadata>;
  /** False if the provider does not let the object's records be read; absent: not known. */
  isReadable?: boolean;
  /** Names of fields that no filter can compare. */
  unfilterable?: string[];
  /** Source fields by the name of the computed field: the parts of a compound field, or the fields in a formula. */
  computedFrom?: Record<string, string[]>;
  /** Objects whose records refer to this one. */
  children?: ChildObject[];
}

export interface ChildObject {
  objectName: string;
  /** The field that refers to this object. */
  fieldName: string;
  /** The name of the child's records as seen from this object. */
  relationshipName: string;
}

export interface FieldDefinition {
  fieldName: string;
  displayName: string;
  description?: string;
  valueType: FieldKind;
  required?: boolean;
  unique?: boolean;
  indexed?: boolean;
  stringOptions?: {
    length?: number;
    pattern?: string;
    values?: string[];
    valuesRestricted?: boolean;
    defaultValue?: string;
  };
  numericOptions?: {
    precision?: number;
    scale?: number;
    min?: number;
    max?: number;
    defaultValue?: number;
  };
  association?: {
    associationType: string;
    targetObject: string;
    targetField?: string;
    cardinality?: string;
    onDelete?: string;
    required?: boolean;
    reverseLookupFieldName?: string;
    labels?: { singular?: string; plural?: string };
  };
}

/** One definition of a request: the field it defines and where. */
export interface FieldRequest {
  objectName: string;
  definition: FieldDefinition;
}

/** A fault that no account of the provider would accept. */
export interface DefinitionFault {
  /** Within the definition, for example `stringOptions.length`. */
  member: string;
  message: string;
}

/** The outcome of one definition. */
export interface FieldOutcome {
  /** The provider's name, which may differ from the requested one. */
  fieldName: string;
  /** `none` also if nothing could be done; `error` is set then. */
  action: "create" | "update" | "none";
  /** The field as the provider describes it. */
  metadata?: JsonObject;
  /** Parts of the definition that the provider cannot hold. */
  warnings: string[];
  /** Set if the definition is not, or only partly, in force. */
  error?: ProviderError;
}

export interface FieldsConnector {
  /** The provider's module that the fields belong to; absent if the provider has none. */
  readonly module?: string;
  /** Returns whether `describe` knows the fields of an object; absent: of every object. Pure. */
  describes?(objectName: string): boolean;
  /** Returns every field of an object. Throws `ProviderError`: `not_found` or `invalid` if there is no such object. */
  describe(objectName: string, fetch: ProviderFetch, account?: Account): Promise<ObjectMetadata>;
  /** Returns the names of the account's objects, to suggest the one that was meant. Throws `ProviderError`. Absent: nothing lists them. */
  listObjects?(fetch: ProviderFetch): Promise<string[]>;
}

export interface CustomFieldsConnector extends FieldsConnector {
  /** Lists the faults of a definition that do not depend on the account. Pure. */
  check(request: FieldRequest): DefinitionFault[];
  /** Returns the name that a field gets at the provider; definitions with one name are of one field. Pure. */
  getName(request: FieldRequest): string;
  /**
   * Creates the fields that are not there and changes the others as far as they differ; what the customer has of their
   * own in a field stays. Takes definitions without faults, each field once, and gives one outcome for each in order.
   *
   * A definition that conflicts with a field of another type keeps everything from being written. Throws
   * `ProviderError` only when a request as a whole got no usable answer and nothing was written before it.
   */
  upsert(requests: FieldRequest[], fetch: ProviderFetch): Promise<FieldOutcome[]>;
}

/** Returns the part that describes the fields of an object; undefined where nothing can. */
export const findFieldsConnector = (
  { fields }: { fields?: FieldsConnector },
  objectName: string,
): FieldsConnector | undefined => (fields?.describes?.(objectName) === false ? undefined : fields);

/** Returns whether custom fields can be created, too. */
export const canCreateFields = (fields: FieldsConnector): fields is CustomFieldsConnector =>
  "upsert" in fields;

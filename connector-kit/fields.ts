/** What a connector knows about an account's fields: reading which there are, and creating or changing custom ones. */
import type { JsonObject } from "../server/ground/json.ts";
import type { ProviderFetch } from "./provider-fetch.ts";
import type { ProviderError } from "./provider-error.ts";

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
  /** `other`: nothing that the nine kinds describe. */
  valueType: FieldKind | "other";
  /** The type in the provider's words. */
  providerType: string;
  /** Neither a create nor an update can set it. */
  readOnly: boolean;
  isCustom: boolean;
  /** A create without it is refused. */
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
  /** By the field's name. */
  fields: Record<string, FieldMetadata>;
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

/** Why a definition can be held by no account of the provider. */
export interface DefinitionFault {
  /** Within the definition, for example `stringOptions.length`. */
  member: string;
  message: string;
}

/** What became of one definition. */
export interface FieldOutcome {
  /** As the provider has it, which need not be as it was asked for. */
  fieldName: string;
  /** `none` also where nothing could be done: then there is an error. */
  action: "create" | "update" | "none";
  /** The field as the provider describes it, in its own words. */
  metadata?: JsonObject;
  /** What the definition asks for and the provider cannot hold. */
  warnings: string[];
  /** The definition is not, or not wholly, in force. */
  error?: ProviderError;
}

export interface FieldsConnector {
  /** The provider's module that these are fields of; absent when the provider has none. */
  readonly module?: string;
  /** Every field of an object. Throws `ProviderError`, `not_found` or `invalid` when there is no such object. */
  describe(objectName: string, fetch: ProviderFetch): Promise<ObjectMetadata>;
  /** What is wrong with a definition whatever the account looks like. Pure. */
  check(request: FieldRequest): DefinitionFault[];
  /** The name that a field gets at the provider, for finding two definitions of one field. Pure. */
  nameOf(request: FieldRequest): string;
  /**
   * Creates the fields that are not there and changes the others as far as they differ; what the customer has of their
   * own in a field stays. Takes definitions without faults, each field once, and gives one outcome for each in order.
   *
   * A definition that conflicts with a field of another type keeps everything from being written. Throws
   * `ProviderError` only when a request as a whole got no usable answer and nothing was written before it.
   */
  upsert(requests: FieldRequest[], fetch: ProviderFetch): Promise<FieldOutcome[]>;
}

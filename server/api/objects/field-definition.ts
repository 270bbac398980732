/** Request and answer of an upsert of custom fields. */
import { Type, type Static } from "typebox";
import { FIELD_KINDS } from "../../../connector-kit/fields.ts";
import { described } from "../../../ground/described.ts";

/** Enough for any manifest, and few enough for a synchronous request. */
const MAX_OBJECTS = 20;
const MAX_FIELDS = 100;
const MAX_VALUES = 1_000;

const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description && { description }) });

const StringOptionsSchema = Type.Object(
  {
    length: Type.Optional(Type.Integer({ minimum: 1, description: "Maximum length in characters." })),
    pattern: Type.Optional(text(1_000, "Not supported by any provider; causes a warning.")),
    values: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: MAX_VALUES,
        description: "Options to choose from. They turn a `string` into a `singleSelect`.",
      }),
    ),
    valuesRestricted: Type.Optional(
      Type.Boolean({ description: "Whether only the listed values are allowed." }),
    ),
    defaultValue: Type.Optional(text(1_000, "Default value of new records.")),
  },
  { title: "StringOptions", description: "Options of a text or select field." },
);

const NumericOptionsSchema = Type.Object(
  {
    precision: Type.Optional(Type.Integer({ minimum: 1, description: "Total number of digits." })),
    scale: Type.Optional(
      Type.Integer({ minimum: 0, description: "Number of digits after the decimal point." }),
    ),
    min: Type.Optional(Type.Number({ description: "Minimum value." })),
    max: Type.Optional(Type.Number({ description: "Maximum value." })),
    defaultValue: Type.Optional(Type.Number({ description: "Default value of new records." })),
  },
  { title: "NumericOptions", description: "Options of a field of the type `int` or `float`." },
);

const AssociationSchema = Type.Object(
  {
    associationType: text(100, "Kind of association, for example `lookup` or `foreignKey`."),
    targetObject: text(255, "Target object."),
    targetField: Type.Optional(text(255, "Unique field of the target object. Default: the record's id.")),
    cardinality: Type.Optional(text(100, "Cardinality, for example `many-to-one`.")),
    onDelete: Type.Optional(
      text(100, "Effect of deleting the target record: `setNull`, `restrict` or `cascade`."),
    ),
    required: Type.Optional(Type.Boolean({ description: "Whether every record needs a reference." })),
    reverseLookupFieldName: Type.Optional(text(255, "Name of the relationship on the target object.")),
    labels: Type.Optional(
      Type.Object(
        {
          singular: Type.Optional(text(255, "Singular label.")),
          plural: Type.Optional(text(255, "Plural label.")),
        },
        { description: "Labels of the relationship on the target object." },
      ),
    ),
  },
  { title: "FieldAssociation", description: "Target of a field of the type `reference`." },
);

const FieldDefinitionSchema = Type.Object(
  {
    fieldName: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Name of the field. For Salesforce, `__c` is appended; HubSpot's names are in lower case.",
    }),
    displayName: Type.String({ minLength: 1, maxLength: 255, description: "Label of the field." }),
    description: Type.Optional(text(1_000, "Description of the field.")),
    valueType: Type.Enum([...FIELD_KINDS], { description: "Type of the field's values." }),
    required: Type.Optional(Type.Boolean({ description: "Whether every record needs a value." })),
    unique: Type.Optional(Type.Boolean({ description: "Whether values must be unique." })),
    indexed: Type.Optional(Type.Boolean({ description: "Whether the field is indexed." })),
    stringOptions: Type.Optional(described(StringOptionsSchema, "Options of text and select fields.")),
    numericOptions: Type.Optional(described(NumericOptionsSchema, "Options of number fields.")),
    association: Type.Optional(described(AssociationSchema, "Target of `reference` fields.")),
  },
  { title: "FieldDefinition", description: "Definition of a custom field." },
);

export const UpsertRequestSchema = Type.Object(
  {
    groupRef: Type.String({ minLength: 1, description: "Your own id for the customer." }),
    fields: Type.Record(Type.String(), Type.Array(FieldDefinitionSchema, { maxItems: MAX_FIELDS }), {
      minProperties: 1,
      maxProperties: MAX_OBJECTS,
      description: "Field definitions, by the provider's name for the object.",
    }),
  },
  {
    title: "UpsertFieldsRequest",
    description: "Custom fields to create or update in the customer's account.",
  },
);

const FieldResultSchema = Type.Object(
  {
    fieldName: Type.String({ description: "The provider's name for the field." }),
    action: Type.Enum(["create", "update", "none"], {
      description: "`none`: the field already matched its definition.",
    }),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "The provider's description of the field." }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: "Parts of the definition that the provider does not support.",
      }),
    ),
    error: Type.Optional(
      Type.Object(
        {
          message: Type.String({ description: "Error message." }),
          code: Type.Optional(Type.String({ description: "The provider's error code." })),
        },
        { description: "Why the field failed. In errors only." },
      ),
    ),
  },
  { title: "UpsertedField", description: "Result for one field." },
);

export const UpsertAnswerSchema = Type.Object(
  {
    success: Type.Boolean({ description: "Always false." }),
    fields: Type.Record(Type.String(), Type.Record(Type.String(), FieldResultSchema), {
      description: "Results by object, then by requested field name.",
    }),
  },
  { title: "UpsertFieldsResponse", description: "Result for each field." },
);

/** Members of a failed upsert, in addition to those of the Problem. */
export const RefusedUpsertSchema = Type.Partial(UpsertAnswerSchema, {
  title: "RefusedUpsert",
  description:
    "Members of a failed upsert of custom fields, in addition to those of the Problem: what was done before " +
    "the failure.",
});

export type UpsertRequest = Static<typeof UpsertRequestSchema>;
export type UpsertAnswer = Static<typeof UpsertAnswerSchema>;
export type FieldResult = Static<typeof FieldResultSchema>;

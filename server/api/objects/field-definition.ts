/** Shapes of a request that upserts custom fields and of its answer. */
import { Type, type Static } from "typebox";
import { FIELD_KINDS } from "../../../connector-kit/fields.ts";
import { described } from "../../ground/described.ts";

/** Enough for any manifest, and few enough to be carried out while the caller waits. */
const MOST_OBJECTS = 20;
const MOST_FIELDS = 100;
const MOST_VALUES = 1_000;

const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description && { description }) });

const StringOptionsSchema = Type.Object(
  {
    length: Type.Optional(Type.Integer({ minimum: 1, description: "Longest text, in characters." })),
    pattern: Type.Optional(text(1_000, "Held by no provider; told as a warning.")),
    values: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: MOST_VALUES,
        description: "What can be chosen. On a `string` they make it a `singleSelect`.",
      }),
    ),
    valuesRestricted: Type.Optional(Type.Boolean({ description: "Only the listed values are taken." })),
    defaultValue: Type.Optional(text(1_000, "Default value of new records.")),
  },
  { title: "StringOptions", description: "Options of a text or select field." },
);

const NumericOptionsSchema = Type.Object(
  {
    precision: Type.Optional(Type.Integer({ minimum: 1, description: "Digits in all." })),
    scale: Type.Optional(Type.Integer({ minimum: 0, description: "Digits behind the point." })),
    min: Type.Optional(Type.Number({ description: "Minimum value." })),
    max: Type.Optional(Type.Number({ description: "Maximum value." })),
    defaultValue: Type.Optional(Type.Number({ description: "Default value of new records." })),
  },
  { title: "NumericOptions", description: "Options of a field of the type `int` or `float`." },
);

const AssociationSchema = Type.Object(
  {
    associationType: text(100, "In your words, for example `lookup` or `foreignKey`."),
    targetObject: text(255, "The object that is referred to."),
    targetField: Type.Optional(text(255, "A unique field of that object, where it is not the record's id.")),
    cardinality: Type.Optional(text(100, "Cardinality, for example `many-to-one`.")),
    onDelete: Type.Optional(
      text(100, "What happens when the record referred to is deleted: `setNull`, `restrict` or `cascade`."),
    ),
    required: Type.Optional(Type.Boolean({ description: "Whether every record needs a reference." })),
    reverseLookupFieldName: Type.Optional(
      text(255, "The name of the relationship on the object referred to."),
    ),
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

export const FieldDefinitionSchema = Type.Object(
  {
    fieldName: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Salesforce ends custom names in `__c`, which is added; HubSpot's are in lower case.",
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
    groupRef: Type.String({ minLength: 1, description: "The customer whose account gets the fields." }),
    fields: Type.Record(Type.String(), Type.Array(FieldDefinitionSchema, { maxItems: MOST_FIELDS }), {
      minProperties: 1,
      maxProperties: MOST_OBJECTS,
      description: "Definitions by the provider's name of the object.",
    }),
  },
  {
    title: "UpsertFieldsRequest",
    description: "Custom fields to create or update in the customer's account.",
  },
);

const FieldResultSchema = Type.Object(
  {
    fieldName: Type.String({ description: "The name that the field has at the provider." }),
    action: Type.Enum(["create", "update", "none"], { description: "`none`: it was as defined already." }),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "The field in the provider's own words." }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: "What the definition asks for and the provider cannot hold.",
      }),
    ),
    error: Type.Optional(
      Type.Object(
        {
          message: Type.String({ description: "Why, in a sentence." }),
          code: Type.Optional(Type.String({ description: "The provider's code for it." })),
        },
        { description: "Why nothing was done. In refusals only." },
      ),
    ),
  },
  { title: "UpsertedField", description: "Result for one field." },
);

export const UpsertAnswerSchema = Type.Object(
  {
    success: Type.Boolean({ description: "Always false." }),
    fields: Type.Record(Type.String(), Type.Record(Type.String(), FieldResultSchema), {
      description: "By object, then by field as it was asked for.",
    }),
  },
  { title: "UpsertFieldsResponse", description: "Result for each field." },
);

/** What a refused upsert carries beside the Problem. */
export const RefusedUpsertSchema = Type.Partial(UpsertAnswerSchema, {
  title: "RefusedUpsert",
  description: "What a refused upsert of custom fields tells beside the Problem: what was done all the same.",
});

export type UpsertRequest = Static<typeof UpsertRequestSchema>;
export type UpsertAnswer = Static<typeof UpsertAnswerSchema>;
export type FieldResult = Static<typeof FieldResultSchema>;

/** Schema of the messages about changed fields, as receivers get them. */
import { Type, type Static } from "typebox";
import { described } from "../../ground/described.ts";
import { DATA_MESSAGE, ResultInfoSchema } from "./read-message-schema.ts";

const FieldSchema = Type.Object(
  {
    fieldName: Type.String({ description: "The provider's name." }),
    displayName: Type.String({ description: "The provider's label." }),
    description: Type.Optional(
      Type.String({ description: "The provider's explanation of the field, if there is one." }),
    ),
    valueType: Type.String({ description: "One of nine types; `other`: none of them." }),
    providerType: Type.String({ description: "The provider's name for the type." }),
    readOnly: Type.Boolean({ description: "Whether the field can be set neither on create nor on update." }),
    isCustom: Type.Boolean({ description: "Whether the field is a custom field." }),
    isRequired: Type.Boolean({ description: "Whether new records need a value." }),
    isSensitive: Type.Optional(
      Type.Boolean({ description: "True if its values need a permission of their own." }),
    ),
    referenceTo: Type.Optional(
      Type.Array(Type.String(), { description: "Objects that the field can refer to." }),
    ),
    values: Type.Optional(
      Type.Array(
        Type.Object({
          value: Type.String({ description: "Value in the provider's API." }),
          displayValue: Type.String({ description: "Label of the value." }),
        }),
        { description: "Options to choose from. Of created fields only." },
      ),
    ),
  },
  { title: "WatchedField", description: "A field in the customer's account." },
);

const ChangesSchema = Type.Object({
  createdFields: Type.Optional(Type.Array(FieldSchema, { description: "Fields that are new." })),
  deletedFields: Type.Optional(
    Type.Array(FieldSchema, { description: "Fields that are gone, or hidden from the connected user." }),
  ),
  changedFields: Type.Optional(
    Type.Array(
      Type.Object({
        oldSchema: described(FieldSchema, "The field at the last check."),
        newSchema: described(FieldSchema, "The field now."),
      }),
      { description: "Fields whose type, label, description or `readOnly` is another one." },
    ),
  ),
});

/** A message about changed fields, as a destination gets it. */
export const SchemaMessageSchema = Type.Object(
  {
    action: Type.Literal("schema.watch", { description: "The action that the message comes from." }),
    ...DATA_MESSAGE,
    resultInfo: described(ResultInfoSchema, "Number of changes, and where they are."),
    result: Type.Optional(
      described(ChangesSchema, "Changes since the last check; kinds without a change are absent."),
    ),
  },
  { title: "SchemaMessage", description: "Fields of an object that were created, deleted or changed." },
);

export type SchemaMessage = Static<typeof SchemaMessageSchema>;

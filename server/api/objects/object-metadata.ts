/** The metadata of an object as the API shows it. */
import { Type, type Static } from "typebox";
import { FIELD_KINDS, type ObjectMetadata } from "../../../connector-kit/fields.ts";
import { callProvider, type CallServices } from "../../operations/call-provider.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import { getFieldsConnector } from "./customer-account.ts";

export const FieldMetadataSchema = Type.Object(
  {
    fieldName: Type.String({ description: "The provider's name." }),
    displayName: Type.String({ description: "The provider's label." }),
    description: Type.Optional(
      Type.String({ description: "The provider's explanation of the field, if there is one." }),
    ),
    valueType: Type.Optional(
      Type.Enum([...FIELD_KINDS, "other"], { description: "`other`: a type that is not in this list." }),
    ),
    providerType: Type.Optional(Type.String({ description: "The provider's name for the type." })),
    readOnly: Type.Optional(
      Type.Boolean({ description: "True if a value can be set neither on create nor on update." }),
    ),
    isCustom: Type.Optional(Type.Boolean({ description: "Whether the field is a custom field." })),
    isRequired: Type.Optional(Type.Boolean({ description: "Whether new records need a value." })),
    isSensitive: Type.Optional(
      Type.Boolean({
        description:
          "True if its values need a permission of their own. It is read only where it is named, not with all fields.",
      }),
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
        {
          description: "Options to choose from.",
        },
      ),
    ),
  },
  { title: "FieldMetadata", description: "Description of a field in a customer's account." },
);

export const ObjectMetadataSchema = Type.Object(
  {
    name: Type.String({ description: "The provider's name." }),
    displayName: Type.Optional(Type.String({ description: "The provider's label." })),
    mappedObjectName: Type.Optional(
      Type.String({ description: "The object's mapped name in the manifest." }),
    ),
    fields: Type.Record(Type.String(), FieldMetadataSchema, {
      description: "Fields, by the provider's name.",
    }),
  },
  { title: "ObjectMetadata", description: "An object in a customer's account, with its fields." },
);

/** Returns the metadata, without read-only fields if `excludeReadOnly`. */
export function toObjectMetadata(
  { name, displayName, fields }: ObjectMetadata,
  shown: { excludeReadOnly?: boolean; mappedObjectName?: string },
): Static<typeof ObjectMetadataSchema> {
  const entries = Object.entries(fields).filter(([, field]) => !shown.excludeReadOnly || !field.readOnly);
  return {
    name,
    displayName,
    ...(shown.mappedObjectName && { mappedObjectName: shown.mappedObjectName }),
    fields: Object.fromEntries(entries),
  };
}

/** Reads an object of the account. Throws `ProviderError`, and the same Problems as `getFieldsConnector`. */
export async function describeObject(
  deps: CallServices & { metadata: MetadataMemory },
  target: { projectId: string; connectionId: string; provider: string; module?: string },
  objectName: string,
): Promise<ObjectMetadata> {
  const fields = getFieldsConnector(deps.catalog, target, objectName);
  const read = () =>
    callProvider(deps, target, ({ connection: { account }, fetch }) =>
      fields.describe(objectName, fetch, account),
    );
  const connection = await deps.connections.find(target.projectId, target.connectionId);
  return connection ? deps.metadata.get(connection, objectName, read) : read();
}

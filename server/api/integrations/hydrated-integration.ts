/** Joins the content of a revision with the objects and fields of a customer's account. */
import { Type, type Static } from "typebox";
import type { FieldMetadata, ObjectMetadata } from "../../../connector-kit/fields.ts";
import { described } from "../../../ground/described.ts";
import {
  ManifestFieldSchema,
  ManifestIntegrationSchema,
  ReadObjectSchema,
  WriteObjectSchema,
  type ManifestField,
  type ManifestIntegration,
  type ReadObject,
} from "../../../manifest/manifest.ts";
import { ProviderName } from "../members.ts";
import { FieldMetadataSchema } from "../objects/object-metadata.ts";
import { RevisionSchema } from "../integration.ts";

const HydratedFieldSchema = Type.Object(
  {
    ...ManifestFieldSchema.properties,
    displayName: Type.Optional(
      Type.String({ description: "The provider's label. A mapping without `fieldName` has none." }),
    ),
  },
  { title: "HydratedField", description: "A field of the manifest, with the provider's label." },
);

const HydratedReadObjectSchema = Type.Object(
  {
    ...Type.Pick(ReadObjectSchema, [
      "objectName",
      "mapToName",
      "mapToDisplayName",
      "optionalFieldsAuto",
      "backfill",
    ]).properties,
    displayName: Type.String({ description: "The provider's label." }),
    destination: Type.String({ description: "Empty if the manifest names none." }),
    schedule: Type.String({ description: "Empty if the manifest names none." }),
    requiredFields: Type.Optional(
      Type.Array(HydratedFieldSchema, { description: "Fields that are read for every customer." }),
    ),
    optionalFields: Type.Optional(
      Type.Array(HydratedFieldSchema, {
        description: "With `optionalFieldsAuto`, all other fields of the account.",
      }),
    ),
    allFieldsMetadata: Type.Record(Type.String(), FieldMetadataSchema, {
      description: "All fields of the customer's account, by name.",
    }),
    allFields: Type.Array(
      Type.Object({
        fieldName: Type.String({ description: "The provider's name for the field." }),
        displayName: Type.String({ description: "The provider's label." }),
      }),
      {
        description: "The same in a shorter form. Deprecated.",
      },
    ),
    error: Type.Optional(Type.String({ description: "Why the fields could not be read." })),
  },
  {
    title: "HydratedReadObject",
    description: "An object to read, with the fields of the customer's account.",
  },
);

const HydratedIntegrationSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the integration." }),
    provider: ProviderName,
    ...Type.Pick(ManifestIntegrationSchema, ["displayName", "module"]).properties,
    read: Type.Optional(
      Type.Object(
        { objects: Type.Optional(Type.Array(HydratedReadObjectSchema, { description: "Objects to read." })) },
        { description: "Objects to read." },
      ),
    ),
    write: Type.Optional(
      Type.Object(
        {
          objects: Type.Optional(
            Type.Array(
              Type.Object({
                ...Type.Pick(WriteObjectSchema, ["objectName", "valueDefaults"]).properties,
                displayName: Type.String({ description: "The provider's label." }),
              }),
              { description: "Objects to write." },
            ),
          ),
        },
        { description: "Objects to write." },
      ),
    ),
    proxy: ManifestIntegrationSchema.properties.proxy,
  },
  {
    title: "HydratedIntegration",
    description: "An integration of a revision, joined with the objects and fields of a customer's account.",
  },
);

export const HydratedRevisionSchema = Type.Object(
  {
    ...Type.Pick(RevisionSchema, ["id", "specVersion", "createTime"]).properties,
    content: described(
      HydratedIntegrationSchema,
      "The integration, with the objects and fields of the account.",
    ),
  },
  {
    title: "HydratedRevision",
    description: "A revision, joined with the objects and fields of a customer's account.",
  },
);

type HydratedIntegration = Static<typeof HydratedIntegrationSchema>;
type HydratedReadObject = Static<typeof HydratedReadObjectSchema>;
type HydratedField = Static<typeof HydratedFieldSchema>;

/** An object of the account, or a sentence why it could not be read. */
export type Described = { metadata: ObjectMetadata; error?: undefined } | { error: string };

/** Returns the joined content. `describe` returns an object of the account. */
export function toHydrated(
  content: ManifestIntegration,
  describe: (objectName: string) => Described,
): HydratedIntegration {
  const { name, provider, displayName, module, read, write, proxy } = content;
  const label = (objectName: string) => {
    const account = describe(objectName);
    return account.error === undefined ? account.metadata.displayName : objectName;
  };
  return {
    name,
    provider,
    ...(displayName !== undefined && { displayName }),
    ...(module !== undefined && { module }),
    ...(read && {
      read: {
        objects: (read.objects ?? []).map((object) => toReadObject(object, describe(object.objectName))),
      },
    }),
    ...(write && {
      write: {
        objects: (write.objects ?? []).map(({ objectName, valueDefaults }) => ({
          objectName,
          displayName: label(objectName),
          ...(valueDefaults && { valueDefaults }),
        })),
      },
    }),
    ...(proxy && { proxy }),
  };
}

function toReadObject(object: ReadObject, account: Described): HydratedReadObject {
  const { objectName, mapToName, mapToDisplayName, optionalFieldsAuto, backfill } = object;
  const fields = account.error === undefined ? account.metadata.fields : {};
  const all = Object.values(fields);
  const requiredFields = object.requiredFields?.map((field) => toField(field, fields));
  const optionalFields = object.optionalFields?.map((field) => toField(field, fields));
  const rest = optionalFieldsAuto
    ? listRemaining(all, [...(requiredFields ?? []), ...(optionalFields ?? [])])
    : [];
  return {
    objectName,
    displayName: account.error === undefined ? account.metadata.displayName : objectName,
    destination: object.destination ?? "",
    schedule: object.schedule ?? "",
    ...(mapToName !== undefined && { mapToName }),
    ...(mapToDisplayName !== undefined && { mapToDisplayName }),
    ...(requiredFields && { requiredFields }),
    ...((optionalFields || optionalFieldsAuto) && { optionalFields: [...(optionalFields ?? []), ...rest] }),
    ...(optionalFieldsAuto && { optionalFieldsAuto }),
    ...(backfill && { backfill }),
    allFieldsMetadata: fields,
    allFields: all.map(toShortField),
    ...(account.error !== undefined && { error: account.error }),
  };
}

/** A mapping gets no `fieldName`: the UI library recognises mappings by that. */
function toField(field: ManifestField, fields: Record<string, FieldMetadata>): HydratedField {
  if (!field.fieldName) {
    const { fieldName: _, ...mapping } = field;
    return mapping;
  }
  const known = Object.hasOwn(fields, field.fieldName) ? fields[field.fieldName] : undefined;
  // Some providers ignore case in names.
  const wanted = field.fieldName.toLowerCase();
  const found = known ?? Object.values(fields).find(({ fieldName }) => fieldName.toLowerCase() === wanted);
  return { ...field, displayName: found?.displayName ?? field.fieldName };
}

const toShortField = ({ fieldName, displayName }: FieldMetadata) => ({ fieldName, displayName });

function listRemaining(all: FieldMetadata[], named: HydratedField[]): HydratedField[] {
  const taken = new Set(named.map(({ fieldName }) => fieldName?.toLowerCase()));
  return all.filter(({ fieldName }) => !taken.has(fieldName.toLowerCase())).map(toShortField);
}

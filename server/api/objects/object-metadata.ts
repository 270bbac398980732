/** The metadata of an object as the API shows it, and the memory that spares the provider the same question. */
import { LRUCache } from "lru-cache";
import { Type, type Static } from "typebox";
import { FIELD_KINDS, type ObjectMetadata } from "../../../connector-kit/fields.ts";
import type { LiveConnection } from "../../calls/live-connection.ts";
import { callProvider, type CallServices } from "../../operations/call-provider.ts";
import { fieldsConnector } from "./customer-account.ts";

export const FieldMetadataSchema = Type.Object(
  {
    fieldName: Type.String({ description: "The provider's name." }),
    displayName: Type.String({ description: "The provider's label." }),
    valueType: Type.Optional(
      Type.Enum([...FIELD_KINDS, "other"], { description: "`other`: nothing that the nine kinds describe." }),
    ),
    providerType: Type.Optional(Type.String({ description: "The type in the provider's words." })),
    readOnly: Type.Optional(Type.Boolean({ description: "Neither a create nor an update can set it." })),
    isCustom: Type.Optional(Type.Boolean({ description: "Whether the field is a custom field." })),
    isRequired: Type.Optional(Type.Boolean({ description: "A new record needs it." })),
    referenceTo: Type.Optional(Type.Array(Type.String(), { description: "Objects that it can refer to." })),
    values: Type.Optional(
      Type.Array(
        Type.Object({
          value: Type.String({ description: "Value in the provider's API." }),
          displayValue: Type.String({ description: "Label of the value." }),
        }),
        {
          description: "What can be chosen.",
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
      Type.String({ description: "The name that the manifest maps the object to." }),
    ),
    fields: Type.Record(Type.String(), FieldMetadataSchema, { description: "By the provider's name." }),
  },
  { title: "ObjectMetadata", description: "An object in a customer's account, with its fields." },
);

/** Without the fields that nothing can write, where `excludeReadOnly`. */
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

/** How old an answer may be: somebody who has just made a field in the CRM looks again within a minute. */
const FRESH_MS = 60_000;
const MOST_OBJECTS = 200;

interface Known {
  /** Another one as soon as anything about the connection changed, its account included. */
  connection: LiveConnection;
  metadata: Promise<ObjectMetadata>;
}

export interface MetadataMemory {
  /** Of this object by this connection, from memory or by `read`; a failure is not remembered. */
  get(
    connection: LiveConnection,
    objectName: string,
    read: () => Promise<ObjectMetadata>,
  ): Promise<ObjectMetadata>;
  /** Its fields were changed. */
  forget(connectionId: string): void;
}

export function rememberMetadata(): MetadataMemory {
  const known = new LRUCache<string, Known>({ max: MOST_OBJECTS, ttl: FRESH_MS });
  return {
    get(connection, objectName, read) {
      const key = `${connection.id}/${objectName}`;
      const found = known.get(key);
      if (found?.connection === connection) return found.metadata;
      const entry = { connection, metadata: read() };
      known.set(key, entry);
      entry.metadata.catch(() => {
        if (known.get(key) === entry) known.delete(key);
      });
      return entry.metadata;
    },
    forget(connectionId) {
      for (const key of known.keys()) if (key.startsWith(`${connectionId}/`)) known.delete(key);
    },
  };
}

/** Describes an object of the account. Throws a Problem as `fieldsConnector` does, and `ProviderError`. */
export async function describeObject(
  deps: CallServices & { metadata: MetadataMemory },
  target: { projectId: string; connectionId: string; provider: string; module?: string },
  objectName: string,
): Promise<ObjectMetadata> {
  const fields = fieldsConnector(deps.catalog, target);
  const read = () => callProvider(deps, target, ({ fetch }) => fields.describe(objectName, fetch));
  const connection = await deps.connections.find(target.projectId, target.connectionId);
  return connection ? deps.metadata.get(connection, objectName, read) : read();
}

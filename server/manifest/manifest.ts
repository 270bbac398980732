/** The shape of a manifest (amp.yaml): schema for the API, types for the code. */
import { Type, type Static } from "typebox";

const Always = Type.Literal("always");
const Event = Type.Object({ enabled: Type.Optional(Always) });

/**
 * One entry of a field list. With `fieldName` it is a field of the provider, delivered as `mapToName` if that is
 * given; without `fieldName` the customer chooses the field.
 */
export const ManifestFieldSchema = Type.Object(
  {
    fieldName: Type.Optional(Type.String()),
    mapToName: Type.Optional(Type.String()),
    mapToDisplayName: Type.Optional(Type.String()),
    prompt: Type.Optional(Type.String()),
    default: Type.Optional(
      Type.String({ description: "The provider's field that is preselected for the customer." }),
    ),
  },
  { title: "ManifestField" },
);

/** Exactly one of the two members is allowed; a rule checks it, for a better message than the schema gives. */
export const PeriodSchema = Type.Object(
  {
    days: Type.Optional(Type.Integer()),
    fullHistory: Type.Optional(Type.Boolean()),
  },
  { title: "BackfillPeriod" },
);

export const ReadObjectSchema = Type.Object(
  {
    objectName: Type.String(),
    destination: Type.Optional(Type.String({ description: "Empty when the manifest names none." })),
    schedule: Type.Optional(
      Type.String({ description: "Cron, five fields, UTC; empty when there is none." }),
    ),
    mapToName: Type.Optional(Type.String()),
    mapToDisplayName: Type.Optional(Type.String()),
    requiredFields: Type.Optional(Type.Array(ManifestFieldSchema)),
    optionalFields: Type.Optional(Type.Array(ManifestFieldSchema)),
    optionalFieldsAuto: Type.Optional(Type.Literal("all")),
    backfill: Type.Optional(Type.Object({ defaultPeriod: Type.Optional(PeriodSchema) })),
    delivery: Type.Optional(
      Type.Object({
        mode: Type.Optional(Type.Union([Type.Literal("auto"), Type.Literal("onRequest")])),
        pageSize: Type.Optional(Type.Integer()),
      }),
    ),
    enabled: Type.Optional(Always),
  },
  { title: "ManifestReadObject" },
);

export const WriteObjectSchema = Type.Object(
  {
    objectName: Type.String(),
    inheritMapping: Type.Optional(Type.Boolean()),
    valueDefaults: Type.Optional(Type.Object({ allowAnyFields: Type.Optional(Type.Boolean()) })),
  },
  { title: "ManifestWriteObject" },
);

export const SubscribeObjectSchema = Type.Object(
  {
    objectName: Type.String(),
    destination: Type.Optional(Type.String()),
    inheritFieldsAndMapping: Type.Optional(Type.Boolean()),
    createEvent: Type.Optional(Event),
    updateEvent: Type.Optional(
      Type.Object({
        enabled: Type.Optional(Always),
        watchFieldsAuto: Type.Optional(Type.Union([Type.Literal("all"), Type.Literal("selected")])),
        requiredWatchFields: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    deleteEvent: Type.Optional(Event),
    associationChangeEvent: Type.Optional(
      Type.Object({ enabled: Type.Optional(Always), includeFullRecords: Type.Optional(Type.Boolean()) }),
    ),
    otherEvents: Type.Optional(Type.Array(Type.String())),
  },
  { title: "ManifestSubscribeObject" },
);

export const WatchSchemaSchema = Type.Object(
  {
    destination: Type.Optional(Type.String()),
    schedule: Type.Optional(Type.String()),
    allObjects: Type.Optional(
      Type.Object({
        fieldCreated: Type.Optional(Event),
        fieldDeleted: Type.Optional(Event),
        fieldChanged: Type.Optional(Event),
      }),
    ),
  },
  { title: "ManifestWatchSchema" },
);

/** One integration; also the content of a revision. */
export const ManifestIntegrationSchema = Type.Object(
  {
    name: Type.String(),
    provider: Type.String(),
    displayName: Type.Optional(Type.String()),
    module: Type.Optional(Type.String()),
    read: Type.Optional(Type.Object({ objects: Type.Optional(Type.Array(ReadObjectSchema)) })),
    write: Type.Optional(Type.Object({ objects: Type.Optional(Type.Array(WriteObjectSchema)) })),
    proxy: Type.Optional(
      Type.Object({ enabled: Type.Optional(Type.Boolean()), useModule: Type.Optional(Type.Boolean()) }),
    ),
    subscribe: Type.Optional(Type.Object({ objects: Type.Optional(Type.Array(SubscribeObjectSchema)) })),
    watchSchema: Type.Optional(WatchSchemaSchema),
  },
  { title: "ManifestIntegration" },
);

export const ManifestSchema = Type.Object({
  specVersion: Type.String(),
  integrations: Type.Array(ManifestIntegrationSchema),
});

export type ManifestField = Static<typeof ManifestFieldSchema>;
export type ReadObject = Static<typeof ReadObjectSchema>;
export type WriteObject = Static<typeof WriteObjectSchema>;
export type SubscribeObject = Static<typeof SubscribeObjectSchema>;
export type ManifestIntegration = Static<typeof ManifestIntegrationSchema>;
export type Manifest = Static<typeof ManifestSchema>;

export type Action = "read" | "write" | "subscribe" | "proxy";

/** The shape of a manifest (amp.yaml): schema for the API, types for the code. */
import { Type, type Static } from "typebox";
import { described } from "../ground/described.ts";

const Always = Type.Literal("always");
const Event = Type.Object({ enabled: Type.Optional(described(Always, "`always` enables it.")) });

/** For objects to read and to subscribe to, in manifests and configurations. */
export const OwnWritesMember = Type.Optional(
  Type.Union([Type.Literal("include"), Type.Literal("exclude")], {
    description:
      "Busbar's own: `exclude` leaves out changes that certainly show nothing but what Busbar wrote. Default: as the destination says.",
  }),
);

/**
 * One entry of a field list. With `fieldName` it is a field of the provider, delivered as `mapToName` if that is
 * given; without `fieldName` the customer chooses the field.
 */
export const ManifestFieldSchema = Type.Object(
  {
    fieldName: Type.Optional(Type.String({ description: "The provider's name for the field." })),
    mapToName: Type.Optional(Type.String({ description: "Your own name for it." })),
    mapToDisplayName: Type.Optional(Type.String({ description: "Your name for it, shown to customers." })),
    prompt: Type.Optional(Type.String({ description: "Hint for the customer who chooses the field." })),
    default: Type.Optional(
      Type.String({ description: "The provider's field that is preselected for the customer." }),
    ),
  },
  {
    title: "ManifestField",
    description:
      "A field of the provider, or, without `fieldName`, a mapping that the customer assigns to a field.",
  },
);

/** Exactly one of the two members is allowed; a rule checks it, for a better message than the schema gives. */
export const PeriodSchema = Type.Object(
  {
    days: Type.Optional(Type.Integer({ description: "Number of days, 0 for none." })),
    fullHistory: Type.Optional(Type.Boolean({ description: "Whether to read all records." })),
  },
  { title: "BackfillPeriod", description: "Period of a backfill. Exactly one of the two members is set." },
);

export const ReadObjectSchema = Type.Object(
  {
    objectName: Type.String({ description: "The provider's name for the object." }),
    destination: Type.Optional(Type.String({ description: "Empty when the manifest names none." })),
    schedule: Type.Optional(
      Type.String({ description: "Cron, five fields, UTC; empty when there is none." }),
    ),
    mapToName: Type.Optional(Type.String({ description: "Your own name for it." })),
    mapToDisplayName: Type.Optional(Type.String({ description: "Your name for it, shown to customers." })),
    requiredFields: Type.Optional(
      Type.Array(ManifestFieldSchema, { description: "Fields that are read for every customer." }),
    ),
    optionalFields: Type.Optional(
      Type.Array(ManifestFieldSchema, { description: "Fields that a customer may add." }),
    ),
    optionalFieldsAuto: Type.Optional(
      Type.Literal("all", { description: "`all`: the customer may add any other field." }),
    ),
    backfill: Type.Optional(
      Type.Object(
        { defaultPeriod: Type.Optional(described(PeriodSchema, "Period of the initial read.")) },
        { description: "Initial read of existing records." },
      ),
    ),
    delivery: Type.Optional(
      Type.Object(
        {
          mode: Type.Optional(
            Type.Union([Type.Literal("auto"), Type.Literal("onRequest")], {
              description: "`auto`: as they are read. `onRequest`: on request.",
            }),
          ),
          pageSize: Type.Optional(Type.Integer({ description: "Maximum number of records in one message." })),
        },
        { description: "Delivery of records." },
      ),
    ),
    enabled: Type.Optional(described(Always, "`always`: enabled for every customer.")),
    associatedObjects: Type.Optional(
      Type.Array(Type.String(), {
        description: "Busbar's own: objects whose associated records are listed with each record.",
      }),
    ),
    deletedRecords: Type.Optional(
      described(Always, "Busbar's own: `always` also delivers which records were deleted."),
    ),
    ownWrites: OwnWritesMember,
  },
  { title: "ManifestReadObject", description: "An object to read." },
);

export const WriteObjectSchema = Type.Object(
  {
    objectName: Type.String({ description: "The provider's name for the object." }),
    inheritMapping: Type.Optional(
      Type.Boolean({ description: "Whether writes use the field mapping of the read object." }),
    ),
    valueDefaults: Type.Optional(
      Type.Object(
        {
          allowAnyFields: Type.Optional(
            Type.Boolean({ description: "Whether customers may set defaults for any field." }),
          ),
        },
        { description: "Default values that customers may set." },
      ),
    ),
  },
  { title: "ManifestWriteObject", description: "An object to write." },
);

const SubscribeObjectSchema = Type.Object(
  {
    objectName: Type.String({ description: "The provider's name for the object." }),
    destination: Type.Optional(Type.String({ description: "Name of the destination to send to." })),
    inheritFieldsAndMapping: Type.Optional(
      Type.Boolean({ description: "Whether fields and mapping of the read object are used." }),
    ),
    createEvent: Type.Optional(described(Event, "Events about created records.")),
    updateEvent: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(described(Always, "`always` enables it.")),
          watchFieldsAuto: Type.Optional(
            Type.Union([Type.Literal("all"), Type.Literal("selected")], {
              description: "`all`: a change of any field causes an event.",
            }),
          ),
          requiredWatchFields: Type.Optional(
            Type.Array(Type.String(), { description: "Fields whose change causes an event." }),
          ),
        },
        { description: "Events about updated records." },
      ),
    ),
    deleteEvent: Type.Optional(described(Event, "Events about deleted records.")),
    associationChangeEvent: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(described(Always, "`always` enables it.")),
          includeFullRecords: Type.Optional(
            Type.Boolean({ description: "Whether events include the full records." }),
          ),
        },
        { description: "Events about changed associations, for providers that have them." },
      ),
    ),
    otherEvents: Type.Optional(
      Type.Array(Type.String(), { description: "Further events, by the provider's names." }),
    ),
    ownWrites: OwnWritesMember,
  },
  { title: "ManifestSubscribeObject", description: "An object whose changes to subscribe to." },
);

const WatchSchemaSchema = Type.Object(
  {
    destination: Type.Optional(Type.String({ description: "Name of the destination to send to." })),
    schedule: Type.Optional(
      Type.String({ description: "When to check: cron expression, five fields, UTC." }),
    ),
    allObjects: Type.Optional(
      Type.Object(
        {
          fieldCreated: Type.Optional(described(Event, "Events about created fields.")),
          fieldDeleted: Type.Optional(described(Event, "Events about deleted fields.")),
          fieldChanged: Type.Optional(described(Event, "Events about a changed type, label or description.")),
        },
        { description: "Events for all objects that are read." },
      ),
    ),
  },
  { title: "ManifestWatchSchema", description: "Events about created, deleted and changed fields." },
);

/** One integration; also the content of a revision. */
export const ManifestIntegrationSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the integration, unique in the project." }),
    provider: Type.String({ description: "The provider's name in the catalog (`GET /v1/providers`)." }),
    displayName: Type.Optional(Type.String({ description: "Display name." })),
    module: Type.Optional(Type.String({ description: "Module of the provider, if it has modules." })),
    read: Type.Optional(
      Type.Object(
        { objects: Type.Optional(Type.Array(ReadObjectSchema, { description: "Objects to read." })) },
        { description: "Settings for reading." },
      ),
    ),
    write: Type.Optional(
      Type.Object(
        { objects: Type.Optional(Type.Array(WriteObjectSchema, { description: "Objects to write." })) },
        { description: "Settings for writing." },
      ),
    ),
    proxy: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(Type.Boolean({ description: "Whether the proxy is enabled." })),
          useModule: Type.Optional(
            Type.Boolean({
              description: "Whether the proxy uses the module's base URL instead of the provider's.",
            }),
          ),
        },
        { description: "Whether calls through the proxy are possible." },
      ),
    ),
    subscribe: Type.Optional(
      Type.Object(
        {
          objects: Type.Optional(
            Type.Array(SubscribeObjectSchema, { description: "Objects to subscribe to." }),
          ),
        },
        { description: "Settings for subscribing." },
      ),
    ),
    watchSchema: Type.Optional(described(WatchSchemaSchema, "Events about changes of fields.")),
  },
  { title: "ManifestIntegration", description: "An integration, as in `amp.yaml`." },
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

export type OwnWrites = "include" | "exclude";

export type Action = "read" | "write" | "subscribe" | "proxy";

/** The shape of an installation's configuration (`config.content`): as accepted, and as stored and returned. */
import { Type, type Static, type TProperties } from "typebox";
import { described } from "../ground/described.ts";
import { OwnWritesMember, PeriodSchema } from "./manifest.ts";

/** Unknown members belong to the builder and are kept. */
const open = <T extends TProperties>(properties: T, words: { title?: string; description?: string } = {}) =>
  Type.Object(properties, { additionalProperties: true, ...words });
const texts = Type.Record(Type.String(), Type.String());
const Switch = Type.Union([Type.Literal("always"), Type.Literal("never")]);
const Event = open({ enabled: described(Switch, "`always` enables it.") });

const FilterSchema = open(
  {
    fieldName: Type.String({ description: "The provider's name for the field." }),
    operator: Type.Literal("eq", { description: "Comparison operator." }),
    value: Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
      description: "Value to compare with.",
    }),
  },
  { title: "FieldFilter", description: "Selects records whose field has this value." },
);

const readMembers = {
  schedule: Type.Optional(
    Type.String({ description: "When to read: cron expression, five fields, UTC. Default: the manifest's." }),
  ),
  disabled: Type.Optional(Type.Boolean({ description: "Set to true to stop reading the object." })),
  destination: Type.Optional(Type.String({ description: "Name of the destination to send to." })),
  selectedValueMappings: Type.Optional(
    Type.Record(Type.String(), texts, { description: "By field: delivered value to the provider's value." }),
  ),
  selectedFieldsAuto: Type.Optional(Type.Literal("all", { description: "`all`: read every field." })),
  dynamicMappingsInput: Type.Optional(
    Type.Array(
      open({
        mapToName: Type.Optional(Type.String({ description: "Your own name for it." })),
        mapToDisplayName: Type.Optional(
          Type.String({ description: "Your name for it, shown to customers." }),
        ),
        prompt: Type.Optional(Type.String({ description: "Hint for the customer." })),
        mappedValues: Type.Optional(
          Type.Array(
            open({
              mappedValue: Type.Optional(Type.String({ description: "Your value." })),
              mappedDisplayValue: Type.Optional(
                Type.String({ description: "Your value, shown to customers." }),
              ),
            }),
            { description: "Mapped values of the field." },
          ),
        ),
        fieldName: Type.Optional(Type.String({ description: "The provider's name for the field." })),
      }),
      { description: "Mappings added for this customer." },
    ),
  ),
  backfill: Type.Optional(
    open(
      {
        defaultPeriod: described(PeriodSchema, "Period of the initial read."),
        fieldFilters: Type.Optional(
          Type.Array(FilterSchema, {
            description:
              "Reads only records that match all filters. Needs the provider's `features.fieldFilters`.",
          }),
        ),
      },
      { description: "Initial read of existing records." },
    ),
  ),
  fieldFilters: Type.Optional(
    Type.Array(FilterSchema, {
      description: "Reads only records that match all filters. Needs the provider's `features.fieldFilters`.",
    }),
  ),
  associatedObjects: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Busbar's own: objects whose associated records are listed with each record. Default: the manifest's.",
    }),
  ),
  deletedRecords: Type.Optional(
    described(
      Switch,
      "Busbar's own: `always` also delivers which records were deleted. Default: the manifest's.",
    ),
  ),
  ownWrites: OwnWritesMember,
};

const selectedFields = Type.Record(Type.String(), Type.Boolean(), {
  description: "Optional fields that the customer added, by name.",
});
const selectedFieldMappings = Type.Record(Type.String(), Type.String(), {
  description: "Mapped name to the customer's field.",
});

const ReadInputSchema = open(
  {
    objectName: Type.Optional(Type.String({ description: "The provider's name for the object." })),
    selectedFields: Type.Optional(
      described(selectedFields, "Optional fields that the customer added, by name."),
    ),
    selectedFieldMappings: Type.Optional(selectedFieldMappings),
    ...readMembers,
  },
  { title: "ConfigReadObjectInput", description: "How to read an object for a customer." },
);
const ConfigReadObjectSchema = open(
  {
    objectName: Type.String({ description: "The provider's name for the object." }),
    selectedFields,
    selectedFieldMappings,
    ...readMembers,
  },
  { title: "ConfigReadObject", description: "How to read an object for a customer." },
);

const FieldSettingSchema = open(
  {
    default: Type.Optional(
      open(
        {
          stringValue: Type.Optional(Type.String({ description: "A string." })),
          integerValue: Type.Optional(Type.Integer({ description: "An integer." })),
          booleanValue: Type.Optional(Type.Boolean({ description: "A boolean." })),
        },
        { description: "Default value if a write has none. Exactly one member is set." },
      ),
    ),
    writeOnCreate: Type.Optional(described(Switch, "`never`: not sent in creates.")),
    writeOnUpdate: Type.Optional(
      Type.Union([Type.Literal("always"), Type.Literal("never"), Type.Literal("ifEmpty")], {
        description: "`never`: not sent in updates. `ifEmpty`: sent only if the record has no value.",
      }),
    ),
  },
  { title: "FieldSetting", description: "How to write one field." },
);

const writeMembers = {
  inheritMapping: Type.Optional(
    Type.Boolean({ description: "Whether writes use the field mapping of the read object." }),
  ),
  deletionSettings: Type.Optional(
    open(
      { enabled: Type.Boolean({ description: "Whether records may be deleted." }) },
      { description: "Deletion of records." },
    ),
  ),
  selectedFieldSettings: Type.Optional(
    Type.Record(Type.String(), FieldSettingSchema, { description: "How to write single fields, by name." }),
  ),
  /** Retired in favour of `selectedFieldSettings`, but the published UI still sends it. */
  selectedValueDefaults: Type.Optional(
    Type.Record(
      Type.String(),
      open({
        value: Type.Union([Type.String(), Type.Integer(), Type.Boolean()], {
          description: "The default value.",
        }),
        applyOnUpdate: Type.Optional(described(Switch, "Whether updates send it too.")),
      }),
      { description: "Deprecated, use `selectedFieldSettings`: default values, by field name." },
    ),
  ),
};

const WriteInputSchema = open(
  {
    objectName: Type.Optional(Type.String({ description: "The provider's name for the object." })),
    ...writeMembers,
  },
  { title: "ConfigWriteObjectInput", description: "How to write an object for a customer." },
);
const ConfigWriteObjectSchema = open(
  { objectName: Type.String({ description: "The provider's name for the object." }), ...writeMembers },
  { title: "ConfigWriteObject", description: "How to write an object for a customer." },
);

const subscribeMembers = {
  createEvent: Type.Optional(described(Event, "Events about created records.")),
  updateEvent: Type.Optional(
    open(
      {
        enabled: described(Switch, "`always` enables it."),
        watchFieldsAuto: Type.Optional(
          Type.Union([Type.Literal("all"), Type.Literal("selected")], {
            description:
              "`all`: a change of any field causes an event. `selected` is for manifests only: it is refused here.",
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
  otherEvents: Type.Optional(
    Type.Array(Type.String(), { description: "Further events, by the provider's names." }),
  ),
  ownWrites: OwnWritesMember,
  providerOptions: Type.Optional(
    open(
      {
        quotaOptimization: Type.Optional(
          open(
            { enabled: Type.Boolean({ description: "Whether it is enabled." }) },
            { description: "Saves the provider's quota. Needs the provider's `features.quotaOptimization`." },
          ),
        ),
      },
      { description: "Options for single providers." },
    ),
  ),
};

const SubscribeInputSchema = open(
  {
    objectName: Type.Optional(Type.String({ description: "The provider's name for the object." })),
    destination: Type.Optional(Type.String({ description: "Name of the destination to send to." })),
    inheritFieldsAndMappings: Type.Optional(
      Type.Boolean({ description: "Whether fields and mapping of the read object are used." }),
    ),
    ...subscribeMembers,
  },
  { title: "ConfigSubscribeObjectInput", description: "How to subscribe to an object for a customer." },
);
const ConfigSubscribeObjectSchema = open(
  {
    objectName: Type.String({ description: "The provider's name for the object." }),
    destination: Type.String({ description: "Name of the destination to send to." }),
    inheritFieldsAndMappings: Type.Boolean({
      description: "Whether fields and mapping of the read object are used.",
    }),
    ...subscribeMembers,
  },
  { title: "ConfigSubscribeObject", description: "How to subscribe to an object for a customer." },
);

const ProxySchema = open({
  enabled: Type.Optional(Type.Boolean({ description: "Whether the proxy is enabled." })),
});

/** What create and update accept: members that the manifest supplies may be left out. */
export const ConfigInputSchema = open(
  {
    provider: Type.Optional(
      Type.String({ description: "The provider's name in the catalog (`GET /v1/providers`)." }),
    ),
    read: Type.Optional(
      open(
        {
          objects: Type.Optional(
            Type.Record(Type.String(), ReadInputSchema, { description: "Objects to read." }),
          ),
        },
        { description: "Settings for reading." },
      ),
    ),
    write: Type.Optional(
      open(
        {
          objects: Type.Optional(
            Type.Record(Type.String(), WriteInputSchema, { description: "Objects to write." }),
          ),
        },
        { description: "Settings for writing." },
      ),
    ),
    subscribe: Type.Optional(
      open(
        {
          objects: Type.Optional(
            Type.Record(Type.String(), SubscribeInputSchema, { description: "Objects to subscribe to." }),
          ),
        },
        { description: "Settings for subscribing." },
      ),
    ),
    proxy: Type.Optional(described(ProxySchema, "Whether calls through the proxy are possible.")),
  },
  {
    title: "ConfigInput",
    description: "A customer's configuration in a request. Members that the manifest supplies are optional.",
  },
);

/** What is stored and returned: each object carries the members that clients rely on. */
export const ConfigContentSchema = open(
  {
    provider: Type.String({ description: "The provider's name in the catalog (`GET /v1/providers`)." }),
    read: Type.Optional(
      open(
        { objects: Type.Record(Type.String(), ConfigReadObjectSchema, { description: "Objects to read." }) },
        { description: "Settings for reading." },
      ),
    ),
    write: Type.Optional(
      open(
        {
          objects: Type.Optional(
            Type.Record(Type.String(), ConfigWriteObjectSchema, { description: "Objects to write." }),
          ),
        },
        { description: "Settings for writing." },
      ),
    ),
    subscribe: Type.Optional(
      open(
        {
          objects: Type.Record(Type.String(), ConfigSubscribeObjectSchema, {
            description: "Objects to subscribe to.",
          }),
        },
        { description: "Settings for subscribing." },
      ),
    ),
    proxy: Type.Optional(described(ProxySchema, "Whether calls through the proxy are possible.")),
  },
  {
    title: "ConfigContent",
    description: "A customer's configuration. Unknown members are stored unchanged.",
  },
);

export type ConfigInput = Static<typeof ConfigInputSchema>;
export type ConfigContent = Static<typeof ConfigContentSchema>;
export type ConfigReadObject = Static<typeof ConfigReadObjectSchema>;
export type ConfigWriteObject = Static<typeof ConfigWriteObjectSchema>;
export type ConfigSubscribeObject = Static<typeof ConfigSubscribeObjectSchema>;

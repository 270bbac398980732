/** The shape of an installation's configuration (`config.content`): as accepted, and as stored and returned. */
import { Type, type Static, type TProperties } from "typebox";
import { PeriodSchema } from "./manifest.ts";

/** Unknown members belong to the builder and are kept. */
const open = <T extends TProperties>(properties: T, title?: string) =>
  Type.Object(properties, { additionalProperties: true, ...(title && { title }) });
const texts = Type.Record(Type.String(), Type.String());
const Switch = Type.Union([Type.Literal("always"), Type.Literal("never")]);
const Event = open({ enabled: Switch });

const FilterSchema = open(
  {
    fieldName: Type.String(),
    operator: Type.Literal("eq"),
    value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
  },
  "FieldFilter",
);

const readMembers = {
  schedule: Type.Optional(Type.String()),
  disabled: Type.Optional(Type.Boolean()),
  destination: Type.Optional(Type.String()),
  selectedValueMappings: Type.Optional(
    Type.Record(Type.String(), texts, { description: "By field: delivered value to the provider's value." }),
  ),
  selectedFieldsAuto: Type.Optional(Type.Literal("all")),
  dynamicMappingsInput: Type.Optional(
    Type.Array(
      open({
        mapToName: Type.Optional(Type.String()),
        mapToDisplayName: Type.Optional(Type.String()),
        prompt: Type.Optional(Type.String()),
        mappedValues: Type.Optional(
          Type.Array(
            open({
              mappedValue: Type.Optional(Type.String()),
              mappedDisplayValue: Type.Optional(Type.String()),
            }),
          ),
        ),
        fieldName: Type.Optional(Type.String()),
      }),
    ),
  ),
  backfill: Type.Optional(
    open({ defaultPeriod: PeriodSchema, fieldFilters: Type.Optional(Type.Array(FilterSchema)) }),
  ),
  fieldFilters: Type.Optional(Type.Array(FilterSchema)),
};

const selectedFields = Type.Record(Type.String(), Type.Boolean());
const selectedFieldMappings = Type.Record(Type.String(), Type.String(), {
  description: "Mapped name to the customer's field.",
});

const ReadInputSchema = open(
  {
    objectName: Type.Optional(Type.String()),
    selectedFields: Type.Optional(selectedFields),
    selectedFieldMappings: Type.Optional(selectedFieldMappings),
    ...readMembers,
  },
  "ConfigReadObjectInput",
);
export const ConfigReadObjectSchema = open(
  {
    objectName: Type.String(),
    selectedFields,
    selectedFieldMappings,
    ...readMembers,
  },
  "ConfigReadObject",
);

export const FieldSettingSchema = open(
  {
    default: Type.Optional(
      open({
        stringValue: Type.Optional(Type.String()),
        integerValue: Type.Optional(Type.Integer()),
        booleanValue: Type.Optional(Type.Boolean()),
      }),
    ),
    writeOnCreate: Type.Optional(Switch),
    writeOnUpdate: Type.Optional(
      Type.Union([Type.Literal("always"), Type.Literal("never"), Type.Literal("ifEmpty")]),
    ),
  },
  "FieldSetting",
);

const writeMembers = {
  inheritMapping: Type.Optional(Type.Boolean()),
  deletionSettings: Type.Optional(open({ enabled: Type.Boolean() })),
  selectedFieldSettings: Type.Optional(Type.Record(Type.String(), FieldSettingSchema)),
  /** Retired in favour of `selectedFieldSettings`, but the published UI still sends it. */
  selectedValueDefaults: Type.Optional(
    Type.Record(
      Type.String(),
      open({
        value: Type.Union([Type.String(), Type.Integer(), Type.Boolean()]),
        applyOnUpdate: Type.Optional(Switch),
      }),
    ),
  ),
};

const WriteInputSchema = open(
  { objectName: Type.Optional(Type.String()), ...writeMembers },
  "ConfigWriteObjectInput",
);
export const ConfigWriteObjectSchema = open(
  { objectName: Type.String(), ...writeMembers },
  "ConfigWriteObject",
);

const subscribeMembers = {
  createEvent: Type.Optional(Event),
  updateEvent: Type.Optional(
    open({
      enabled: Switch,
      watchFieldsAuto: Type.Optional(Type.Union([Type.Literal("all"), Type.Literal("selected")])),
      requiredWatchFields: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  deleteEvent: Type.Optional(Event),
  otherEvents: Type.Optional(Type.Array(Type.String())),
  providerOptions: Type.Optional(
    open({ quotaOptimization: Type.Optional(open({ enabled: Type.Boolean() })) }),
  ),
};

const SubscribeInputSchema = open(
  {
    objectName: Type.Optional(Type.String()),
    destination: Type.Optional(Type.String()),
    inheritFieldsAndMappings: Type.Optional(Type.Boolean()),
    ...subscribeMembers,
  },
  "ConfigSubscribeObjectInput",
);
export const ConfigSubscribeObjectSchema = open(
  {
    objectName: Type.String(),
    destination: Type.String(),
    inheritFieldsAndMappings: Type.Boolean(),
    ...subscribeMembers,
  },
  "ConfigSubscribeObject",
);

const ProxySchema = open({ enabled: Type.Optional(Type.Boolean()) });

/** What create and update accept: members that the manifest supplies may be left out. */
export const ConfigInputSchema = open(
  {
    provider: Type.Optional(Type.String()),
    read: Type.Optional(open({ objects: Type.Optional(Type.Record(Type.String(), ReadInputSchema)) })),
    write: Type.Optional(open({ objects: Type.Optional(Type.Record(Type.String(), WriteInputSchema)) })),
    subscribe: Type.Optional(
      open({ objects: Type.Optional(Type.Record(Type.String(), SubscribeInputSchema)) }),
    ),
    proxy: Type.Optional(ProxySchema),
  },
  "ConfigInput",
);

/** What is stored and returned: each object carries the members that clients rely on. */
export const ConfigContentSchema = open(
  {
    provider: Type.String(),
    read: Type.Optional(open({ objects: Type.Record(Type.String(), ConfigReadObjectSchema) })),
    write: Type.Optional(
      open({ objects: Type.Optional(Type.Record(Type.String(), ConfigWriteObjectSchema)) }),
    ),
    subscribe: Type.Optional(open({ objects: Type.Record(Type.String(), ConfigSubscribeObjectSchema) })),
    proxy: Type.Optional(ProxySchema),
  },
  "ConfigContent",
);

export type ConfigInput = Static<typeof ConfigInputSchema>;
export type ConfigContent = Static<typeof ConfigContentSchema>;
export type ConfigReadObject = Static<typeof ConfigReadObjectSchema>;
export type ConfigWriteObject = Static<typeof ConfigWriteObjectSchema>;
export type ConfigSubscribeObject = Static<typeof ConfigSubscribeObjectSchema>;
export type FieldSetting = Static<typeof FieldSettingSchema>;

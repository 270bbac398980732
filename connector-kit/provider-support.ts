/** What manifests may use of a provider or a module of it: the flags of `support`, and Busbar's own `features`. */
import { Type, type Static } from "typebox";
import { described } from "../ground/described.ts";

const Flags = Type.Object({
  insert: Type.Boolean({ description: "Whether inserts are supported." }),
  update: Type.Boolean({ description: "Whether updates are supported." }),
  upsert: Type.Boolean({ description: "Whether upserts are supported." }),
  delete: Type.Boolean({ description: "Whether deletes are supported." }),
});

const BatchAbility = Type.Object({
  supported: Type.Boolean({ description: "Whether the provider accepts several records in one request." }),
  defaultRecordLimit: Type.Optional(
    Type.Integer({ description: "Maximum number of records in one request." }),
  ),
  objectRecordLimits: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      description: "Maximum for objects that differ, by object name.",
    }),
  ),
});

/** Which actions a manifest may declare for the provider or module. */
export const SupportSchema = Type.Object(
  {
    bulkWrite: described(Flags, "Actions of the provider's own bulk API."),
    proxy: Type.Boolean({ description: "Whether calls through the proxy are possible." }),
    read: Type.Boolean({ description: "Whether objects can be read." }),
    subscribe: Type.Boolean({ description: "Whether changes can be subscribed to." }),
    write: Type.Boolean({ description: "Whether records can be written." }),
    delete: Type.Boolean({ description: "Whether records can be deleted." }),
    search: Type.Object(
      {
        operators: Type.Object(
          { equals: Type.Boolean({ description: "Whether a search for equal values is possible." }) },
          { description: "Comparison operators of a search." },
        ),
      },
      { description: "How records can be searched." },
    ),
    subscribeSupport: Type.Optional(
      Type.Object(
        {
          create: Type.Optional(Type.Boolean({ description: "Whether creates are reported." })),
          update: Type.Optional(Type.Boolean({ description: "Whether updates are reported." })),
          delete: Type.Optional(Type.Boolean({ description: "Whether deletes are reported." })),
          passThrough: Type.Optional(
            Type.Boolean({ description: "Whether other events of the provider are passed on." }),
          ),
        },
        { description: "Changes that a subscription reports." },
      ),
    ),
    batchWrite: Type.Optional(
      Type.Object(
        {
          create: described(BatchAbility, "Batches of creates."),
          update: described(BatchAbility, "Batches of updates."),
          upsert: described(BatchAbility, "Batches of upserts."),
          delete: described(BatchAbility, "Batches of deletes."),
        },
        { description: "Which writes accept several records in one request." },
      ),
    ),
  },
  { title: "ProviderSupport", description: "Actions that a manifest may declare for the provider." },
);

export const SubscribeRequirementsSchema = Type.Object(
  {
    registration: Type.Optional(Type.Boolean({ description: "Whether the app must be registered first." })),
    maintenance: Type.Optional(
      Type.Boolean({ description: "Whether subscriptions must be renewed regularly." }),
    ),
    postProcess: Type.Optional(
      Type.Boolean({ description: "Whether received events need further processing." }),
    ),
    subscribeByAPI: Type.Optional(
      Type.Boolean({ description: "Whether subscriptions are created through the provider's API." }),
    ),
  },
  { title: "SubscribeRequirements", description: "What the provider requires for subscriptions." },
);

export const FeaturesSchema = Type.Object(
  {
    ifEmpty: Type.Optional(
      Type.Boolean({ description: "Whether `ifEmpty` works: current values can be read before an update." }),
    ),
    associations: Type.Optional(
      Type.Boolean({ description: "Whether a new record can be associated with others when it is written." }),
    ),
    writeHeaders: Type.Optional(
      Type.Boolean({ description: "Whether a write can pass extra headers to the provider." }),
    ),
    upsert: Type.Optional(
      Type.Boolean({ description: "Whether the provider itself creates or updates by a key." }),
    ),
    fieldFilters: Type.Optional(
      Type.Boolean({ description: "Whether reading can be limited by field values." }),
    ),
    quotaOptimization: Type.Optional(
      Type.Boolean({ description: "Whether subscriptions can be set to save the provider's quota." }),
    ),
    subscribeObjectLimit: Type.Optional(
      Type.Integer({ description: "How many objects can be subscribed to in one integration." }),
    ),
    standardObjects: Type.Optional(
      Type.Unsafe<readonly string[]>(
        Type.Array(Type.String(), {
          description:
            "Names of objects that nearly every account has, where only the account knows all; a manifest is warned of names " +
            "that nearly resemble one.",
        }),
      ),
    ),
    backfill: Type.Optional(
      Type.Object(
        {
          fullHistoryOnly: Type.Optional(Type.Boolean({ description: "Only the full history can be read." })),
          mostDays: Type.Optional(
            Type.Record(Type.String(), Type.Integer(), {
              description: "The longest period in days, by object name.",
            }),
          ),
        },
        { description: "Limits on how far back a backfill may go." },
      ),
    ),
  },
  {
    title: "ProviderFeatures",
    description:
      "Busbar's own: what manifests, configurations and writes can use beyond the flags of `support`.",
  },
);

export type Support = Static<typeof SupportSchema>;
export type Features = Static<typeof FeaturesSchema>;

/** What Busbar knows about a provider as data: how to authenticate, where its API lives, what may be declared. */
import { Type, type Static } from "typebox";
import { ApiKeySchema, BasicSchema, CustomSchema, Oauth2Schema, TokenField } from "./auth-options.ts";

const Flags = Type.Object({
  insert: Type.Boolean(),
  update: Type.Boolean(),
  upsert: Type.Boolean(),
  delete: Type.Boolean(),
});

const BatchAbility = Type.Object({
  supported: Type.Boolean(),
  defaultRecordLimit: Type.Optional(Type.Integer()),
  objectRecordLimits: Type.Optional(Type.Record(Type.String(), Type.Integer())),
});

/** Which actions a manifest may declare for the provider or module. */
export const SupportSchema = Type.Object(
  {
    bulkWrite: Flags,
    proxy: Type.Boolean(),
    read: Type.Boolean(),
    subscribe: Type.Boolean(),
    write: Type.Boolean(),
    delete: Type.Boolean(),
    search: Type.Object({ operators: Type.Object({ equals: Type.Boolean() }) }),
    subscribeSupport: Type.Optional(
      Type.Object({
        create: Type.Optional(Type.Boolean()),
        update: Type.Optional(Type.Boolean()),
        delete: Type.Optional(Type.Boolean()),
        passThrough: Type.Optional(Type.Boolean()),
      }),
    ),
    batchWrite: Type.Optional(
      Type.Object({
        create: BatchAbility,
        update: BatchAbility,
        upsert: BatchAbility,
        delete: BatchAbility,
      }),
    ),
  },
  { title: "ProviderSupport" },
);

const SubscribeRequirementsSchema = Type.Object(
  {
    registration: Type.Optional(Type.Boolean()),
    maintenance: Type.Optional(Type.Boolean()),
    postProcess: Type.Optional(Type.Boolean()),
    subscribeByAPI: Type.Optional(Type.Boolean()),
  },
  { title: "SubscribeRequirements" },
);

const MetadataItem = Type.Object(
  {
    name: Type.String(),
    displayName: Type.Optional(Type.String()),
    prompt: Type.Optional(Type.String()),
    defaultValue: Type.Optional(Type.String()),
    docsURL: Type.Optional(Type.String()),
    moduleDependencies: Type.Optional(Type.Record(Type.String(), Type.Object({}))),
    /** Ours: host endings that people paste along with the value, for example `.lightning.force.com`; cut off. */
    pastedSuffixes: Type.Optional(Type.Array(Type.String())),
  },
  { title: "ProviderInput" },
);

const FeaturesSchema = Type.Object(
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
    fieldFilters: Type.Optional(
      Type.Boolean({ description: "Whether reading can be limited by field values." }),
    ),
    quotaOptimization: Type.Optional(
      Type.Boolean({ description: "Whether subscriptions can be set to save the provider's quota." }),
    ),
    subscribeObjectLimit: Type.Optional(
      Type.Integer({ description: "How many objects can be subscribed to in one integration." }),
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

const ModuleSchema = Type.Object(
  {
    displayName: Type.String(),
    baseURL: Type.String(),
    support: SupportSchema,
    /** Ours: overrides the provider's features, member by member. */
    features: Type.Optional(FeaturesSchema),
    subscribeRequirements: Type.Optional(SubscribeRequirementsSchema),
  },
  { title: "ProviderModule" },
);

const Icons = Type.Object({ iconURL: Type.Optional(Type.String()), logoURL: Type.Optional(Type.String()) });

/**
 * A provider as the API shows it and as an overlay may write it. Strings may hold `{{.name}}` placeholders that a
 * connection's metadata fills.
 */
export const ProviderInfoSchema = Type.Object(
  {
    name: Type.String(),
    displayName: Type.Optional(Type.String()),
    authType: Type.Union([
      Type.Literal("oauth2"),
      Type.Literal("apiKey"),
      Type.Literal("basic"),
      Type.Literal("jwt"),
      Type.Literal("custom"),
      Type.Literal("none"),
    ]),
    baseURL: Type.String(),
    /** Empty text when the provider has no modules. */
    defaultModule: Type.String(),
    support: SupportSchema,
    /** Ours. What the connector's write can do (`ifEmpty`, `associations`, `writeHeaders`) is filled in from its code. */
    features: Type.Optional(FeaturesSchema),
    oauth2Opts: Type.Optional(Oauth2Schema),
    apiKeyOpts: Type.Optional(ApiKeySchema),
    basicOpts: Type.Optional(BasicSchema),
    customOpts: Type.Optional(CustomSchema),
    authHealthCheck: Type.Optional(
      Type.Object({
        url: Type.String(),
        method: Type.Optional(Type.String()),
        successStatusCodes: Type.Optional(Type.Array(Type.Integer())),
      }),
    ),
    postAuthInfoNeeded: Type.Optional(Type.Boolean()),
    /** Ours: the call that says what `metadata.postAuthentication` names, made when the account is connected. */
    accountInfo: Type.Optional(
      Type.Object({
        url: Type.String(),
        /** Where the answer lists several: the one whose `where` is `equals`; the first while a value for that is missing. */
        pick: Type.Optional(
          Type.Object({ list: Type.Optional(Type.String()), where: Type.String(), equals: Type.String() }),
        ),
        fields: Type.Array(TokenField),
        /** Which of the fields tells the account from others. */
        workspaceField: Type.Optional(Type.String()),
      }),
    ),
    media: Type.Optional(Type.Object({ regular: Type.Optional(Icons), darkMode: Type.Optional(Icons) })),
    labels: Type.Optional(Type.Record(Type.String(), Type.String())),
    subscribeRequirements: Type.Optional(SubscribeRequirementsSchema),
    modules: Type.Optional(Type.Record(Type.String(), ModuleSchema)),
    metadata: Type.Optional(
      Type.Object({
        input: Type.Optional(Type.Array(MetadataItem)),
        postAuthentication: Type.Optional(
          Type.Array(
            Type.Object({
              name: Type.String(),
              moduleDependencies: Type.Optional(Type.Record(Type.String(), Type.Object({}))),
            }),
          ),
        ),
      }),
    ),
    providerAppMetadata: Type.Optional(
      Type.Object({
        authQueryParams: Type.Optional(Type.Array(MetadataItem)),
        providerParams: Type.Optional(Type.Array(MetadataItem)),
      }),
    ),
    /**
     * Ours: what the host must end with where it comes whole from the provider's answer or from the customer. A
     * template without a fixed host ending cannot be filled without it.
     */
    hostSuffixes: Type.Optional(Type.Array(Type.String())),
    /** Always empty: a retired member that one published SDK cannot decode the answer without. */
    providerOpts: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { title: "Provider" },
);

export type Support = Static<typeof SupportSchema>;
export type ProviderInfo = Static<typeof ProviderInfoSchema>;
export type Features = Static<typeof FeaturesSchema>;

/** The features of a module, or of the provider where the module has none of its own. */
export const featuresOf = (info: ProviderInfo | undefined, module: string | undefined): Features => {
  const key = module ?? info?.defaultModule ?? "";
  const modules = info?.modules ?? {};
  return { ...info?.features, ...(Object.hasOwn(modules, key) ? modules[key]?.features : undefined) };
};

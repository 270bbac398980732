/** What Busbar knows about a provider as data: how to authenticate, where its API lives, what may be declared. */
import { Type, type Static } from "typebox";

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

const TokenField = Type.Object({
  name: Type.String(),
  displayName: Type.String(),
  path: Type.String(),
  capture: Type.Optional(Type.String()),
});

const Oauth2Schema = Type.Object(
  {
    grantType: Type.Union([
      Type.Literal("authorizationCode"),
      Type.Literal("authorizationCodePKCE"),
      Type.Literal("clientCredentials"),
      Type.Literal("password"),
    ]),
    authURL: Type.Optional(Type.String()),
    tokenURL: Type.String(),
    explicitScopesRequired: Type.Boolean(),
    explicitWorkspaceRequired: Type.Boolean(),
    audience: Type.Optional(Type.Array(Type.String())),
    scopeMappings: Type.Optional(Type.Record(Type.String(), Type.String())),
    tokenMetadataFields: Type.Object({
      workspaceRefField: Type.Optional(Type.String()),
      consumerRefField: Type.Optional(Type.String()),
      scopesField: Type.Optional(Type.String()),
      otherFields: Type.Optional(Type.Array(TokenField)),
    }),
    docsURL: Type.Optional(Type.String()),
    authURLParams: Type.Optional(Type.Record(Type.String(), Type.String())),
    accessTokenOpts: Type.Optional(
      Type.Object({
        attachmentType: Type.Literal("accessTokenHeaderAttachment"),
        header: Type.Optional(
          Type.Object({ name: Type.String(), valuePrefix: Type.Optional(Type.String()) }),
        ),
        docsURL: Type.Optional(Type.String()),
      }),
    ),
    keepAliveIntervalHours: Type.Optional(Type.Integer()),
    /** Ours: a refresh token that is presented twice revokes everything, so an unanswered one is never repeated. */
    reuseRevokes: Type.Optional(Type.Boolean()),
    /** Ours: where customers sign in who did not say which workspace is theirs; the token answer tells it then. */
    withoutWorkspace: Type.Optional(Type.Object({ authURL: Type.String(), tokenURL: Type.String() })),
    /** Ours: takes PKCE (RFC 7636) although it does not ask for it. */
    pkce: Type.Optional(Type.Boolean()),
    /** Ours: how the client proves itself at the token endpoint. A wrong guess can burn a single-use code. */
    tokenAuthStyle: Type.Optional(Type.Union([Type.Literal("body"), Type.Literal("basic")])),
  },
  { title: "OAuth2Options" },
);

const ApiKeySchema = Type.Object(
  {
    attachmentType: Type.Union([Type.Literal("query"), Type.Literal("header")]),
    query: Type.Optional(Type.Object({ name: Type.String() })),
    header: Type.Optional(Type.Object({ name: Type.String(), valuePrefix: Type.Optional(Type.String()) })),
    docsURL: Type.Optional(Type.String()),
  },
  { title: "ApiKeyOptions" },
);

const BasicSchema = Type.Object(
  {
    apiKeyAsBasic: Type.Optional(Type.Boolean()),
    apiKeyAsBasicOpts: Type.Optional(
      Type.Object({
        fieldUsed: Type.Optional(Type.Union([Type.Literal("username"), Type.Literal("password")])),
        /** The whole `user:password` text, with `%s` where the key goes. */
        keyFormat: Type.Optional(Type.String()),
      }),
    ),
    docsURL: Type.Optional(Type.String()),
  },
  { title: "BasicAuthOptions" },
);

const Template = Type.Object({ name: Type.String(), valueTemplate: Type.String() });

const CustomInput = Type.Object(
  {
    name: Type.String(),
    displayName: Type.String(),
    prompt: Type.Optional(Type.String()),
    docsURL: Type.Optional(Type.String()),
    fieldType: Type.Optional(
      Type.Union([
        Type.Literal("fieldTypeText"),
        Type.Literal("fieldTypePassword"),
        Type.Literal("fieldTypeSelect"),
      ]),
    ),
    options: Type.Optional(Type.Array(Type.Object({ value: Type.String(), label: Type.String() }))),
  },
  { title: "CustomAuthInput" },
);

const Templates = Type.Record(Type.String(), Type.String());

/** What a step brings, by name: `take` is kept as a secret, `metadata` is shown with the connection. */
const Brings = {
  take: Type.Optional(Templates),
  metadata: Type.Optional(Templates),
};

const RedirectSchema = Type.Object(
  {
    url: Type.String(),
    /** Query parameters. `{{.callbackURL}}` and `{{.state}}` are there; a state that is sent must come back. */
    params: Type.Optional(Templates),
    /** Parameters that must come back with these values, in whatever case. */
    expect: Type.Optional(Templates),
    /** Names of parameters that come back. They came through the customer's browser: proof of nothing. */
    ...Brings,
  },
  { title: "CustomAuthRedirect" },
);

const RequestSchema = Type.Object(
  {
    method: Type.Union([Type.Literal("GET"), Type.Literal("POST")]),
    url: Type.String(),
    /** Query parameters; unlike what stands in the address they may hold any character. */
    params: Type.Optional(Templates),
    basic: Type.Optional(Type.Object({ username: Type.String(), password: Type.String() })),
    headers: Type.Optional(Templates),
    /** A body in form encoding. */
    form: Type.Optional(Templates),
    /** A body of JSON texts. */
    json: Type.Optional(Templates),
    /** Dotted paths into the answer, for example `data.token`. */
    ...Brings,
    /** Path of the seconds that the values serve. */
    expiresIn: Type.Optional(Type.String()),
    /** Values made of others: the template filled, then in Base64. */
    base64: Type.Optional(Templates),
  },
  { title: "CustomAuthRequest" },
);

/** Ours: the customer is sent to a page of the provider and comes back to ours, or we call the provider. */
const StepSchema = Type.Object(
  { redirect: Type.Optional(RedirectSchema), request: Type.Optional(RequestSchema) },
  { title: "CustomAuthStep" },
);

const CustomSchema = Type.Object(
  {
    headers: Type.Optional(Type.Array(Template)),
    queryParams: Type.Optional(Type.Array(Template)),
    inputs: Type.Optional(Type.Array(CustomInput)),
    providerInputs: Type.Optional(Type.Array(CustomInput)),
    multiStep: Type.Optional(Type.Boolean()),
    /** Ours: what leads from the inputs to the values that `headers` and `queryParams` want. */
    connectSteps: Type.Optional(Type.Array(StepSchema)),
    /** Ours: what gets new values when the provider refuses the old ones, or they run out. */
    refreshSteps: Type.Optional(Type.Array(Type.Object({ request: RequestSchema }))),
  },
  { title: "CustomAuthOptions" },
);

const ModuleSchema = Type.Object(
  {
    displayName: Type.String(),
    baseURL: Type.String(),
    support: SupportSchema,
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
export type Redirect = Static<typeof RedirectSchema>;
export type StepRequest = Static<typeof RequestSchema>;
type Oauth2Info = Static<typeof Oauth2Schema>;
type Oauth2Default = "explicitScopesRequired" | "explicitWorkspaceRequired" | "tokenMetadataFields";

/** What a connector folder writes: the folder gives the name, `completeProvider` what most providers share. */
export type ProviderFacts = Omit<ProviderInfo, "name" | "providerOpts" | "defaultModule" | "oauth2Opts"> & {
  defaultModule?: string;
  oauth2Opts?: Omit<Oauth2Info, Oauth2Default> & Partial<Pick<Oauth2Info, Oauth2Default>>;
};

/** Declares a provider; a function only so that mistakes show where they are made. */
export const defineProvider = (facts: ProviderFacts): ProviderFacts => facts;

/** The facts of a folder as the API shows them. */
export function completeProvider(name: string, facts: ProviderFacts): ProviderInfo {
  const { oauth2Opts, ...rest } = facts;
  const info: ProviderInfo = { displayName: name, defaultModule: "", ...rest, name, providerOpts: {} };
  if (oauth2Opts) info.oauth2Opts = { ...OAUTH2_DEFAULTS, ...oauth2Opts };
  return info;
}

/** What an OAuth2 provider is unless it says otherwise. */
export const OAUTH2_DEFAULTS: Pick<Oauth2Info, Oauth2Default> = {
  explicitScopesRequired: false,
  explicitWorkspaceRequired: false,
  tokenMetadataFields: {},
};

type Action = "read" | "write" | "proxy" | "subscribe" | "delete" | "search";

/**
 * The support flags of a provider: the actions it offers, and for what needs more than a flag `batchWrite()`,
 * `bulkWrite()`.
 */
export function supports(...abilities: (Action | Partial<Support>)[]): Support {
  const has = (action: Action) => abilities.includes(action);
  const flags: Support = {
    bulkWrite: { insert: false, update: false, upsert: false, delete: false },
    proxy: has("proxy"),
    read: has("read"),
    subscribe: has("subscribe"),
    write: has("write"),
    delete: has("delete"),
    search: { operators: { equals: has("search") } },
  };
  return Object.assign(flags, ...abilities.filter((ability) => typeof ability === "object"));
}

/** Create and update take several records in one request, up to `recordLimit`. */
export const batchWrite = (recordLimit: number): Partial<Support> => ({
  batchWrite: {
    create: { supported: true, defaultRecordLimit: recordLimit },
    update: { supported: true, defaultRecordLimit: recordLimit },
    upsert: { supported: false },
    delete: { supported: false },
  },
});

/** The provider's own asynchronous bulk interface takes these. */
export const bulkWrite = (...actions: (keyof Support["bulkWrite"])[]): Partial<Support> => ({
  bulkWrite: {
    insert: actions.includes("insert"),
    update: actions.includes("update"),
    upsert: actions.includes("upsert"),
    delete: actions.includes("delete"),
  },
});

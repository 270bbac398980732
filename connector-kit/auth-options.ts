/** How a provider authenticates, as data: options of OAuth 2, API keys, HTTP Basic, and custom sign-in steps. */
import { Type, type Static } from "typebox";

export const TokenField = Type.Object({
  name: Type.String(),
  displayName: Type.String(),
  path: Type.String(),
  capture: Type.Optional(Type.String()),
});

export const Oauth2Schema = Type.Object(
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

export const ApiKeySchema = Type.Object(
  {
    attachmentType: Type.Union([Type.Literal("query"), Type.Literal("header")]),
    query: Type.Optional(Type.Object({ name: Type.String() })),
    header: Type.Optional(Type.Object({ name: Type.String(), valuePrefix: Type.Optional(Type.String()) })),
    docsURL: Type.Optional(Type.String()),
  },
  { title: "ApiKeyOptions" },
);

export const BasicSchema = Type.Object(
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

export const CustomSchema = Type.Object(
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

export type Oauth2Options = Static<typeof Oauth2Schema>;
export type Redirect = Static<typeof RedirectSchema>;
export type StepRequest = Static<typeof RequestSchema>;

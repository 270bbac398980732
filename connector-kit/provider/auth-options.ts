/** How a provider authenticates, as data: options of OAuth 2, API keys, HTTP Basic, and custom sign-in steps. */
import { Type, type Static } from "typebox";
import { described } from "../../ground/described.ts";

export const TokenField = Type.Object({
  name: Type.String({ description: "Name under which the value is stored." }),
  displayName: Type.String({ description: "Display name." }),
  path: Type.String({ description: "Path in the response." }),
  capture: Type.Optional(Type.String({ description: "Regular expression. Its first group is the value." })),
});

export const Oauth2Schema = Type.Object(
  {
    grantType: Type.Union(
      [
        Type.Literal("authorizationCode"),
        Type.Literal("authorizationCodePKCE"),
        Type.Literal("clientCredentials"),
        Type.Literal("password"),
      ],
      { description: "OAuth grant type." },
    ),
    authURL: Type.Optional(Type.String({ description: "Authorization URL." })),
    tokenURL: Type.String({ description: "Token URL." }),
    explicitScopesRequired: Type.Boolean({ description: "Whether a provider app must list its scopes." }),
    explicitWorkspaceRequired: Type.Boolean({
      description: "Whether the customer must enter a workspace first.",
    }),
    audience: Type.Optional(Type.Array(Type.String(), { description: "Audience of the token." })),
    scopeMappings: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "The provider's names for scopes, by scope.",
      }),
    ),
    tokenMetadataFields: Type.Object(
      {
        workspaceRefField: Type.Optional(Type.String({ description: "Member with the workspace." })),
        consumerRefField: Type.Optional(Type.String({ description: "Member with the user." })),
        scopesField: Type.Optional(Type.String({ description: "Member with the granted scopes." })),
        otherFields: Type.Optional(Type.Array(TokenField, { description: "Further members to store." })),
      },
      { description: "Members of the token response that describe the account." },
    ),
    docsURL: Type.Optional(Type.String({ description: "URL of the provider's documentation." })),
    authURLParams: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Query parameters for the authorization URL, by name.",
      }),
    ),
    accessTokenOpts: Type.Optional(
      Type.Object(
        {
          attachmentType: Type.Literal("accessTokenHeaderAttachment", {
            description: "Where to send the token.",
          }),
          header: Type.Optional(
            Type.Object(
              {
                name: Type.String({ description: "Name of the header." }),
                valuePrefix: Type.Optional(
                  Type.String({ description: "Prefix of the value, for example `Bearer `." }),
                ),
              },
              { description: "The header to send it in." },
            ),
          ),
          docsURL: Type.Optional(Type.String({ description: "URL of the provider's documentation." })),
        },
        { description: "How to send the access token. Default: `Authorization: Bearer`." },
      ),
    ),
    keepAliveIntervalHours: Type.Optional(
      Type.Integer({ description: "Hours between refreshes that keep an unused refresh token valid." }),
    ),
    reuseRevokes: Type.Optional(
      Type.Boolean({
        description:
          "Busbar's own: whether the provider revokes all tokens if a refresh token is used twice. A " +
          "refresh of a process that died is then repeated only after its late result was waited for.",
      }),
    ),
    withoutWorkspace: Type.Optional(
      Type.Object(
        {
          authURL: Type.String({ description: "Authorization URL." }),
          tokenURL: Type.String({ description: "Token URL." }),
        },
        {
          description:
            "Busbar's own: URLs for customers who entered no workspace. The token response names it then.",
        },
      ),
    ),
    callbackFields: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: "Name of the query parameter, and of the stored value." }),
          displayName: Type.String({ description: "Display name." }),
        }),
        { description: "Busbar's own: query parameters of the OAuth callback to store." },
      ),
    ),
    pkce: Type.Optional(
      Type.Boolean({
        description:
          "Busbar's own: whether the provider accepts PKCE (RFC 7636) although it does not require it.",
      }),
    ),
    tokenAuthStyle: Type.Optional(
      Type.Union([Type.Literal("body"), Type.Literal("basic")], {
        description:
          "Busbar's own: how the client authenticates at the token endpoint. A wrong guess can use up a " +
          "single-use code.",
      }),
    ),
    tokenParams: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          "Busbar's own: further parameters of the request that exchanges a code for a token, by name.",
      }),
    ),
    tokenExchange: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          "Busbar's own: parameters, besides `subject_token`, of the request that exchanges a token without a lifetime for one that is " +
          "refreshed (RFC 8693). It is sent when a connection without a refresh token is refreshed by force: the old token ends by it.",
      }),
    ),
    scopeSeparator: Type.Optional(
      Type.String({
        description:
          "Busbar's own: what stands between two scopes in the authorization URL. Default: a space, as in RFC 6749.",
      }),
    ),
  },
  { title: "OAuth2Options", description: "Options of OAuth 2." },
);

export const ApiKeySchema = Type.Object(
  {
    attachmentType: Type.Union([Type.Literal("query"), Type.Literal("header")], {
      description: "Where to send the key.",
    }),
    query: Type.Optional(
      Type.Object(
        { name: Type.String({ description: "Name of the query parameter." }) },
        { description: "The query parameter to send it in." },
      ),
    ),
    header: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: "Name of the header." }),
          valuePrefix: Type.Optional(
            Type.String({ description: "Prefix of the value, for example `Bearer `." }),
          ),
        },
        { description: "The header to send it in." },
      ),
    ),
    docsURL: Type.Optional(Type.String({ description: "URL of the provider's documentation." })),
  },
  { title: "ApiKeyOptions", description: "How to send the API key." },
);

export const BasicSchema = Type.Object(
  {
    apiKeyAsBasic: Type.Optional(
      Type.Boolean({ description: "Whether an API key is sent as user name or password." }),
    ),
    apiKeyAsBasicOpts: Type.Optional(
      Type.Object(
        {
          fieldUsed: Type.Optional(
            Type.Union([Type.Literal("username"), Type.Literal("password")], {
              description: "Whether the key is the user name or the password.",
            }),
          ),
          keyFormat: Type.Optional(
            Type.String({ description: "The whole `user:password` string, with `%s` for the key." }),
          ),
        },
        { description: "How to send the API key." },
      ),
    ),
    docsURL: Type.Optional(Type.String({ description: "URL of the provider's documentation." })),
  },
  { title: "BasicAuthOptions", description: "Options of basic authentication." },
);

export const AwsSignatureSchema = Type.Object(
  {
    service: Type.String({ description: "Name of the service in signatures, for example `identitystore`." }),
    region: Type.String({
      description: "Region in signatures: a name, or `{{.name}}` of an input that the customer fills.",
    }),
  },
  { title: "AwsSignatureOptions", description: "What an AWS signature is made for." },
);

const Template = Type.Object({
  name: Type.String({ description: "Name of the header or query parameter." }),
  valueTemplate: Type.String({
    description: "Template of the value. `{{.name}}` placeholders are filled in.",
  }),
});

const CustomInput = Type.Object(
  {
    name: Type.String({ description: "Name of the input." }),
    displayName: Type.String({ description: "Display name." }),
    prompt: Type.Optional(Type.String({ description: "Hint for the person who enters the value." })),
    docsURL: Type.Optional(Type.String({ description: "URL of the provider's documentation." })),
    fieldType: Type.Optional(
      Type.Union(
        [Type.Literal("fieldTypeText"), Type.Literal("fieldTypePassword"), Type.Literal("fieldTypeSelect")],
        { description: "Kind of input field." },
      ),
    ),
    options: Type.Optional(
      Type.Array(
        Type.Object({
          value: Type.String({ description: "Value of the option." }),
          label: Type.String({ description: "Display name of the option." }),
        }),
        { description: "Options to choose from." },
      ),
    ),
  },
  { title: "CustomAuthInput", description: "An input of a provider-specific authentication scheme." },
);

const Templates = Type.Record(Type.String(), Type.String());

/** What a step brings, by name: `take` is kept as a secret, `metadata` is shown with the connection. */
const Brings = {
  take: Type.Optional(described(Templates, "Secrets to store, by name: the path of each value.")),
  metadata: Type.Optional(
    described(Templates, "Metadata of the account to store, by name: the path of each value."),
  ),
};

const RedirectSchema = Type.Object(
  {
    url: Type.String({ description: "URL of the provider's page." }),
    params: Type.Optional(
      described(
        Templates,
        "Query parameters, by name. `{{.callbackURL}}` and `{{.state}}` are available; a state that is sent " +
          "must come back.",
      ),
    ),
    expect: Type.Optional(
      described(Templates, "Parameters that must come back with these values, ignoring case."),
    ),
    ...Brings,
  },
  {
    title: "CustomAuthRedirect",
    description: "Sends the customer to a page of the provider and stores values from the callback.",
  },
);

const AssertionSchema = Type.Object(
  {
    algorithm: Type.Union([Type.Literal("RS256"), Type.Literal("PS256"), Type.Literal("ES256")], {
      description: "Signature algorithm.",
    }),
    key: Type.String({ description: "Private key: PEM, or PEM in Base64." }),
    keyId: Type.Optional(Type.String({ description: "`kid` of the header." })),
    claims: described(Templates, "Claims besides `iat`, `exp` and `jti`, by name."),
    lifetimeSeconds: Type.Integer({ description: "Seconds from `iat` to `exp`." }),
  },
  { title: "SignedAssertion", description: "A JSON web token that the customer's key signs." },
);

const RequestSchema = Type.Object(
  {
    method: Type.Union([Type.Literal("GET"), Type.Literal("POST")], { description: "HTTP method." }),
    url: Type.String({ description: "URL to call." }),
    params: Type.Optional(
      described(Templates, "Query parameters, by name. Unlike in `url`, values may contain any character."),
    ),
    basic: Type.Optional(
      Type.Object(
        {
          username: Type.String({ description: "User name." }),
          password: Type.String({ description: "Password." }),
        },
        { description: "User name and password for basic authentication." },
      ),
    ),
    unpack: Type.Optional(
      Type.Object(
        {
          from: Type.String({ description: "Name of the value: a JSON object, or one in Base64." }),
          take: described(Templates, "Values to use in this request, by name: the path of each."),
        },
        {
          description: "Reads values out of a file that the customer entered, for example a service account.",
        },
      ),
    ),
    assertion: Type.Optional(
      described(AssertionSchema, "Signs an assertion, which is the value `assertion` of this request."),
    ),
    headers: Type.Optional(described(Templates, "Headers, by name.")),
    form: Type.Optional(described(Templates, "Body in form encoding, by name.")),
    json: Type.Optional(described(Templates, "Body as a JSON object of strings, by name.")),
    ...Brings,
    expiresIn: Type.Optional(
      Type.String({ description: "Path of the lifetime in seconds in the response." }),
    ),
    base64: Type.Optional(
      described(Templates, "Templates whose filled values are stored in Base64, by name."),
    ),
  },
  {
    title: "CustomAuthRequest",
    description:
      "Calls the provider and stores values from the response. Strings may contain `{{.name}}` placeholders.",
  },
);

/** Ours: the customer is sent to a page of the provider and comes back to ours, or we call the provider. */
const StepSchema = Type.Object(
  {
    redirect: Type.Optional(described(RedirectSchema, "Redirect of the customer.")),
    request: Type.Optional(described(RequestSchema, "Request to the provider.")),
  },
  { title: "CustomAuthStep", description: "One step of the sign-in. Exactly one of the two members is set." },
);

export const CustomSchema = Type.Object(
  {
    headers: Type.Optional(Type.Array(Template, { description: "Headers to send." })),
    queryParams: Type.Optional(Type.Array(Template, { description: "Query parameters to send." })),
    inputs: Type.Optional(Type.Array(CustomInput, { description: "Inputs of the customer." })),
    providerInputs: Type.Optional(Type.Array(CustomInput, { description: "Inputs of the provider app." })),
    multiStep: Type.Optional(Type.Boolean({ description: "Whether the sign-in has several steps." })),
    connectSteps: Type.Optional(
      Type.Array(StepSchema, {
        description:
          "Busbar's own: steps that turn the inputs into the values for `headers` and `queryParams`, in order.",
      }),
    ),
    refreshSteps: Type.Optional(
      Type.Array(Type.Object({ request: described(RequestSchema, "Request to the provider.") }), {
        description:
          "Busbar's own: steps that renew the values when they expire or the provider rejects them.",
      }),
    ),
  },
  { title: "CustomAuthOptions", description: "A provider-specific authentication scheme." },
);

export type Oauth2Options = Static<typeof Oauth2Schema>;
export type CustomOptions = Static<typeof CustomSchema>;
export type Assertion = Static<typeof AssertionSchema>;
export type Redirect = Static<typeof RedirectSchema>;
export type StepRequest = Static<typeof RequestSchema>;

/** What Busbar knows about a provider as data: how to authenticate, where its API lives, which modules it has. */
import { Type, type Static } from "typebox";
import {
  ApiKeySchema,
  AwsSignatureSchema,
  BasicSchema,
  CustomSchema,
  Oauth2Schema,
  TokenField,
} from "./provider/auth-options.ts";
import { EvidenceSchema } from "./provider-evidence.ts";
import { described } from "../ground/described.ts";
import {
  FeaturesSchema,
  SubscribeRequirementsSchema,
  SupportSchema,
  type Features,
} from "./provider-support.ts";

const MetadataItem = Type.Object(
  {
    name: Type.String({ description: "Name of the value." }),
    displayName: Type.Optional(Type.String({ description: "Display name." })),
    prompt: Type.Optional(Type.String({ description: "Hint for the person who enters the value." })),
    defaultValue: Type.Optional(Type.String({ description: "Value used if none is entered." })),
    docsURL: Type.Optional(Type.String({ description: "URL of the provider's documentation." })),
    moduleDependencies: Type.Optional(
      Type.Record(Type.String(), Type.Object({}), { description: "Modules that need the value, by name." }),
    ),
    pastedSuffixes: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Busbar's own: endings to cut off, because people paste them with the value, for example " +
          "`.lightning.force.com`.",
      }),
    ),
  },
  { title: "ProviderInput", description: "A value that a connection or a provider app needs." },
);

const ModuleSchema = Type.Object(
  {
    displayName: Type.String({ description: "Display name." }),
    baseURL: Type.String({ description: "Base URL of the API." }),
    support: described(SupportSchema, "Actions that a manifest may declare."),
    features: Type.Optional(
      described(FeaturesSchema, "Busbar's own: what can be used beyond the flags of `support`."),
    ),
    subscribeRequirements: Type.Optional(
      described(SubscribeRequirementsSchema, "What the provider requires for subscriptions."),
    ),
  },
  { title: "ProviderModule", description: "A part of a provider with an API of its own." },
);

const Icons = Type.Object({
  iconURL: Type.Optional(Type.String({ description: "URL of the icon." })),
  logoURL: Type.Optional(Type.String({ description: "URL of the logo." })),
});

/**
 * A provider as the API shows it and as an overlay may write it. Strings may hold `{{.name}}` placeholders that a
 * connection's metadata fills.
 */
export const ProviderInfoSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the provider, for example `hubspot`." }),
    displayName: Type.Optional(Type.String({ description: "Display name." })),
    authType: Type.Union(
      [
        Type.Literal("oauth2"),
        Type.Literal("apiKey"),
        Type.Literal("basic"),
        Type.Literal("jwt"),
        Type.Literal("custom"),
        Type.Literal("none"),
      ],
      { description: "Authentication scheme." },
    ),
    baseURL: Type.String({ description: "Base URL of the API." }),
    pubSubURL: Type.Optional(
      Type.String({
        description:
          "Busbar's own: origin of the provider's streaming API, which reports changes to subscriptions. Gets the " +
          "connection's access token. `http://` is HTTP/2 without TLS.",
      }),
    ),
    defaultModule: Type.String({
      description: "Module used if an integration names none. Empty if there are no modules.",
    }),
    support: described(SupportSchema, "Actions that a manifest may declare."),
    features: Type.Optional(
      described(FeaturesSchema, "Busbar's own: what can be used beyond the flags of `support`."),
    ),
    oauth2Opts: Type.Optional(described(Oauth2Schema, "Options for `oauth2`.")),
    apiKeyOpts: Type.Optional(described(ApiKeySchema, "Options for `apiKey`.")),
    basicOpts: Type.Optional(described(BasicSchema, "Options for `basic`.")),
    customOpts: Type.Optional(described(CustomSchema, "Options for `custom`.")),
    awsSignature: Type.Optional(
      described(
        AwsSignatureSchema,
        "Busbar's own: requests are signed with AWS Signature Version 4, for `basic`. The user name is the access key ID, " +
          "the password the secret access key; neither is sent.",
      ),
    ),
    fixedHeaders: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: "Name of the header." }),
          valueTemplate: Type.String({
            description: "Value. `{{.name}}` placeholders are filled from the connection's metadata.",
          }),
        }),
        {
          description:
            "Busbar's own: headers that every request needs besides the credentials, for example a version. " +
            "A header that the caller of the proxy sends takes precedence.",
        },
      ),
    ),
    documentationOnly: Type.Optional(
      Type.String({
        description:
          "Busbar's own: why this Busbar cannot call the provider. Its entry is for information, and " +
          "connections are refused.",
      }),
    ),
    authHealthCheck: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: "URL to call." }),
          method: Type.Optional(Type.String({ description: "HTTP method. Default: `GET`." })),
          awsService: Type.Optional(
            Type.String({
              description: "Busbar's own: service in the signature, if it is not that of `awsSignature`.",
            }),
          ),
          successStatusCodes: Type.Optional(
            Type.Array(Type.Integer(), { description: "Statuses of a successful check. Default: any 2xx." }),
          ),
          refusals: Type.Optional(
            Type.Array(
              Type.Object({
                status: Type.Integer({ description: "Status of the response." }),
                text: Type.String({ description: "Text that its body contains." }),
              }),
              {
                description:
                  "Busbar's own: responses besides 401 that mean that the credentials are invalid.",
              },
            ),
          ),
        },
        { description: "Request that checks whether credentials are valid." },
      ),
    ),
    postAuthInfoNeeded: Type.Optional(
      Type.Boolean({
        description: "Whether metadata of the account is requested from the provider after the sign-in.",
      }),
    ),
    accountInfo: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: "URL to call." }),
          pick: Type.Optional(
            Type.Object(
              {
                list: Type.Optional(Type.String({ description: "Path of the list in the response." })),
                where: Type.String({ description: "Member of an entry to compare." }),
                equals: Type.String({ description: "Value that it must have." }),
              },
              {
                description:
                  "Selects the entry whose `where` is `equals`, if the response is a list. The first, while " +
                  "the value to compare with is unknown.",
              },
            ),
          ),
          fields: Type.Array(TokenField, { description: "Members of the response to store." }),
          workspaceField: Type.Optional(
            Type.String({ description: "Name of the field that identifies the account." }),
          ),
        },
        {
          description:
            "Busbar's own: request that returns the metadata named in `metadata.postAuthentication`.",
        },
      ),
    ),
    media: Type.Optional(
      Type.Object(
        {
          regular: Type.Optional(described(Icons, "For a light background.")),
          darkMode: Type.Optional(described(Icons, "For a dark background.")),
        },
        { description: "Icons and logos." },
      ),
    ),
    labels: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Labels, by name." })),
    subscribeRequirements: Type.Optional(
      described(SubscribeRequirementsSchema, "What the provider requires for subscriptions."),
    ),
    modules: Type.Optional(Type.Record(Type.String(), ModuleSchema, { description: "Modules, by name." })),
    metadata: Type.Optional(
      Type.Object(
        {
          input: Type.Optional(Type.Array(MetadataItem, { description: "Inputs of the customer." })),
          postAuthentication: Type.Optional(
            Type.Array(
              Type.Object({
                name: Type.String({ description: "Name of the value." }),
                moduleDependencies: Type.Optional(
                  Type.Record(Type.String(), Type.Object({}), {
                    description: "Modules that need the value, by name.",
                  }),
                ),
              }),
              { description: "Values that are requested from the provider after the sign-in." },
            ),
          ),
        },
        { description: "Values that a connection needs." },
      ),
    ),
    providerAppMetadata: Type.Optional(
      Type.Object(
        {
          authQueryParams: Type.Optional(
            Type.Array(MetadataItem, { description: "Query parameters for the authorization URL." }),
          ),
          providerParams: Type.Optional(Type.Array(MetadataItem, { description: "Further values." })),
        },
        { description: "Values that a provider app needs." },
      ),
    ),
    evidence: Type.Optional(described(EvidenceSchema, "Against what its actions were verified.")),
    hostSuffixes: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Busbar's own: allowed endings of a host name that comes whole from the provider's response or " +
          "the customer. A template without a fixed host ending cannot be filled without it. `*` allows every " +
          "host, for servers of the customer's own that get no secret of yours.",
      }),
    ),
    providerOpts: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Always empty. Published clients require it.",
      }),
    ),
  },
  {
    title: "Provider",
    description:
      "A provider of the catalog: its authentication and its API's base URL. `{{.name}}` placeholders in " +
      "strings are filled from a connection's metadata.",
  },
);

export type ProviderInfo = Static<typeof ProviderInfoSchema>;

/** The features of a module, or of the provider where the module has none of its own. */
export const listFeatures = (
  info: Pick<ProviderInfo, "defaultModule" | "features" | "modules"> | undefined,
  module: string | undefined,
): Features => {
  const key = module ?? info?.defaultModule ?? "";
  const modules = info?.modules ?? {};
  return { ...info?.features, ...(Object.hasOwn(modules, key) ? modules[key]?.features : undefined) };
};

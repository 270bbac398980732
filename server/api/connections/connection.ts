/** The connection as the API shows it: without secrets unless requested. */
import { Type, type Static } from "typebox";
import { described, describeTime } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { isOauth, type StoredCredentials } from "../../credentials/stored/credential-envelope.ts";
import { findConnection, type ConnectionRow } from "../../store/connections/connections.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import type { ProviderAppRow } from "../../store/connections/provider-apps.ts";
import { ConsumerSchema, GroupSchema, toConsumer, toGroup } from "../customers/customers.ts";
import { ConnectionId, ProjectId, ProviderName, CreateTime, toTimes, UpdateTime } from "../members.ts";
import { ProviderAppSchema, toProviderApp } from "../provider-apps/provider-app.ts";

const TokenSchema = Type.Object(
  {
    token: Type.String({ description: "The token." }),
    issuedAt: Type.Optional(describeTime("When the token was issued.")),
    expiresAt: Type.Optional(describeTime("When the token expires. Absent if unknown.")),
  },
  { title: "Token", description: "A token and its lifetime." },
);

const MetadataSource = Type.Enum(["input", "token", "provider"], {
  description:
    "Origin of the value: entered by the customer (`input`), taken from the token response (`token`), or requested " +
    "from the provider (`provider`).",
});
const METADATA = "Metadata of the account, by name. URLs and requests are built from it.";

const ProviderMetadataSchema = Type.Record(
  Type.String(),
  Type.Object({
    value: Type.String({ description: "The value." }),
    source: MetadataSource,
    displayName: Type.Optional(Type.String({ description: "Display name." })),
  }),
  { description: METADATA },
);

/** The same in requests, with limits: the caller may be a customer's browser, and all of it is kept in memory. */
export const ProviderMetadataInput = Type.Record(
  Type.String(),
  Type.Object({
    value: Type.String({ maxLength: 4_096, description: "The value." }),
    source: MetadataSource,
    displayName: Type.Optional(Type.String({ maxLength: 255, description: "Display name." })),
  }),
  { maxProperties: 100, description: METADATA },
);

export const WorkspaceRefInput = Type.String({
  maxLength: 2_048,
  description: "The customer's workspace at the provider, for example `acme` of acme.my.salesforce.com.",
});

export const ConnectionSchema = Type.Object(
  {
    id: ConnectionId,
    projectId: ProjectId,
    provider: ProviderName,
    providerApp: Type.Optional(
      described(ProviderAppSchema, "The provider app that the connection was created with."),
    ),
    group: described(GroupSchema, "The customer that the connection belongs to."),
    consumer: described(ConsumerSchema, "The person who created the connection."),
    providerWorkspaceRef: Type.Optional(
      Type.String({
        description: "The customer's workspace at the provider, for example the subdomain of the account.",
      }),
    ),
    providerConsumerRef: Type.Optional(Type.String({ description: "The person's user id at the provider." })),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
    authScheme: Type.Enum(
      [
        "none",
        "apiKey",
        "basic",
        "oauth2/authorizationCode",
        "oauth2/authorizationCodePKCE",
        "oauth2/clientCredentials",
        "oauth2/password",
      ],
      { description: "Authentication scheme. `none` for a provider-specific scheme." },
    ),
    verified: Type.Boolean({
      description:
        "Busbar's own. Whether the provider has accepted the credentials. They are tried when they are stored; while the provider cannot " +
        "be asked, this is `false`, and they are tried again. Where there is nothing to try them by, the first call shows it.",
    }),
    status: Type.Enum(["created", "working", "bad_credentials"], {
      description:
        "`created`: new or just refreshed. `working`: used successfully. `bad_credentials`: the customer " +
        "has to connect again.",
    }),
    refreshFailure: Type.Optional(
      Type.Object(
        {
          since: describeTime("Time of the first failure in a row."),
          detail: Type.String({ description: "What the token endpoint said, and what to do." }),
        },
        {
          description:
            "Busbar's own. Why no new access token can be obtained, while the customer need not connect again: the provider app is " +
            "wrong, or the last token has ended and the token endpoint does not answer. Absent since the last success.",
        },
      ),
    ),
    oauth2AuthorizationCode: Type.Optional(
      Type.Object(
        {
          accessToken: Type.Optional(described(TokenSchema, "The access token.")),
          refreshToken: Type.Optional(described(TokenSchema, "The refresh token.")),
          scopes: Type.Optional(
            Type.Array(Type.String(), { description: "OAuth scopes that were granted." }),
          ),
        },
        {
          description:
            "The tokens. Only with `includeCreds`; the refresh token also needs `includeRefreshToken`.",
        },
      ),
    ),
    apiKey: Type.Optional(Type.String({ description: "The API key. Only with `includeCreds`." })),
    providerMetadata: Type.Optional(ProviderMetadataSchema),
  },
  {
    title: "Connection",
    description:
      "A customer's account at a provider, with its credentials. Secrets are returned on request only.",
  },
);

type Connection = Static<typeof ConnectionSchema>;

const SCHEMES = ConnectionSchema.properties.authScheme.enum;

/** Published clients know a closed list; `custom` is shown as `none`. */
const showScheme = (scheme: string): Connection["authScheme"] =>
  SCHEMES.find((known) => known === scheme) ?? "none";

export function toConnection(
  row: ConnectionRow,
  extra: {
    providerApp?: ProviderAppRow;
    credentials?: StoredCredentials;
    includeRefreshToken?: boolean;
  } = {},
): Connection {
  const { providerWorkspaceRef, providerConsumerRef } = row;
  return {
    id: row.id,
    projectId: row.projectId,
    provider: row.provider,
    ...(extra.providerApp && { providerApp: toProviderApp(extra.providerApp) }),
    group: toGroup(row.group),
    consumer: toConsumer(row.consumer),
    ...(providerWorkspaceRef !== null && { providerWorkspaceRef }),
    ...(providerConsumerRef !== null && { providerConsumerRef }),
    ...toTimes(row),
    authScheme: showScheme(row.authScheme),
    verified: row.status === "working" || (row.status === "created" && row.verifiedTime !== null),
    status: row.status,
    ...(row.refreshFailure !== null && { refreshFailure: row.refreshFailure }),
    providerMetadata: row.providerMetadata,
    ...(extra.credentials && showSecrets(extra.credentials, extra.includeRefreshToken ?? false)),
  };
}

function showSecrets(
  credentials: StoredCredentials,
  includeRefreshToken: boolean,
): Pick<Connection, "apiKey" | "oauth2AuthorizationCode"> {
  if (credentials.scheme === "apiKey") return { apiKey: credentials.apiKey };
  if (!isOauth(credentials)) return {};
  const { accessToken, refreshToken, scopes } = credentials;
  return {
    oauth2AuthorizationCode: {
      ...(accessToken && { accessToken }),
      ...(includeRefreshToken && refreshToken && { refreshToken }),
      ...(scopes && { scopes }),
    },
  };
}

/** Throws a 404 Problem. */
export async function getConnectionRow(
  queries: SharedQueries,
  projectId: string,
  id: string,
): Promise<ConnectionRow> {
  const row = await findConnection(queries, projectId, id);
  if (row) return row;
  throw refuseUnknownConnection(id);
}

export const refuseUnknownConnection = (id: string): Problem =>
  new Problem("not-found", { detail: `There is no connection \`${id}\` in this project.` });

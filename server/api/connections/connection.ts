/** The connection as the API shows it: without secrets unless they were asked for. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { isOauth, type StoredCredentials } from "../../credentials/stored/credential-envelope.ts";
import { findConnection, type ConnectionRow } from "../../store/connections.ts";
import type { Queries } from "../../store/database.ts";
import type { ProviderAppRow } from "../../store/provider-apps.ts";
import { GroupSchema, ConsumerSchema, toConsumer, toGroup } from "../customers/customer.ts";
import { ProviderAppSchema, toProviderApp } from "../provider-apps/provider-app.ts";
import { times, TimeSchema } from "../times.ts";

export const TokenSchema = Type.Object(
  {
    token: Type.String(),
    issuedAt: Type.Optional(TimeSchema),
    expiresAt: Type.Optional(TimeSchema),
  },
  { title: "Token" },
);

export const ProviderMetadataSchema = Type.Record(
  Type.String(),
  Type.Object({
    value: Type.String(),
    source: Type.Enum(["input", "token", "provider"]),
    displayName: Type.Optional(Type.String()),
  }),
);

/** The same as callers give it. They may be customers' browsers, and all of it is kept in memory while it is used. */
export const ProviderMetadataInput = Type.Record(
  Type.String(),
  Type.Object({
    value: Type.String({ maxLength: 4_096 }),
    source: Type.Enum(["input", "token", "provider"]),
    displayName: Type.Optional(Type.String({ maxLength: 255 })),
  }),
  { maxProperties: 100 },
);

export const WorkspaceRefInput = Type.String({
  maxLength: 2_048,
  description: "For example the `acme` of acme.my.salesforce.com.",
});

export const ConnectionSchema = Type.Object(
  {
    id: Type.String(),
    projectId: Type.String(),
    provider: Type.String(),
    providerApp: Type.Optional(ProviderAppSchema),
    group: GroupSchema,
    consumer: ConsumerSchema,
    providerWorkspaceRef: Type.Optional(Type.String()),
    providerConsumerRef: Type.Optional(Type.String()),
    createTime: TimeSchema,
    updateTime: Type.Optional(TimeSchema),
    authScheme: Type.Enum([
      "none",
      "apiKey",
      "basic",
      "oauth2/authorizationCode",
      "oauth2/authorizationCodePKCE",
      "oauth2/clientCredentials",
      "oauth2/password",
    ]),
    status: Type.Enum(["created", "working", "bad_credentials"], {
      description:
        "`created`: new or just refreshed; `working`: used with success; `bad_credentials`: connect again.",
    }),
    oauth2AuthorizationCode: Type.Optional(
      Type.Object({
        accessToken: Type.Optional(TokenSchema),
        refreshToken: Type.Optional(TokenSchema),
        scopes: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    apiKey: Type.Optional(Type.String()),
    providerMetadata: Type.Optional(ProviderMetadataSchema),
  },
  { title: "Connection" },
);

export type Connection = Static<typeof ConnectionSchema>;

const SCHEMES = ConnectionSchema.properties.authScheme.enum;

/** Clients know a closed list; `custom` is shown as `none`. */
const shownScheme = (scheme: string): Connection["authScheme"] =>
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
    ...times(row),
    authScheme: shownScheme(row.authScheme),
    status: row.status,
    providerMetadata: row.providerMetadata,
    ...(extra.credentials && shownSecrets(extra.credentials, extra.includeRefreshToken ?? false)),
  };
}

function shownSecrets(
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
  queries: Queries,
  projectId: string,
  id: string,
): Promise<ConnectionRow> {
  const row = await findConnection(queries, projectId, id);
  if (row) return row;
  throw new Problem("not-found", { detail: `There is no connection \`${id}\` in this project.` });
}

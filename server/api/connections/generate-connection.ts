/** POST /v1/projects/{projectIdOrName}/connections:generate: a connection from credentials the builder holds. */
import { Type, type Static } from "typebox";
import type { ProviderInfo } from "../../../connectors/kit/provider.ts";
import { enteredMetadata, metadataValues, requireAddress } from "../../credentials/provider-metadata.ts";
import { CredentialsInput, readCredentials } from "../../credentials/read-credentials.ts";
import type { RefreshServices } from "../../credentials/refresh-tokens.ts";
import { isOauth, sealCredentials, type StoredCredentials } from "../../credentials/stored-credentials.ts";
import { requestToken, TokenEndpointError } from "../../credentials/token-endpoint.ts";
import { Problem } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { insertConnection, type ProviderMetadata } from "../../store/connections.ts";
import { upsertConsumer, upsertGroup } from "../../store/customers.ts";
import { isUniqueViolation } from "../../store/database.ts";
import { findDefaultProviderApp } from "../../store/provider-apps.ts";
import { ConnectionSchema, getConnectionRow, ProviderMetadataSchema, toConnection } from "./connection.ts";

const RequestSchema = Type.Object({
  provider: Type.String({ minLength: 1 }),
  groupRef: Type.String({ minLength: 1, maxLength: 255 }),
  groupName: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  consumerRef: Type.String({ minLength: 1, maxLength: 255 }),
  consumerName: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  providerWorkspaceRef: Type.Optional(
    Type.String({ description: "For example the `acme` of acme.my.salesforce.com." }),
  ),
  providerMetadata: Type.Optional(ProviderMetadataSchema),
  ...CredentialsInput,
});

export const generateConnection = (on: RefreshServices) =>
  projectEndpoint({
    operationId: "generateConnection",
    tag: "Connections",
    summary: "Create a connection",
    description:
      "From credentials that you hold: the member that belongs to the provider's way to authenticate. Credentials are " +
      "stored sealed. A group has one connection per provider; a second one is refused with 409.",
    body: RequestSchema,
    success: { status: 201, description: "The connection.", schema: ConnectionSchema },
    refusals: [409, 422, 502],
    async handle({ project, body }) {
      const provider = on.catalog.find(body.provider);
      if (!provider) throw unknownProvider(body.provider);
      const credentials = readCredentials(provider, body);
      const metadata = enteredMetadata(provider, body.providerMetadata, body.providerWorkspaceRef);
      requireAddress(provider, metadata, on.egress.allowsPlainHttp);
      const proven = await prove(on, provider, metadata, credentials);
      const id = await insert(on, project.id, body, metadata, proven);
      return toConnection(await getConnectionRow(on.database.queries, project.id, id));
    },
  });

type Request = Static<typeof RequestSchema>;

function unknownProvider(key: string): Problem {
  const detail = `There is no provider \`${key}\`. GET /v1/providers lists them; keys are case-sensitive.`;
  return new Problem("semantically-invalid", {
    detail,
    issues: [{ in: "body", name: "provider", detail, value: key }],
  });
}

/** Credentials that buy a token are tried before they are stored. */
async function prove(
  on: RefreshServices,
  provider: ProviderInfo,
  metadata: ProviderMetadata,
  credentials: StoredCredentials,
): Promise<StoredCredentials> {
  if (!("clientId" in credentials)) return credentials;
  const { clientId, clientSecret, scopes } = credentials;
  const scope: Record<string, string> = scopes?.length ? { scope: scopes.join(" ") } : {};
  const grant: Record<string, string> =
    credentials.scheme === "oauth2/password"
      ? { grant_type: "password", username: credentials.username, password: credentials.password, ...scope }
      : { grant_type: "client_credentials", ...scope };
  const urlOptions = { values: metadataValues(metadata), allowPlainHttp: on.egress.allowsPlainHttp };
  try {
    const answer = await requestToken(on.egress, { provider, urlOptions, clientId, clientSecret, grant });
    const { accessToken, refreshToken } = answer;
    return { ...credentials, accessToken, refreshToken, scopes: answer.scopes ?? scopes };
  } catch (error) {
    if (!(error instanceof TokenEndpointError)) throw error;
    const slug = error.failure === "transient" ? "provider-unreachable" : "provider-refused";
    throw new Problem(slug, {
      detail: `No access token for these credentials: ${error.message}.`,
      cause: error,
    });
  }
}

async function insert(
  on: RefreshServices,
  projectId: string,
  body: Request,
  metadata: ProviderMetadata,
  credentials: StoredCredentials,
): Promise<string> {
  const id = newId();
  const { provider, groupRef, groupName, consumerRef, consumerName } = body;
  const expiresAt = isOauth(credentials) ? credentials.accessToken?.expiresAt : undefined;
  try {
    await on.database.queries.transaction().execute(async (queries) => {
      const group = await upsertGroup(queries, { projectId, groupRef, groupName });
      const consumer = await upsertConsumer(queries, { projectId, consumerRef, consumerName });
      const app = isOauth(credentials)
        ? await findDefaultProviderApp(queries, projectId, provider)
        : undefined;
      await insertConnection(queries, {
        id,
        projectId,
        provider,
        groupId: group.id,
        consumerId: consumer.id,
        providerAppId: "clientId" in credentials ? undefined : app?.id,
        authScheme: credentials.scheme,
        providerWorkspaceRef: metadata["workspace"]?.value ?? body.providerWorkspaceRef,
        providerMetadata: metadata,
        credentialsSealed: sealCredentials(on.sealer, { id, projectId }, credentials),
        accessExpireTime: expiresAt ? new Date(expiresAt) : undefined,
      });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem("conflict", {
      detail: `The group \`${groupRef}\` has a connection to ${provider} already. Update or delete that one.`,
      cause: error,
    });
  }
  return id;
}

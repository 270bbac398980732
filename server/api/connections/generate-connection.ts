/** POST /v1/projects/{projectIdOrName}/connections:generate: a connection from credentials that the builder has. */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { normalizeMetadata } from "../../credentials/stored/provider-metadata.ts";
import { omitReported } from "../../credentials/stored/reported-metadata.ts";
import { proveCredentials, type WantedCredentials } from "../../credentials/connect/prove-credentials.ts";
import { CredentialsInput, readCredentials } from "../../credentials/connect/read-credentials.ts";
import type { RefreshServices } from "../../credentials/refresh/refresh-tokens.ts";
import { isOauth } from "../../credentials/stored/credential-envelope.ts";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import { findDefaultProviderApp } from "../../store/connections/provider-apps.ts";
import { ConsumerName, ConsumerRef, GroupName, GroupRef } from "../members.ts";
import { explainMissingProvider } from "../explain-missing-provider.ts";
import { ConnectionSchema, ProviderMetadataInput, WorkspaceRefInput, toConnection } from "./connection.ts";
import { saveConnection } from "./save-connection.ts";

const RequestSchema = Type.Object({
  provider: Type.String({
    minLength: 1,
    description: "The provider's name in the catalog (`GET /v1/providers`).",
  }),
  groupRef: GroupRef,
  groupName: Type.Optional(GroupName),
  consumerRef: ConsumerRef,
  consumerName: Type.Optional(ConsumerName),
  providerWorkspaceRef: Type.Optional(WorkspaceRefInput),
  providerMetadata: Type.Optional(ProviderMetadataInput),
  ...CredentialsInput,
});

export const generateConnection = (deps: RefreshServices) =>
  projectEndpoint({
    operationId: "generateConnection",
    tag: "Connections",
    summary: "Create a connection",
    description:
      "Creates a connection from credentials that you have. Send the member for the provider's " +
      "authentication scheme. Credentials are stored encrypted. A group has one connection per provider; a " +
      "second one is refused with 409, unless the first has bad credentials: then it gets the new ones.",
    body: RequestSchema,
    success: { status: 201, description: "The connection.", schema: ConnectionSchema },
    refusals: {
      409: "The group already has a connection to the provider, and its credentials are not known to be bad.",
      422: "The provider is unknown, or it rejected the credentials.",
      502: "The provider could not be reached to check the credentials.",
    },
    async handle({ project, caller, body }) {
      const provider = deps.catalog.of(project.id).find(body.provider);
      if (!provider) throw refuseUnknownProvider(deps.catalog.of(project.id), body.provider);
      const credentials = readCredentials(provider, body);
      const { providerMetadata, providerWorkspaceRef } = omitReported(caller, provider, body);
      const metadata = normalizeMetadata(provider, providerMetadata, providerWorkspaceRef);
      const wanted = { projectId: project.id, provider, metadata, credentials };
      const proven = await proveCredentials(deps, wanted);
      const { groupRef, groupName, consumerRef, consumerName } = body;
      const row = await saveConnection(deps, {
        projectId: project.id,
        provider: provider.name,
        providerAppId: proven.providerAppId ?? (await findApp(deps.database, wanted)),
        mustBeNew: true,
        groupRef,
        groupName,
        consumerRef,
        consumerName,
        providerWorkspaceRef:
          proven.metadata["workspace"]?.value ?? providerWorkspaceRef ?? proven.workspaceRef,
        providerConsumerRef: proven.consumerRef,
        providerMetadata: proven.metadata,
        credentials: proven.credentials,
      });
      return toConnection(row);
    },
  });

function refuseUnknownProvider(catalog: Catalog, key: string): Problem {
  const detail = explainMissingProvider(catalog, key);
  return new Problem("semantically-invalid", {
    detail,
    issues: [{ in: "body", name: "provider", detail, value: key }],
  });
}

/** Returns the provider app that refreshes imported tokens; client credentials bring their own client. */
async function findApp(
  database: Database,
  { projectId, provider, credentials }: WantedCredentials,
): Promise<string | undefined> {
  if (!isOauth(credentials) || "clientId" in credentials) return undefined;
  return (await findDefaultProviderApp(database.control, projectId, provider.name))?.id;
}

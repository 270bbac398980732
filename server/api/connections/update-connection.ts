/** PATCH /v1/projects/{projectIdOrName}/connections/{connectionId}: new credentials or metadata for a connection. */
import { Type, type Static } from "typebox";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { tryCredentials, type TriedCredentials } from "../../calls/try-credentials.ts";
import { normalizeMetadata, requireAddress } from "../../credentials/stored/provider-metadata.ts";
import { requireUnreported } from "../../credentials/stored/reported-metadata.ts";
import { proveCredentials } from "../../credentials/connect/prove-credentials.ts";
import {
  CredentialsInput,
  readCredentials,
  takesKeyOrPair,
} from "../../credentials/connect/read-credentials.ts";
import type { RefreshServices } from "../../credentials/refresh/refresh-tokens.ts";
import { credentialColumns, refreshWhenDue } from "../../credentials/stored/credential-columns.ts";
import type { StoredCredentials } from "../../credentials/stored/credential-envelope.ts";
import { buildConnectionEvent, pickConnectionFields } from "../../events/new-events.ts";
import { queueEvent } from "../../events/record-event.ts";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import {
  lockConnection,
  updateConnection as updateRow,
  type ConnectionRow,
  type ProviderMetadata,
} from "../../store/connections/connections.ts";
import { transactControl } from "../../store/database/database.ts";
import { findProviderApp } from "../../store/connections/provider-apps.ts";
import { ConnectionId } from "../members.ts";
import { pickMasked, UpdateMask } from "../update-mask.ts";
import {
  ConnectionSchema,
  getConnectionRow,
  ProviderMetadataInput,
  WorkspaceRefInput,
  toConnection,
} from "./connection.ts";

const CREDENTIALS = [
  "apiKey",
  "basicAuth",
  "oauth2ClientCredentials",
  "oauth2PasswordCredentials",
  "customAuth",
] as const;
const MEMBERS = ["providerWorkspaceRef", "providerMetadata", ...CREDENTIALS] as const;

const ConnectionChange = Type.Object({
  providerWorkspaceRef: Type.Optional(WorkspaceRefInput),
  providerMetadata: Type.Optional(ProviderMetadataInput),
  ...CredentialsInput,
});

export const updateConnection = (deps: RefreshServices) =>
  projectEndpoint({
    operationId: "updateConnection",
    tag: "Connections",
    summary: "Update a connection",
    description:
      `\`updateMask\` may list ${MEMBERS.join(", ")}. New credentials must fit the connection's ` +
      "authentication scheme and are tried first: what the provider refuses is not stored, and the old ones stay. `providerMetadata` is merged. What the provider itself tells of " +
      "the account, such as its id, can be set with the scope `full` only.",
    params: Type.Object({ connectionId: ConnectionId }),
    body: Type.Object({
      updateMask: UpdateMask,
      connection: described(ConnectionChange, "New values of the members listed in `updateMask`."),
    }),
    success: { status: 200, description: "The updated connection.", schema: ConnectionSchema },
    refusals: {
      422: "The provider rejected the new credentials, or is no longer in the catalog.",
      502: "The provider could not be reached to check the credentials.",
    },
    async handle({ project, caller, params, body }) {
      const masked = pickMasked(body.updateMask, body.connection, MEMBERS, "connection");
      const row = await getConnectionRow(deps.database.control, project.id, params.connectionId);
      const provider = deps.catalog.of(project.id).find(row.provider);
      if (!provider) throw refuseOutOfCatalog(row);
      const change = { ...masked, ...requireUnreported(caller, provider, masked, row) };
      const metadata = mergeMetadata(provider, row, change);
      const proven = CREDENTIALS.some((name) => change[name] !== undefined)
        ? await proveCredentials(deps, {
            projectId: project.id,
            provider,
            metadata,
            credentials: requireSameScheme(row, provider, readCredentials(provider, change)),
          })
        : undefined;
      if (!proven) requireAddress(provider, metadata, deps.egress.allowsPlainHttp);
      const workspaceRef = change.providerWorkspaceRef ?? change.providerMetadata?.["workspace"]?.value;
      const known = { ...row, providerMetadata: proven?.metadata ?? metadata };
      const tried =
        proven &&
        (await tryCredentials(deps, {
          ...known,
          providerAppId: row.providerAppId ?? undefined,
          providerWorkspaceRef: workspaceRef ?? row.providerWorkspaceRef ?? undefined,
          credentials: proven.credentials,
        }));
      const updated = await store(deps, provider, row, {
        tried,
        metadata: known.providerMetadata,
        providerWorkspaceRef: workspaceRef && (metadata["workspace"]?.value ?? workspaceRef),
      });
      const providerApp = updated.providerAppId
        ? await findProviderApp(deps.database.control, project.id, updated.providerAppId)
        : undefined;
      return toConnection(updated, { providerApp });
    },
  });

const refuseOutOfCatalog = (row: ConnectionRow): Problem =>
  new Problem("semantically-invalid", {
    detail: `The provider ${row.provider} is no longer in the catalog.`,
  });

/** Merges the given metadata over the stored metadata; values from the provider stay unless they are named. */
function mergeMetadata(
  provider: ProviderInfo,
  row: ConnectionRow,
  change: Pick<Static<typeof ConnectionChange>, "providerWorkspaceRef" | "providerMetadata">,
): ProviderMetadata {
  const { providerWorkspaceRef, providerMetadata } = change;
  if (providerWorkspaceRef === undefined && providerMetadata === undefined) return row.providerMetadata;
  const next: ProviderMetadata = { ...row.providerMetadata, ...providerMetadata };
  if (providerWorkspaceRef && !providerMetadata?.["workspace"]) delete next["workspace"];
  return normalizeMetadata(provider, next, providerWorkspaceRef);
}

function requireSameScheme(
  row: ConnectionRow,
  provider: ProviderInfo,
  credentials: StoredCredentials,
): StoredCredentials {
  if (credentials.scheme === row.authScheme || takesKeyOrPair(provider)) return credentials;
  throw new Problem("invalid-request", {
    detail: `This connection authenticates by ${row.authScheme}; credentials for ${credentials.scheme} do not fit it.`,
  });
}

function store(
  deps: RefreshServices,
  provider: ProviderInfo,
  { id, projectId }: ConnectionRow,
  change: { tried?: TriedCredentials; metadata: ProviderMetadata; providerWorkspaceRef?: string },
): Promise<ConnectionRow> {
  const { tried, metadata, providerWorkspaceRef } = change;
  return transactControl(deps.database, async (queries) => {
    await lockConnection(queries, projectId, id);
    await updateRow(queries, projectId, id, {
      providerMetadata: metadata,
      ...(providerWorkspaceRef && { providerWorkspaceRef }),
      ...(tried && {
        ...credentialColumns(deps.sealer, { id, projectId }, tried.credentials),
        trial: tried,
      }),
    });
    const row = await getConnectionRow(queries, projectId, id);
    if (tried) await refreshWhenDue(queries, row, provider, tried.credentials);
    await queueEvent(queries, buildConnectionEvent("updated", pickConnectionFields(row)));
    return row;
  });
}

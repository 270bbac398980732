/** GET /v1/projects/{projectIdOrName}/connections/{connectionId} */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { ProviderError } from "../../../connector-kit/provider-error.ts";
import type { LiveConnections } from "../../calls/live-connections.ts";
import { isRefreshable, serving } from "../../credentials/stored/refreshable.ts";
import { isOauth, openCredentials } from "../../credentials/stored/credential-envelope.ts";
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import type { Database } from "../../store/database.ts";
import { findProviderApp } from "../../store/provider-apps.ts";
import { ConnectionId } from "../members.ts";
import { ConnectionSchema, getConnectionRow, toConnection } from "./connection.ts";

interface Services {
  database: Database;
  sealer: Sealer;
  catalog: Catalog;
  connections: LiveConnections;
}

export const getConnection = (deps: Services) =>
  projectEndpoint({
    operationId: "getConnection",
    tag: "Connections",
    summary: "Get a connection",
    description: "Returns no secrets unless requested. `refresh` gets a new access token first.",
    params: Type.Object({ connectionId: ConnectionId }),
    query: Type.Object({
      includeCreds: Type.Optional(
        Type.Boolean({ description: "Adds the access token or API key. Needs the scope `full`." }),
      ),
      includeRefreshToken: Type.Optional(
        Type.Boolean({ description: "With `includeCreds`: adds the refresh token." }),
      ),
      refresh: Type.Optional(
        Type.Enum(["force", "ifExpired"], {
          description:
            "Get a new access token first: always (`force`, needs the scope `full`), or only if it has expired.",
        }),
      ),
    }),
    success: { status: 200, description: "The connection.", schema: ConnectionSchema },
    refusals: {
      422: "With `refresh`: the provider rejected the refresh; the customer has to connect again.",
      502: "With `refresh`: the provider could not be reached.",
    },
    async handle({ project, params, query, caller }) {
      if (query.includeCreds && !caller.scopes.includes("full")) {
        throw new Problem("forbidden", { detail: "`includeCreds` needs an API key with the scope `full`." });
      }
      if (query.refresh === "force" && !caller.scopes.includes("full")) {
        throw new Problem("forbidden", {
          detail:
            "`refresh=force` needs an API key with the scope `full`. Browsers may send `refresh=ifExpired`.",
        });
      }
      const found = await getConnectionRow(deps.database.queries, project.id, params.connectionId);
      const row = query.refresh ? await refreshed(deps, found, query.refresh) : found;
      const providerApp = row.providerAppId
        ? await findProviderApp(deps.database.queries, project.id, row.providerAppId)
        : undefined;
      const credentials = query.includeCreds ? openCredentials(deps.sealer, row) : undefined;
      return toConnection(row, { providerApp, credentials, includeRefreshToken: query.includeRefreshToken });
    },
  });

async function refreshed(
  deps: Services,
  row: ConnectionRow,
  when: "force" | "ifExpired",
): Promise<ConnectionRow> {
  const stored = openCredentials(deps.sealer, row);
  if (!isOauth(stored) && !isRefreshable(deps.catalog.of(row.projectId).find(row.provider), stored))
    return row;
  const expired = row.accessExpireTime !== null && row.accessExpireTime.getTime() <= nowMs();
  if (when === "ifExpired" && !expired && serving(stored)) return row;
  try {
    await deps.connections.forceRefresh(row);
    return await getConnectionRow(deps.database.queries, row.projectId, row.id);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const isRefused = error.kind === "unauthorized";
    const slug = isRefused ? "reconnect-required" : "provider-refused";
    throw new Problem(error.kind === "unavailable" ? "provider-unreachable" : slug, {
      detail: error.message,
      ...(isRefused && { extensions: { connectionId: row.id } }),
      cause: error,
    });
  }
}

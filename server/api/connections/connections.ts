/** Connections: the endpoints that list, check and delete them, and the routes of all. */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { now, nowMs } from "../../../ground/clock.ts";
import { described, describeTime } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { checkCredentials, type CheckServices } from "../../calls/check-credentials.ts";
import type { LiveConnections } from "../../calls/live-connections.ts";
import type { RefreshServices } from "../../credentials/refresh/refresh-tokens.ts";
import { isOauth, openCredentials } from "../../credentials/stored/credential-envelope.ts";
import { isRefreshable, describeToken } from "../../credentials/stored/refreshable.ts";
import { buildConnectionEvent, pickConnectionFields } from "../../events/new-events.ts";
import { queueEvent } from "../../events/record-event.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import {
  type ConnectionRow,
  listConnections as listRows,
  removeConnection,
} from "../../store/connections/connections.ts";
import { listConnectionPage } from "../../store/connections/customer-lists.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import { countConnectionInstallations } from "../../store/integrations/installations.ts";
import { findProviderApp, listProviderApps } from "../../store/connections/provider-apps.ts";
import { ConnectionId } from "../members.ts";
import { listQuery, listPage, describePage, describeTextQuery } from "../pages.ts";
import { PROJECT } from "../paths.ts";
import { requireGroup } from "../require-group.ts";
import { ConnectionSchema, getConnectionRow, refuseUnknownConnection, toConnection } from "./connection.ts";
import { generateConnection } from "./generate-connection.ts";
import { updateConnection } from "./update-connection.ts";

export const listConnectionRoutes = (
  deps: RefreshServices & Services & CheckServices & { database: Database },
): Route[] => [
  route(`GET ${PROJECT}/connections`, "frontend", listConnections(deps)),
  route(`GET ${PROJECT}/connections:search`, "full", listProjectConnections(deps)),
  route(`POST ${PROJECT}/connections:generate`, "frontend", generateConnection(deps)),
  route(`GET ${PROJECT}/connections/{connectionId}`, "frontend", getConnection(deps)),
  route(`PATCH ${PROJECT}/connections/{connectionId}`, "frontend", updateConnection(deps)),
  route(`DELETE ${PROJECT}/connections/{connectionId}`, "frontend", deleteConnection(deps)),
  route(`POST ${PROJECT}/connections/{connectionId}:check`, "full", checkConnection(deps)),
];

const listConnections = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listConnections",
    tag: "Connections",
    summary: "List connections",
    description:
      "Newest first, without secrets. All filters must match. A `frontend` key must send `groupRef`, so " +
      "that a browser cannot list your customers.",
    query: Type.Object({
      provider: Type.Optional(Type.String({ description: "Return only connections to this provider." })),
      groupRef: Type.Optional(Type.String({ description: "Return only this group's entries." })),
      consumerRef: Type.Optional(Type.String({ description: "Return only connections of this consumer." })),
    }),
    success: { status: 200, description: "The connections.", schema: Type.Array(ConnectionSchema) },
    async handle({ project, query, caller }) {
      requireGroup(caller, query);
      const rows = await listRows(deps.database.control, project.id, query);
      const apps = await listProviderApps(deps.database.control, project.id);
      return rows.map((row) =>
        toConnection(row, { providerApp: apps.find((app) => app.id === row.providerAppId) }),
      );
    },
  });

const listProjectConnections = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listProjectConnections",
    tag: "Connections",
    summary: "Search connections",
    description: "Newest first, in pages, without secrets. All filters must match.",
    query: Type.Object({
      status: Type.Optional(
        Type.Enum(["created", "working", "bad_credentials"], {
          description: "Return only connections in this status.",
        }),
      ),
      provider: Type.Optional(Type.String({ description: "Return only connections to this provider." })),
      groupRef: Type.Optional(Type.String({ description: "Return only connections of this customer." })),
      ...describeTextQuery("the names of customer, person and provider, the workspace, or the id"),
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: describePage(ConnectionSchema) },
    async handle({ project, query }) {
      const { control } = deps.database;
      const apps = await listProviderApps(control, project.id);
      return listPage(query, {
        list: (range) => listConnectionPage(control, { ...query, projectId: project.id }, range),
        show: (row) => toConnection(row, { providerApp: apps.find(({ id }) => id === row.providerAppId) }),
      });
    },
  });

interface Services {
  database: Database;
  sealer: Sealer;
  catalog: Catalog;
  connections: LiveConnections;
}

const getConnection = (deps: Services) =>
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
      const found = await getConnectionRow(deps.database.control, project.id, params.connectionId);
      const row = query.refresh ? await refresh(deps, found, query.refresh) : found;
      const providerApp = row.providerAppId
        ? await findProviderApp(deps.database.control, project.id, row.providerAppId)
        : undefined;
      const credentials = query.includeCreds ? openCredentials(deps.sealer, row) : undefined;
      return toConnection(row, { providerApp, credentials, includeRefreshToken: query.includeRefreshToken });
    },
  });

async function refresh(
  deps: Services,
  row: ConnectionRow,
  when: "force" | "ifExpired",
): Promise<ConnectionRow> {
  const stored = openCredentials(deps.sealer, row);
  if (!isOauth(stored) && !isRefreshable(deps.catalog.of(row.projectId).find(row.provider), stored))
    return row;
  const expired = row.accessExpireTime !== null && row.accessExpireTime.getTime() <= nowMs();
  if (when === "ifExpired" && !expired && describeToken(stored)) return row;
  try {
    await deps.connections.forceRefresh(row);
    return await getConnectionRow(deps.database.control, row.projectId, row.id);
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

const CheckSchema = Type.Object(
  {
    time: describeTime("When it was checked."),
    working: Type.Boolean({ description: "Whether the credentials work." }),
    detail: Type.Optional(Type.String({ description: "What was found out." })),
  },
  { title: "ConnectionCheck", description: "The result of the check." },
);

const checkConnection = (deps: CheckServices) =>
  projectEndpoint({
    operationId: "checkConnection",
    tag: "Connections",
    summary: "Check a connection",
    description:
      "Calls the provider's health check with the credentials; an OAuth token is refreshed if it was refused, or if the " +
      "provider has no health check. `status` follows: `working`, or `bad_credentials`. Answers 200 whatever came of it.",
    role: "support",
    params: Type.Object({ connectionId: ConnectionId }),
    success: {
      status: 200,
      description: "The connection, without secrets, and the result of the check.",
      schema: Type.Object({
        ...ConnectionSchema.properties,
        check: described(CheckSchema, "What the check found out."),
      }),
    },
    async handle({ project, params }) {
      const { control } = deps.database;
      const { id } = await getConnectionRow(control, project.id, params.connectionId);
      const time = now().toISOString();
      const check = await checkCredentials(deps, { id, projectId: project.id });
      const row = await getConnectionRow(control, project.id, id);
      const providerApp = row.providerAppId
        ? await findProviderApp(control, project.id, row.providerAppId)
        : undefined;
      return { ...toConnection(row, { providerApp }), check: { time, ...check } };
    },
  });

const deleteConnection = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteConnection",
    tag: "Connections",
    summary: "Delete a connection",
    description: "Refused with 409 while an installation uses it.",
    params: Type.Object({ connectionId: ConnectionId }),
    success: { status: 204, description: "Deleted, with its credentials." },
    refusals: { 409: "An installation uses the connection." },
    async handle({ project, params }) {
      await transactControl(deps.database, async (queries) => {
        const row = await getConnectionRow(queries, project.id, params.connectionId);
        const { id } = row;
        const users = await countConnectionInstallations(queries, project.id, id);
        if (users > 0) {
          throw new Problem("conflict", {
            detail: `${users} installation${users === 1 ? " uses" : "s use"} this connection. Delete ${users === 1 ? "it" : "them"} first.`,
          });
        }
        // Only one of several concurrent requests deletes the connection and reports it.
        if (!(await removeConnection(queries, project.id, id))) throw refuseUnknownConnection(id);
        await queueEvent(queries, buildConnectionEvent("deleted", pickConnectionFields(row)));
      });
    },
  });

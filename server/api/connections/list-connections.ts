/** GET /v1/projects/{projectIdOrName}/connections */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { listConnections as listRows } from "../../store/connections.ts";
import type { Database } from "../../store/database.ts";
import { listProviderApps } from "../../store/provider-apps.ts";
import { requireGroup } from "../require-group.ts";
import { ConnectionSchema, toConnection } from "./connection.ts";

export const listConnections = (deps: { database: Database }) =>
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
      const rows = await listRows(deps.database.queries, project.id, query);
      const apps = await listProviderApps(deps.database.queries, project.id);
      return rows.map((row) =>
        toConnection(row, { providerApp: apps.find((app) => app.id === row.providerAppId) }),
      );
    },
  });

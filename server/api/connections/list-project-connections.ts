/** GET /v1/projects/{projectIdOrName}/connections:search */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { listConnectionPage } from "../../store/customer-lists.ts";
import type { Database } from "../../store/database.ts";
import { listProviderApps } from "../../store/provider-apps.ts";
import { listQuery, onePage, pageSchema, textQuery } from "../pages.ts";
import { ConnectionSchema, toConnection } from "./connection.ts";

export const listProjectConnections = (deps: { database: Database }) =>
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
      ...textQuery("the names of customer, person and provider, the workspace, or the id"),
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: pageSchema(ConnectionSchema) },
    async handle({ project, query }) {
      const { queries } = deps.database;
      const apps = await listProviderApps(queries, project.id);
      return onePage(query, {
        list: (range) => listConnectionPage(queries, { ...query, projectId: project.id }, range),
        show: (row) => toConnection(row, { providerApp: apps.find(({ id }) => id === row.providerAppId) }),
      });
    },
  });

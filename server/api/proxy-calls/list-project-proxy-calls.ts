/** GET /v1/projects/{projectIdOrName}/proxy-calls */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listProjectProxyCalls as listRows } from "../../store/proxy-call-lists.ts";
import { listQuery, onePage, pageSchema, periodQuery } from "../pages.ts";
import { StatusFilter, parseStatusFilter } from "../status-filter.ts";
import { isProxyCallId, ListedProxyCallSchema, toListedProxyCall } from "./proxy-call.ts";

const only = (what: string) => Type.Optional(Type.String({ description: `Return only calls ${what}.` }));

export const listProjectProxyCalls = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listProjectProxyCalls",
    tag: "Operations",
    summary: "List proxied calls of the project",
    description:
      "The last begun first, with searches and calls of schema watch. Calls that Busbar itself refused are listed if their " +
      "installation is known. A call appears a second or two after its end and is kept for BUSBAR_USAGE_RETENTION_DAYS. " +
      "With filters other than the customer and the installation, one request examines 100,000 calls, 25,000 with `path`, so a " +
      "page can be short or empty and still have a `nextPageToken`, where the search continues.",
    query: Type.Object({
      status: StatusFilter,
      method: only("with this HTTP method"),
      path: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "Return only calls whose path contains this text, in any case.",
        }),
      ),
      groupRef: only("for this customer"),
      integration: only("of the integration of this id or name"),
      installationId: only("of this installation"),
      refusedBy: Type.Optional(
        Type.Enum(["busbar", "provider"], {
          description: "Return only calls that were refused, and by whom.",
        }),
      ),
      ...periodQuery,
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: pageSchema(ListedProxyCallSchema) },
    handle: async ({ project, query }) =>
      onePage(query, {
        isToken: isProxyCallId,
        list: (range) =>
          listRows(
            deps.database.queries,
            { ...query, projectId: project.id, statuses: parseStatusFilter(query.status) },
            range,
          ),
        show: toListedProxyCall,
      }),
  });

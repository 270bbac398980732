/** GET …/installations/{installationId}/proxy-calls */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listProxyUsage, type ProxyUsageRow } from "../../store/proxy-usage.ts";
import { InstallationPath, requireInstallation } from "../installation-path.ts";
import { InstallationId } from "../members.ts";
import { onePage, pageQuery, pageSchema } from "../pages.ts";

const ProxyCallSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the entry." }),
    installationId: InstallationId,
    method: Type.String({ description: "HTTP method." }),
    path: Type.String({
      description: "Path as the caller sent it, without the query, at most 1024 characters.",
    }),
    status: Type.Integer({
      description: "Status of the response; 499 if the caller disconnected before it.",
    }),
    time: Type.String({ format: "date-time", description: "When the call started." }),
    durationMs: Type.Integer({ description: "Duration in milliseconds." }),
    bytesUp: Type.Integer({ description: "Size of the request body." }),
    bytesDown: Type.Integer({ description: "Size of the response body that was passed on." }),
  },
  { title: "ProxyCall", description: "One call through the proxy." },
);

/** Row ids are positive 64-bit integers. */
const isPageToken = (token: string): boolean => /^[1-9]\d{0,17}$/.test(token);

const PAGE = { usual: 200, maximum: 1000 };

export const listProxyCalls = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listProxyCalls",
    tag: "Operations",
    summary: "List proxied calls of an installation",
    description:
      "In pages, latest first. A call appears a second or two after its end and is kept for " +
      "BUSBAR_USAGE_RETENTION_DAYS.",
    params: InstallationPath,
    query: Type.Object(pageQuery(PAGE)),
    success: {
      status: 200,
      description: "A page.",
      schema: pageSchema(ProxyCallSchema),
    },
    async handle({ project, params, query }) {
      const { queries } = deps.database;
      const list = (page: { installationId: string; before?: string; limit: number }) =>
        listProxyUsage(queries, { projectId: project.id, ...page });
      const installationId = await requireInstallation(queries, project.id, params, async (place) => {
        const entries = await list({ installationId: place.installationId, limit: 1 });
        return entries.length > 0;
      });
      return onePage(query, {
        ...PAGE,
        isToken: isPageToken,
        list: (page) => list({ installationId, ...page }),
        show: toProxyCall,
      });
    },
  });

const toProxyCall = (row: ProxyUsageRow) => ({
  id: row.id,
  installationId: row.installationId,
  method: row.method,
  path: row.path,
  status: row.status,
  time: row.time.toISOString(),
  durationMs: row.durationMs,
  bytesUp: Number(row.bytesUp),
  bytesDown: Number(row.bytesDown),
});

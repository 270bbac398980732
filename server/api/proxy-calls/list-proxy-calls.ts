/** GET …/installations/{installationId}/proxy-calls */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listProxyUsage } from "../../store/proxy-usage.ts";
import { InstallationPath, requireInstallation } from "../installation-path.ts";
import { onePage, pageQuery, pageSchema } from "../pages.ts";
import { isProxyCallId, ProxyCallSchema, toProxyCall } from "./proxy-call.ts";

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
        isToken: isProxyCallId,
        list: (page) => list({ installationId, ...page }),
        show: toProxyCall,
      });
    },
  });

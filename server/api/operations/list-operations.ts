/** GET …/installations/{installationId}/operations */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listOperations as listRows } from "../../store/operations.ts";
import { InstallationPath, requireInstallation } from "../installation-path.ts";
import { onePage, pageQuery, pageSchema } from "../pages.ts";
import { OperationSchema, toOperation } from "./operation.ts";

const PAGE = { usual: 200, maximum: 1000 };

export const listOperations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listOperations",
    tag: "Operations",
    summary: "List operations of an installation",
    description: "Newest first, in pages. Those of a deleted installation can still be listed.",
    params: InstallationPath,
    query: Type.Object(pageQuery(PAGE)),
    success: {
      status: 200,
      description: "A page.",
      schema: pageSchema(OperationSchema),
    },
    async handle({ project, params, query }) {
      const { queries } = deps.database;
      const list = (page: { installationId: string; before?: string; limit: number }) =>
        listRows(queries, { projectId: project.id, ...page });
      const installationId = await requireInstallation(queries, project.id, params, async (place) => {
        const [newest] = await list({ installationId: place.installationId, limit: 1 });
        return newest?.integrationId === place.integrationId;
      });
      return onePage(query, {
        ...PAGE,
        list: (page) => list({ installationId, ...page }),
        show: toOperation,
      });
    },
  });

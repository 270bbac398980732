/** GET …/installations/{installationId}/operations */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listProjectOperations } from "../../store/operation-lists.ts";
import type { IdRange } from "../../store/id-range.ts";
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
      const list = async (installationId: string, range: IdRange) =>
        (await listProjectOperations(queries, { projectId: project.id, installationId }, range)).rows;
      const installationId = await requireInstallation(queries, project.id, params, async (place) => {
        const [newest] = await list(place.installationId, { limit: 1 });
        return newest?.integrationId === place.integrationId;
      });
      return onePage(query, {
        ...PAGE,
        list: (range) => list(installationId, range),
        show: toOperation,
      });
    },
  });

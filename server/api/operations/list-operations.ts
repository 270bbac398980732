/** GET …/installations/{installationId}/operations */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { isUuid } from "../../ground/ids.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listOperations as listRows } from "../../store/operations.ts";
import { OperationSchema, toOperation } from "./operation.ts";

export const listOperations = (on: { database: Database }) =>
  projectEndpoint({
    operationId: "listOperations",
    tag: "Operations",
    summary: "List operations of an installation",
    description: "Newest first, in pages.",
    params: Type.Object({ integrationId: Type.String(), installationId: Type.String() }),
    query: Type.Object({
      pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: "Default 200." })),
      pageToken: Type.Optional(Type.String({ description: "`nextPageToken` of the page before." })),
    }),
    success: {
      status: 200,
      description: "A page.",
      schema: Type.Object({
        results: Type.Array(OperationSchema),
        pagination: Type.Object({ done: Type.Boolean(), nextPageToken: Type.Optional(Type.String()) }),
      }),
    },
    async handle({ project, params, query }) {
      const { pageSize = 200, pageToken } = query;
      if (pageToken !== undefined && !isUuid(pageToken)) {
        const detail = "pageToken: is not one that this list gave out. Start without it.";
        throw new Problem("invalid-request", {
          detail,
          issues: [{ in: "query", name: "pageToken", detail }],
        });
      }
      const { installationId } = params;
      if (!isUuid(installationId)) {
        throw new Problem("not-found", { detail: `There is no installation \`${installationId}\`.` });
      }
      const page = { projectId: project.id, installationId, before: pageToken, limit: pageSize + 1 };
      const rows = await listRows(on.database.queries, page);
      const results = rows.slice(0, pageSize).map(toOperation);
      const done = rows.length <= pageSize;
      return { results, pagination: { done, ...(!done && { nextPageToken: results.at(-1)?.id }) } };
    },
  });

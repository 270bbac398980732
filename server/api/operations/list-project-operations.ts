/** GET /v1/projects/{projectIdOrName}/operations */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listProjectOperations as listRows } from "../../store/operation-lists.ts";
import { listQuery, onePage, pageSchema, periodQuery, textQuery } from "../pages.ts";
import { OperationSchema, toOperation } from "./operation.ts";

const only = (what: string) => Type.Optional(Type.String({ description: `Return only operations ${what}.` }));

export const listProjectOperations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listProjectOperations",
    tag: "Operations",
    summary: "List operations of the project",
    description:
      "Newest first, of all installations, deleted ones included. All filters must match. One call reads at most " +
      "100,000 operations, 25,000 with `text`, so a page can be short or empty and still have a `nextPageToken`, where the search continues.",
    query: Type.Object({
      status: Type.Optional(
        Type.Enum(["in_progress", "success", "failure"], {
          description: "Return only operations in this status.",
        }),
      ),
      integration: only("of the integration of this id or name"),
      installationId: only("of this installation"),
      groupRef: only("of this customer"),
      object: only("about this object"),
      type: Type.Optional(
        Type.Enum(["write", "read"], { description: "Return only operations of this kind (`actionType`)." }),
      ),
      actor: only("that this key, person, customer or agent asked for (`actor.id`)"),
      ...periodQuery,
      ...textQuery(
        "the result, the object, the name of integration or customer, or the id of the operation, of a record or of the request",
      ),
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: pageSchema(OperationSchema) },
    handle: async ({ project, query }) =>
      onePage(query, {
        list: (range) => listRows(deps.database.queries, { ...query, projectId: project.id }, range),
        show: toOperation,
      }),
  });

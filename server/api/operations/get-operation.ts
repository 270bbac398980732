/** GET /v1/projects/{projectIdOrName}/operations/{operationId} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { OperationId } from "../members.ts";
import { getOperationRow, OperationSchema, toOperation } from "./operation.ts";

export const getOperation = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getOperation",
    tag: "Operations",
    summary: "Get an operation",
    description: "Returns the operation with its status. Its steps are in its logs.",
    params: Type.Object({ operationId: OperationId }),
    success: { status: 200, description: "The operation.", schema: OperationSchema },
    handle: async ({ project, params }) =>
      toOperation(await getOperationRow(deps.database.queries, project.id, params.operationId)),
  });

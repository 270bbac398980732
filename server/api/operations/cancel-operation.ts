/** POST /v1/projects/{projectIdOrName}/operations/{operationId}:cancel */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import { cancelRead } from "../../read/cancel-read.ts";
import type { Database } from "../../store/database.ts";
import { cancelWrite } from "../../write/cancel-write.ts";
import { OperationId } from "../members.ts";
import { getOperationRow, OperationSchema, toOperation } from "./operation.ts";

export const cancelOperation = (deps: { database: Database; installations: InstallationCache }) =>
  projectEndpoint({
    operationId: "cancelOperation",
    tag: "Operations",
    summary: "Cancel an operation",
    description:
      "Ends a waiting asynchronous write before it is sent, or a read after its current page. The operation is then a " +
      "`failure`, and the event of its end is recorded. A write that is being sent at this moment cannot be cancelled.",
    role: "support",
    params: Type.Object({ operationId: OperationId }),
    success: { status: 200, description: "The cancelled operation.", schema: OperationSchema },
    refusals: { 409: "The operation has ended, or its write is being sent." },
    async handle({ project, params }) {
      const find = () => getOperationRow(deps.database.queries, project.id, params.operationId);
      const operation = await find();
      if (operation.status !== "in_progress") throw hasEnded(operation.status);
      const isCancelled =
        operation.actionType === "read"
          ? await cancelRead(deps, operation)
          : await cancelWrite(deps, project.id, operation.id);
      const after = await find();
      if (isCancelled) return toOperation(after);
      throw after.status === "in_progress" ? isBeingSent() : hasEnded(after.status);
    },
  });

const hasEnded = (status: string): Problem =>
  new Problem("conflict", {
    detail: `The operation has already ended (\`${status}\`). It cannot be cancelled.`,
  });

const isBeingSent = (): Problem =>
  new Problem("conflict", {
    detail:
      "The write is being sent to the provider. Cancel it again if the attempt fails and another one follows.",
    retryable: true,
  });

/** GET /v1/projects/{projectIdOrName}/operations/{operationId}/logs */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findOperationLog } from "../../store/operations.ts";
import { noOperation } from "./operation.ts";

const MessageSchema = Type.Object({
  msg: Type.String(),
  error: Type.Optional(Type.String()),
  operation_id: Type.Optional(Type.String()),
  details: Type.Optional(Type.Record(Type.String(), Type.String())),
});

const LogSchema = Type.Object(
  { timestamp: Type.String({ format: "date-time" }), severity: Type.String(), message: MessageSchema },
  { title: "OperationLog" },
);

export const listOperationLogs = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listOperationLogs",
    tag: "Operations",
    summary: "List the steps of an operation",
    description:
      "What was planned, which fields were withheld and why, each request to the provider, the outcome.",
    params: Type.Object({ operationId: Type.String() }),
    success: {
      status: 200,
      description: "The steps, oldest first.",
      schema: Type.Array(LogSchema),
    },
    async handle({ project, params }) {
      const id = params.operationId;
      const log = await findOperationLog(deps.database.queries, project.id, id);
      if (!log) throw noOperation(id);
      return log.map(({ time: timestamp, severity, ...message }) => ({
        timestamp,
        severity,
        message: { ...message, operation_id: id },
      }));
    },
  });

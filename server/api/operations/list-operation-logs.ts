/** GET /v1/projects/{projectIdOrName}/operations/{operationId}/logs */
import { Type, type Static } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listOperationLogs as listRows } from "../../store/operations.ts";
import { getOperationRow } from "./operation.ts";

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

export const listOperationLogs = (on: { database: Database }) =>
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
      const { queries } = on.database;
      const { id } = await getOperationRow(queries, project.id, params.operationId);
      const rows = await listRows(queries, project.id, id);
      return rows.map(({ severity, message, createTime }) => ({
        timestamp: createTime.toISOString(),
        severity,
        message: { ...(message as Static<typeof MessageSchema>), operation_id: id },
      }));
    },
  });

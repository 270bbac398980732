/** GET /v1/projects/{projectIdOrName}/operations/{operationId}/logs */
import { Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findOperationLog } from "../../store/operations.ts";
import { OperationId } from "../members.ts";
import { noOperation } from "./operation.ts";

const MessageSchema = Type.Object({
  msg: Type.String({ description: "Description of the step." }),
  error: Type.Optional(Type.String({ description: "Error message." })),
  operation_id: Type.Optional(OperationId),
  details: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Details, by name." })),
});

const LogSchema = Type.Object(
  {
    timestamp: Type.String({ format: "date-time", description: "When the step happened." }),
    severity: Type.String({ description: "`DEBUG`, `INFO`, `WARNING` or `ERROR`." }),
    message: described(MessageSchema, "What happened in this step."),
  },
  { title: "OperationLog", description: "One step of an operation." },
);

export const listOperationLogs = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listOperationLogs",
    tag: "Operations",
    summary: "List the steps of an operation",
    description: "The plan, withheld fields with reasons, each request to the provider, and the outcome.",
    params: Type.Object({ operationId: OperationId }),
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

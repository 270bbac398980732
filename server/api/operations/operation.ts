/** The operation as the API shows it. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import type { Queries } from "../../store/database.ts";
import { findOperation, type OperationRow } from "../../store/operations.ts";
import { times, TimeSchema } from "../times.ts";

export const OperationSchema = Type.Object(
  {
    id: Type.String(),
    projectId: Type.String(),
    integrationId: Type.String(),
    installationId: Type.String(),
    configId: Type.String({
      description: "The installation's configuration when the operation was accepted.",
    }),
    actionType: Type.String(),
    resource: Type.String({ description: "The object it is about." }),
    status: Type.Enum(["in_progress", "success", "failure"]),
    result: Type.Optional(Type.String({ description: "How it ended; on failure the object and the error." })),
    metadata: Type.Object({
      objects: Type.Optional(Type.Array(Type.String())),
      successfulRecordIds: Type.Optional(Type.Array(Type.String())),
      retry: Type.Optional(Type.Object({ attempts: Type.Integer(), lastAttempt: Type.Optional(TimeSchema) })),
    }),
    createTime: TimeSchema,
    updateTime: Type.Optional(TimeSchema),
  },
  { title: "Operation" },
);

type Operation = Static<typeof OperationSchema>;

export const toOperation = (row: OperationRow): Operation => ({
  id: row.id,
  projectId: row.projectId,
  integrationId: row.integrationId,
  installationId: row.installationId,
  configId: row.configId,
  actionType: row.actionType,
  resource: row.objectName,
  status: row.status as Operation["status"],
  ...(row.result !== null && { result: row.result }),
  metadata: row.metadata as Operation["metadata"],
  ...times(row),
});

/** Throws a 404 Problem. */
export async function getOperationRow(
  queries: Queries,
  projectId: string,
  id: string,
): Promise<OperationRow> {
  const row = await findOperation(queries, projectId, id);
  if (row) return row;
  throw noOperation(id);
}

export const noOperation = (id: string): Problem =>
  new Problem("not-found", { detail: `There is no operation \`${id}\` in this project.` });

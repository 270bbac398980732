/** Operations: what was done for an installation, and the steps of each. */
import { sql } from "kysely";
import { isUuid, newId } from "../ground/ids.ts";
import type { JsonObject } from "../ground/json.ts";
import type { Queries } from "./database.ts";

export type OperationStatus = "in_progress" | "success" | "failure";

export interface OperationRow {
  id: string;
  projectId: string;
  integrationId: string;
  installationId: string;
  configId: string;
  actionType: string;
  objectName: string;
  status: string;
  result: string | null;
  metadata: unknown;
  createTime: Date;
  updateTime: Date | null;
}

export async function insertOperation(
  queries: Queries,
  operation: Pick<
    OperationRow,
    "id" | "projectId" | "integrationId" | "installationId" | "configId" | "actionType" | "objectName"
  >,
): Promise<void> {
  await queries
    .insertInto("operations")
    .values({ ...operation, status: "in_progress" })
    .execute();
}

/** One step of an operation. `details` values are text for people; never a secret. */
export interface LogEntry {
  severity: "DEBUG" | "INFO" | "WARNING" | "ERROR";
  msg: string;
  error?: string;
  details?: Record<string, string>;
}

/** Ends an operation and records its steps, in one statement. An operation that has ended stays as it is. */
export async function endOperation(
  queries: Queries,
  operation: {
    id: string;
    status: "success" | "failure";
    result: string;
    metadata: JsonObject;
    log: LogEntry[];
  },
): Promise<void> {
  const { id, status, result, metadata, log } = operation;
  const entries = log.map(({ severity, ...message }) => ({ id: newId(), severity, message }));
  await sql`
    with ended as (
      update operations set status = ${status}, result = ${result},
        metadata = metadata || ${JSON.stringify(metadata)}::jsonb, update_time = now()
      where id = ${id} and status = 'in_progress'
      returning id
    )
    insert into operation_logs (id, operation_id, severity, message)
    select (entry->>'id')::uuid, ended.id, entry->>'severity', entry->'message'
    from ended, jsonb_array_elements(${JSON.stringify(entries)}::jsonb) as entry
  `.execute(queries);
}

export async function findOperation(
  queries: Queries,
  projectId: string,
  id: string,
): Promise<OperationRow | undefined> {
  if (!isUuid(id)) return undefined;
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Newest first; `before` is the id of the last operation of the page before. */
export function listOperations(
  queries: Queries,
  page: { projectId: string; installationId: string; before?: string; limit: number },
): Promise<OperationRow[]> {
  let query = queries
    .selectFrom("operations")
    .selectAll()
    .where("projectId", "=", page.projectId)
    .where("installationId", "=", page.installationId)
    .orderBy("id", "desc")
    .limit(page.limit);
  if (page.before) query = query.where("id", "<", page.before);
  return query.execute();
}

export const listOperationLogs = (
  queries: Queries,
  projectId: string,
  operationId: string,
): Promise<{ severity: string; message: unknown; createTime: Date }[]> =>
  queries
    .selectFrom("operationLogs")
    .innerJoin("operations", "operations.id", "operationLogs.operationId")
    .select(["operationLogs.severity", "operationLogs.message", "operationLogs.createTime"])
    .where("operations.projectId", "=", projectId)
    .where("operationLogs.operationId", "=", operationId)
    .orderBy("operationLogs.id")
    .execute();

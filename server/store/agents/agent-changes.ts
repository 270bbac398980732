/** Changes by agents, kept for undoing them. */
import { sql, type RawBuilder } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { JsonObject } from "../../../ground/json.ts";
import type { DataQueries } from "../database/sides.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { removeRows } from "../database/remove-rows.ts";

export interface AgentChange {
  operationId: string;
  projectId: string;
  groupRef: string;
  type: "create" | "update";
  /** Name of the integration. */
  integration: string;
  /** The provider's name. */
  objectName: string;
  /** Null for a create, whose operation names the record. */
  recordId: string | null;
  /** Previous values of the fields, by the names of the write API; null for a create. */
  before: JsonObject | null;
  /** Written values of the fields. */
  after: JsonObject;
}

/**
 * Builds the statement that inserts changes, also for use inside another statement. Changes of a customer who was deleted
 * meanwhile are skipped.
 */
export const insertChanges = (
  changes: readonly AgentChange[],
  condition: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> => sql`
  insert into agent_changes (operation_id, project_id, group_id, type, integration, object_name, record_id, before, after)
  select "operationId", x."projectId", groups.id, type, integration, "objectName", "recordId", before, after
  from jsonb_to_recordset(${toStoredJson(changes)}::jsonb) as x("operationId" uuid, "projectId" uuid, "groupRef" text, type text,
    integration text, "objectName" text, "recordId" text, before jsonb, after jsonb)
  join groups on groups.project_id = x."projectId" and groups.group_ref = x."groupRef" ${condition}
  on conflict do nothing`;

/** Inserts one change. Call it in a transaction. */
export async function insertAgentChange(queries: DataQueries, change: AgentChange): Promise<void> {
  await insertChanges([change]).execute(queries);
}

/** Act that can be undone, with its result. */
export interface DoneChange extends AgentChange {
  status: string;
  /** Metadata of its operation. */
  metadata: unknown;
}

/** Finds an act of one customer's agents. */
export async function findAgentChange(
  queries: DataQueries,
  { projectId, groupRef, operationId }: Pick<AgentChange, "projectId" | "groupRef" | "operationId">,
): Promise<DoneChange | undefined> {
  if (!isUuid(operationId)) return undefined;
  const { rows } = await sql<DoneChange>`
    select operation_id, agent_changes.project_id, group_ref, type, integration, agent_changes.object_name, record_id, before, after,
      operations.status, operations.metadata
    from agent_changes join groups on groups.id = agent_changes.group_id
      join operations on operations.id = agent_changes.operation_id
    where agent_changes.project_id = ${projectId} and operation_id = ${operationId} and group_ref = ${groupRef}
  `.execute(queries);
  return rows[0];
}

/** Removes up to `most` changes whose operations have lower ids than this one; returns their number. */
export const removeOldAgentChanges = (queries: DataQueries, beforeId: string, max: number): Promise<number> =>
  removeRows(
    queries,
    "agent_changes",
    sql`operation_id < ${beforeId} order by operation_id`,
    max,
    "operation_id",
  );

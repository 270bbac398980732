/** Changes by agents, kept for undoing them. */
import { sql, type RawBuilder } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { JsonObject } from "../../../ground/json.ts";
import type { Queries } from "../database/database.ts";
import type { DataQueries } from "../database/sides.ts";
import { toStoredJson } from "../database/stored-json.ts";

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
export const insertChanges = (changes: readonly AgentChange[]): RawBuilder<unknown> => sql`
  insert into agent_changes (operation_id, project_id, group_id, type, integration, object_name, record_id, before, after)
  select "operationId", x."projectId", groups.id, type, integration, "objectName", "recordId", before, after
  from jsonb_to_recordset(${toStoredJson(changes)}::jsonb) as x("operationId" uuid, "projectId" uuid, "groupRef" text, type text,
    integration text, "objectName" text, "recordId" text, before jsonb, after jsonb)
  join groups on groups.project_id = x."projectId" and groups.group_ref = x."groupRef"
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
export async function removeOldAgentChanges(
  queries: DataQueries,
  beforeId: string,
  most: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from agent_changes where operation_id in (
      select operation_id from agent_changes where operation_id < ${beforeId} order by operation_id limit ${most})
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Erases the values of a record that was erased at the provider: agents' changes, what approvals and events about them show,
 * the logs of these operations and the answers stored for their idempotency keys. Who asked and who decided is kept. A waiting
 * act on the record is not carried out.
 */
export async function eraseAgentTraces(
  queries: Queries,
  { installationId, recordId }: { installationId: string; recordId: string },
): Promise<void> {
  // The operation of a create names its record.
  const ofOperation = sql`exists (
    select from operations where operations.id = operation_id and metadata->'successfulRecordIds' ? ${recordId})`;
  const changes = await sql<{ operationId: string }>`
    delete from agent_changes using installations, integrations
    where installations.id = ${installationId} and integrations.id = installations.integration_id
      and agent_changes.group_id = installations.group_id and agent_changes.integration = integrations.name
      and (agent_changes.record_id = ${recordId} or (agent_changes.record_id is null and ${ofOperation}))
    returning operation_id
  `.execute(queries);
  const waits = sql`(status = 'pending' or (status = 'approved' and not sent))`;
  const approvals = await sql<{ id: string; operationId: string | null }>`
    update approvals set arguments = '{}', act = '{}', before = null, after = null,
      status = case when ${waits} then 'stale' else status end,
      reason = case when ${waits} then 'The record was erased at the provider.' else reason end,
      due_time = case when ${waits} then null else due_time end, claimed_by = case when ${waits} then null else claimed_by end
    where group_id = (select group_id from installations where id = ${installationId}) and installation_id = ${installationId}
      and (record_id = ${recordId} or (record_id is null and ${ofOperation}))
    returning id, operation_id
  `.execute(queries);
  const operations = [...changes.rows, ...approvals.rows].flatMap(({ operationId }) => operationId ?? []);
  await eraseLogs(queries, [...new Set(operations)]);
  await eraseApprovalEvents(
    queries,
    installationId,
    approvals.rows.map(({ id }) => id),
  );
}

/** Erases logs and answers, but not the keys: the act must not be repeated. */
async function eraseLogs(queries: Queries, operationIds: string[]): Promise<void> {
  if (operationIds.length === 0) return;
  await sql`
    update operations set log = '[]', result = case when status = 'failure' then 'The record was erased at the provider' else result end
    where id = any(${operationIds}::uuid[]) and status <> 'in_progress'
  `.execute(queries);
  await sql`
    update idempotency_keys set body = jsonb_build_object('operationId', operation_id)
    where operation_id = any(${operationIds}::uuid[]) and (status = 200 or (status is null and body is not null))
  `.execute(queries);
}

/** Erases events about approvals. They were recorded after the approval was created, so their ids are higher. */
async function eraseApprovalEvents(
  queries: DataQueries,
  installationId: string,
  approvalIds: string[],
): Promise<void> {
  const [first] = approvalIds.toSorted();
  if (first === undefined) return;
  await sql`
    update events set data = (data::jsonb #- '{approval,before}' #- '{approval,after}' #- '{approval,arguments}')::json
    where project_id = (select project_id from installations where id = ${installationId}) and destination_id is null
      and type in ('agent.approval.requested', 'agent.approval.decided') and id > ${first}
      and data->'approval'->>'id' = any(${approvalIds}::text[])
  `.execute(queries);
}

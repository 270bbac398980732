/**
 * Erases what agents' acts on a record left, when the record was erased at the provider: changes that are kept for undoing, what
 * approvals and events about them show, the logs of their operations and the answers stored for their idempotency keys. Who asked
 * and who decided is kept. Each function is for one side; `subscribe/process/erase-records.ts` says in which order they run.
 */
import { sql } from "kysely";
import type { ControlQueries, DataQueries } from "../database/sides.ts";

export interface RecordOfInstallation {
  installationId: string;
  recordId: string;
}

/** What the control side has erased, by which the data side finds the rest. */
export interface ErasedApprovals {
  approvalIds: string[];
  /** Operations of acts on the record. */
  operationIds: string[];
}

/** Lists the operations of an installation's approvals that name no record: the operation of a create names it. */
export async function listUnnamedOperations(
  queries: ControlQueries,
  installationId: string,
): Promise<string[]> {
  const { rows } = await sql<{ operationId: string }>`
    select operation_id from approvals
    where group_id = (select group_id from installations where id = ${installationId}) and installation_id = ${installationId}
      and record_id is null and operation_id is not null
  `.execute(queries);
  return rows.map(({ operationId }) => operationId);
}

/** Lists the operations of acts on a record: those whose changes are kept, and those among `unnamed` that created it. */
export async function listActsOn(
  queries: DataQueries,
  { installationId, recordId }: RecordOfInstallation,
  unnamed: string[],
): Promise<string[]> {
  const { rows } = await sql<{ operationId: string }>`
    select operation_id from agent_changes
      join installations on installations.id = ${installationId} and agent_changes.group_id = installations.group_id
      join integrations on integrations.id = installations.integration_id and agent_changes.integration = integrations.name
    where agent_changes.record_id = ${recordId} or (agent_changes.record_id is null and exists (
      select from operations where operations.id = operation_id and metadata->'successfulRecordIds' ? ${recordId}))
    union
    select id from operations where id = any(${unnamed}::uuid[]) and metadata->'successfulRecordIds' ? ${recordId}
  `.execute(queries);
  return rows.map(({ operationId }) => operationId);
}

/**
 * Erases what approvals show of a record, and the answers about these operations, but not their keys: the act must not be
 * repeated. A waiting act on the record is not carried out.
 */
export async function eraseApprovals(
  queries: ControlQueries,
  { installationId, recordId }: RecordOfInstallation,
  operationIds: string[],
): Promise<ErasedApprovals> {
  const waits = sql`(status = 'pending' or (status = 'approved' and not sent))`;
  const { rows } = await sql<{ id: string; operationId: string | null }>`
    update approvals set arguments = '{}', act = '{}', before = null, after = null,
      status = case when ${waits} then 'stale' else status end,
      reason = case when ${waits} then 'The record was erased at the provider.' else reason end,
      due_time = case when ${waits} then null else due_time end, claimed_by = case when ${waits} then null else claimed_by end
    where group_id = (select group_id from installations where id = ${installationId}) and installation_id = ${installationId}
      and (record_id = ${recordId} or (record_id is null and operation_id = any(${operationIds}::uuid[])))
    returning id, operation_id
  `.execute(queries);
  const all = [...new Set([...operationIds, ...rows.flatMap(({ operationId }) => operationId ?? [])])];
  await sql`
    update idempotency_keys set body = jsonb_build_object('operationId', operation_id)
    where operation_id = any(${all}::uuid[]) and (status = 200 or (status is null and body is not null))
  `.execute(queries);
  return { approvalIds: rows.map(({ id }) => id), operationIds: all };
}

/** Erases the changes and logs of acts, and events about approvals. */
export async function eraseActs(
  queries: DataQueries,
  installationId: string,
  { approvalIds, operationIds }: ErasedApprovals,
): Promise<void> {
  if (operationIds.length > 0) {
    await sql`delete from agent_changes where operation_id = any(${operationIds}::uuid[])`.execute(queries);
    await sql`
      update operations set log = '[]', result = case when status = 'failure' then 'The record was erased at the provider' else result end
      where id = any(${operationIds}::uuid[]) and status <> 'in_progress'
    `.execute(queries);
  }
  const [first] = approvalIds.toSorted();
  if (first === undefined) return;
  // They were recorded after the approval was created, so their ids are higher.
  await sql`
    update events set data = (data::jsonb #- '{approval,before}' #- '{approval,after}' #- '{approval,arguments}')::json
    where project_id = (select project_id from installations where id = ${installationId}) and destination_id is null
      and type in ('agent.approval.requested', 'agent.approval.decided') and id > ${first}
      and data->'approval'->>'id' = any(${approvalIds}::text[])
  `.execute(queries);
}
